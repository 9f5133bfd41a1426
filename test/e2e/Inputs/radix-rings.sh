# Runs programs with a ring between tiles of other radices in the emulator, in several orders of threads and blocks.
# usage: radix-rings.sh FFT RADICES SCHEDULES
fft=$1 radices=$2 schedules=$3
for batch in 1 2 7; do
  for order in round-robin greedy reverse; do
    for type in f32 f64; do
      idc run "$fft" --entry fft_mixed --set N=144 --set T=$type --batch $batch --schedule "$schedules" \
        --target emulate --verify --interleaving $order
    done
    idc run "$radices" --entry ternary --set n=4 --batch $batch --schedule "$schedules" \
      --target emulate --verify --interleaving $order
  done
done
