#!/usr/bin/env bash
# From a signal to its peaks: make_signal.py, `idc run`, peaks.py.
#
# usage: run.sh [FOLDER]      where the arrays and the plot go (default: out/spectrum in the repository)
#   IDC     the compiler (default: this repository's build, else idc on the PATH)
#   PYTHON  a python3 with numpy and matplotlib (default: /usr/bin/python3)
#   TARGET  gpu or cpu (default: the GPU if there is one)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
out=${1:-$root/out/spectrum}
python=${PYTHON:-/usr/bin/python3}
n=14

idc=${IDC:-}
if [[ -z "$idc" ]]; then
  idc=idc
  [[ -x $root/build/bin/idc ]] && idc=$root/build/bin/idc
fi
target=${TARGET:-}
if [[ -z "$target" ]]; then
  target=cpu
  nvidia-smi -L >/dev/null 2>&1 && target=gpu
fi

mkdir -p "$out"
"$python" "$here/make_signal.py" $n "$out/signal.npy"
"$idc" run "$root/stdlib/fft.id" --entry fft --set n=$n --set T=f32 --batch 1 --target "$target" \
  --input "$out/signal.npy" --output "$out/spectrum.npy" --time --verify
"$python" "$here/peaks.py" "$out/spectrum.npy" "$out/spectrum.png"
