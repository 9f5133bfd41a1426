# Runs programs of two kernels as passes with rings between them in the emulator, in several orders of threads and blocks.
# usage: ring-kernels.sh PROGRAMS SCHEDULES REAL
programs=$1 schedules=$2 real=$3
for batch in 1 2 7; do
  for order in round-robin greedy reverse; do
    while read -r entry n; do
      idc run "$programs" --entry "$entry" --set n="$n" --batch $batch --schedule "$schedules" --target emulate --verify \
        --interleaving $order
    done <<END
mirrored 6
mirrored 7
again 6
of_two 6
chain_first 9
chain_last 9
thirds 6
END
  done
done
idc run "$real" --entry rfft2d --set M=256 --set N=256 --batch 3 --target emulate --verify
idc run "$real" --entry irfft2d --set M=384 --set N=384 --batch 3 --target emulate --verify --interleaving reverse
