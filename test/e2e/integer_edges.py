"""Runs Inputs/integer-edges.id on pairs of integers for which machine instructions trap or are undefined, on one target,
against Python's integers. The reference, which reports a division by zero, gets pairs without a zero divisor."""

import pathlib
import subprocess
import sys

import numpy

TYPES = {"i32": numpy.int32, "i64": numpy.int64, "u32": numpy.uint32, "u64": numpy.uint64}


def operands(dtype):
    """256 pairs of edge values as Python integers."""
    bits, limits = dtype().itemsize * 8, numpy.iinfo(dtype)
    edges = [0, 1, 2, 3, 7, bits - 1, bits, bits + 1, 100, int(limits.max), int(limits.max) - 1, int(limits.max) // 2]
    edges += [int(limits.min), int(limits.min) + 1, -1, -7] if limits.min < 0 else [1 << (bits - 1), 5, 64, 65]
    assert len(edges) == 16
    return [(x, y) for x in edges for y in edges]


def wrap(value, dtype):
    bits, signed = dtype().itemsize * 8, numpy.iinfo(dtype).min < 0
    value %= 1 << bits
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def quotient(x, y):
    """x / y toward zero and the remainder; x and 0 for the divisor 0."""
    if y == 0:
        return x, 0
    q = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return q, x - q * y


def shifts(x, y, bits):
    """Amounts count unsigned; beyond the width nothing of x is left but the sign."""
    return (x << y, x >> y) if 0 <= y < bits else (0, -1 if x < 0 else 0)


class Runner:
    def __init__(self, program, target, folder):
        self.program, self.target, self.folder, self.failed = program, target, folder, False

    def check(self, entry, scalar, dtype, inputs, outputs):
        command = ["idc", "run", self.program, "--entry", entry, "--set", "n=8", "--set", f"T={scalar}"]
        command += ["--target", self.target, "--tolerance", "0"]
        for option, arrays in ("--input", inputs), ("--expect", outputs):
            for i, values in enumerate(arrays):
                path = self.folder / f"{entry}-{scalar}{option}{i}.npy"
                numpy.save(path, numpy.array([wrap(v, dtype) for v in values], dtype))
                command += [option, str(path)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            self.failed = True
            print(" ".join(command), run.stdout + run.stderr, sep="\n")


def main():
    program, target, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    runner = Runner(program, target, folder)
    reference = target == "reference"
    for scalar, dtype in TYPES.items():
        bits, pairs = dtype().itemsize * 8, operands(dtype)
        xs, ys = [list(side) for side in zip(*pairs)]
        divisors = [y or 1 for y in ys] if reference else ys
        runner.check("divided", scalar, dtype, [xs, divisors], zip(*map(quotient, xs, divisors)))
        runner.check("shifted", scalar, dtype, [xs, ys], zip(*[shifts(x, y, bits) for x, y in pairs]))
        runner.check("by_constants", scalar, dtype, [xs],
                     zip(*[(*quotient(x, 3), x >> 31, x << 31) for x in xs]))
        if scalar.startswith("i"):
            runner.check("by_minus_one", scalar, dtype, [xs], zip(*[quotient(x, -1) for x in xs]))
        if not reference:
            runner.check("by_nothing", scalar, dtype, [xs], zip(*[(x, 0, *shifts(x, 64, bits)) for x in xs]))
    for modulus in 2, 3, 97, 998244353, 18446744069414584321:
        dtype = numpy.uint32 if modulus < 1 << 32 else numpy.uint64
        xs, ys = [list(side) for side in zip(*[(x % modulus, y % modulus) for x, y in operands(dtype)])]
        divisors = [y or 1 for y in ys] if reference else ys
        runner.check("residues", f"mod<{modulus}>", dtype, [xs, divisors],
                     [[x * pow(y, -1, modulus) % modulus if y else 0 for x, y in zip(xs, divisors)]])
    return 1 if runner.failed else 0


if __name__ == "__main__":
    sys.exit(main())
