# usage: read-back.sh FOLDER PROGRAM ENTRY TARGET n TYPE [PLAN]
# Compiles with the planner's schedule and with the same schedule as printed; the code must be the same.
set -e
cd "$1"
options="--entry $3 --arch $4 --set n=$5 --set T=$6 --plan ${7:-throughput}"
idc compile "$2" $options --print-schedule > schedule.id
idc compile "$2" $options --emit=ptx,stages -o planned
idc compile "$2" $options --schedule schedule.id --emit=ptx,stages -o read
cmp planned.ptx read.ptx
cmp planned.stages.mlir read.stages.mlir
