# Runs programs with staged loads and stores in the emulator; what they make is what they make without, to the bit.
# usage: staged.sh FFT PROGRAMS FOLDER
fft=$1 programs=$2 out=$3
mkdir -p "$out"
sed '/^schedule/,/^}/d' "$programs" > "$out/direct.id"
run() { # what is staged, the program, further arguments
  for staged in both load store none; do
    case $staged in
    both) sed -n '/^schedule/,/^}/p' "$programs" ;;
    load) sed -n '/^schedule/,/^}/p' "$programs" | sed 's/store staged {/store {/; /store staged$/d' ;;
    store) sed -n '/^schedule/,/^}/p' "$programs" | sed 's/load staged {/load {/; /load staged$/d' ;;
    none) sed -n '/^schedule/,/^}/p' "$programs" | sed 's/staged {/{/; /staged$/d' ;;
    esac > "$out/$staged.id"
    idc run "$@" --schedule "$out/$staged.id" --target emulate --output "$out/$staged.npy" > "$out/$staged.txt" || return
    cmp "$out/$staged.npy" "$out/both.npy" && grep -q "on the emulator" "$out/$staged.txt" && echo "$staged: $*" | sed "s,$out/,,"
  done
}
for batch in 1 2 9 10 11 53; do
  for type in f16 'mod<1459>' 'complex<f32>'; do
    run "$out/direct.id" --entry rows --set n=3 --set "T=$type" --batch $batch
  done
  run "$out/direct.id" --entry rows --set n=4 --set T=f64 --batch $batch
done
for batch in 1 49 51; do
  run "$out/direct.id" --entry both --set n=3 --batch $batch
done
for order in greedy reverse; do
  for batch in 1 4 5 6 7; do
    run "$fft" --entry fft_any --set N=343 --set T=f32 --batch $batch --interleaving $order
  done
  for batch in 2 5 6 7; do
    run "$fft" --entry fft_any --set N=625 --set T=f64 --batch $batch --interleaving $order
  done
done
