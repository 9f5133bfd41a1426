# run-in-place.sh "TARGETS" "SIZES" ARGUMENT...: the program in place for every target, size n and two batches.
set -e
targets=$1 sizes=$2
shift 2
for target in $targets; do
  for n in $sizes; do
    for batch in 1 3; do
      idc run "$@" --set n=$n --target $target --batch $batch --in-place --verify
    done
  done
done
