"""Runs programs with random layouts of their arguments and results, against the direct evaluation.

usage: layouts.py IDC STDLIB INPUTS SEED COUNT

What lies between the elements of a result must stay as it was, which `idc run` looks at; what lies between those of an
argument is never read, which the emulator looks at.
"""

import random
import subprocess
import sys

idc, stdlib, inputs, seed, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
draw = random.Random(seed)

# file, entry, settings, lengths of each argument's and result's dimensions, planar ones, further arguments
PROGRAMS = [
    ("fft.id", "fft", {"n": [1, 3, 4, 7, 10, 14], "T": ["f32", "f64"]}, {"x": ["2^n"], "y0": ["2^n"]}, {"x", "y0"}, []),
    ("fft.id", "fft", {"n": [4, 9], "T": ["f16"]}, {"x": ["2^n"], "y0": ["2^n"]}, {"x", "y0"}, ["--tolerance", "1e-2"]),
    ("ntt.id", "ntt", {"n": [4, 11]}, {"x": ["2^n"], "y0": ["2^n"]}, set(), []),
    ("sort.id", "bitonic_sort", {"n": [3, 8, 11], "T": ["i32", "f64"]}, {"x": ["2^n"], "y0": ["2^n"]}, set(), []),
    ("scan.id", "exclusive_scan", {"n": [3, 9, 13, 16], "T": ["f32"]}, {"x": ["2^n"], "y0": ["2^n"]}, set(), []),
    ("scan.id", "inclusive_scan_any", {"N": [1000, 333], "T": ["f32"]}, {"x": ["N"], "y0": ["N"]}, set(), []),
    ("transpose.id", "transpose", {"n": [3, 5], "m": [2, 6], "T": ["f32", "complex<f32>"]},
     {"x": ["2^m", "2^n"], "y0": ["2^n", "2^m"]}, set(), []),
    ("tridiagonal.id", "tridiagonal", {"n": [3, 9, 15], "T": ["f64"]}, {name: ["2^n"] for name in ("a", "b", "c", "d", "y0")},
     set(), ["--random", "b=3+|uniform|"]),
    ("reduce.id", "argmax", {"n": [5, 10], "T": ["f32"]}, {"x": ["2^n"], "y0": ["1"], "y1": ["1"]}, set(), []),
    ("convolution.id", "filter", {"n": [5, 9], "T": ["f32"]}, {"x": ["2^n"], "h": ["2^n"], "y0": ["2^n"]}, {"x", "h", "y0"}, []),
    (inputs + "/records.id", "parted", {"n": [2, 7, 12], "T": ["f32"]}, {"x": ["2^n"], "y0": ["2^n"]}, {"x", "y0"}, []),
    (inputs + "/radices.id", "ternary", {"n": [2, 5], "T": ["f32"]}, {"x": ["3^n"], "y0": ["3^n"]}, {"x", "y0"}, []),
    (inputs + "/planes.id", "turn", {"n": [3, 8]}, {"x": ["2^n"], "y0": ["2^n"]}, {"x", "y0"}, []),
]


def layout(name, lengths, sizes, planar, batch):
    """Random, and as dense as draw() says; results' elements are apart."""
    properties = []
    sizes = [eval(length.replace("^", "**"), {}, sizes) for length in lengths]
    result = name.startswith("y")
    # Dimensions and the batch from the smallest stride up, in any order.
    order = list(range(len(sizes))) + ["batch"]
    if draw.random() < 0.5:
        draw.shuffle(order)
    else:
        order = list(reversed(range(len(sizes)))) + ["batch"]
    strides, reach = {}, 1
    for dimension in order:
        least = reach if result or draw.random() < 0.8 else 1
        strides[dimension] = least + draw.choice([0, 0, 0, 1, 3, 4, 12])
        extent = max(batch, 2) if dimension == "batch" else sizes[dimension]
        reach = max(reach, strides[dimension] * extent)
    properties.append("stride:" + ":".join(str(strides[d]) for d in range(len(sizes))))
    if draw.random() < 0.2 and not result:
        strides["batch"] = 0
    properties.append("batch:%d" % strides["batch"])
    if draw.random() < 0.5:
        properties.append("offset:%d" % draw.choice([1, 2, 4, 7, 16]))
    if planar and draw.random() < 0.5:
        properties.append("planar")
    draw.shuffle(properties)
    return name + "=" + ",".join(properties)


for number in range(count):
    file, entry, settings, arrays, planar, more = draw.choice(PROGRAMS)
    chosen = {name: draw.choice(values) for name, values in settings.items()}
    sizes = {name: value for name, value in chosen.items() if isinstance(value, int)}
    batch = draw.choice([1, 2, 3, 5])
    target = draw.choice(["cpu", "emulate", "emulate:sm_80"])
    command = [idc, "run", file if "/" in file else stdlib + "/" + file, "--entry", entry, "--target", target,
               "--batch", str(batch), "--verify", "--seed", str(number)] + more
    for name, value in chosen.items():
        command += ["--set", "%s=%s" % (name, value)]
    in_place = entry in ("fft", "bitonic_sort", "exclusive_scan") and draw.random() < 0.3
    if in_place:
        same = layout("y0", arrays["y0"], sizes, "y0" in planar, batch)
        command += ["--in-place", "--layout", same, "--layout", same.replace("y0=", "x=")]
    for name, lengths in [] if in_place else arrays.items():
        if draw.random() < 0.7:
            complex_elements = "complex" in str(chosen.get("T", "")) and entry == "transpose"
            command += ["--layout", layout(name, lengths, sizes, name in planar or complex_elements, batch)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit("%s\n%s" % (" ".join("'%s'" % word for word in command), done.stdout))
print(count, "programs")
