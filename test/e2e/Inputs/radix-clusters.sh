# Runs the programs of clusters of other radices in the emulator, in several orders of threads.
# usage: radix-clusters.sh FFT RADICES SCHEDULES
fft=$1 radices=$2 schedules=$3
run() {
  idc run "$@" --schedule "$schedules" --target emulate --verify
}
for batch in 1 3 7; do
  for type in f32 f64; do
    for size in 96 192 288 1260; do
      run "$fft" --entry fft_mixed --set N=$size --set T=$type --batch $batch
    done
  done
  run "$radices" --entry ternary --set n=4 --batch $batch
  run "$radices" --entry ternary --set n=5 --batch $batch
  run "$radices" --entry upwards --set n=5 --batch $batch
  run "$radices" --entry mixed --batch $batch
done
for order in round-robin greedy reverse; do
  run "$fft" --entry fft_mixed --set N=288 --set T=f64 --batch 3 --interleaving $order
  run "$fft" --entry fft_mixed --set N=1260 --batch 3 --interleaving $order
  run "$radices" --entry ternary --set n=5 --batch 3 --interleaving $order
  run "$radices" --entry mixed --batch 3 --interleaving $order
done
run "$fft" --entry fft_mixed --set N=96 --batch 3 --in-place
run "$radices" --entry ternary --set n=5 --batch 3 --in-place
