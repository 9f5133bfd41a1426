# usage: rejected.sh STDLIB SCHEDULE.id...
# Prints what idc says of each schedule; every one must be refused with status 1.
stdlib=$1
shift
for schedule; do
  idc compile "$stdlib/fft.id" --entry fft --set n=6 --schedule "$schedule" --emit=ptx,manifest -o out/f 2>&1
  status=$?
  [ $status -eq 1 ] || { echo "$schedule: status $status"; exit 1; }
done
