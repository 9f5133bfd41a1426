"""Runs a program through kernels for the CPU and in the emulator of the GPU for many sizes and types, and compares with
the direct evaluation. Unknown options go to idc."""

import argparse
import itertools
import subprocess
import sys

TOLERANCES = {"f16": "5e-3", "f64": "1e-12", "i32": "0", "i64": "0", "u32": "0", "u64": "0"}  # the others have the default


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("entry")
    parser.add_argument("--sizes", required=True, help="values of the size")
    parser.add_argument("--size", default="n", help="the size's name")
    parser.add_argument("--types", default="", help="values of T")
    parser.add_argument("--batches", default="", help="on both targets; else 3 on the CPU and 2 in the emulator")
    options, rest = parser.parse_known_args()
    runs = [("cpu", 3), ("emulate", 2)]
    if options.batches:
        runs = list(itertools.product(("cpu", "emulate"), options.batches.split(",")))
    failed = 0
    for n, scalar in itertools.product(options.sizes.split(","), options.types.split(",")):
        for target, batch in runs:
            command = ["idc", "run", options.program, "--entry", options.entry, "--set", f"{options.size}={n}", *rest]
            command += ["--set", f"T={scalar}"] if scalar else []
            command += ["--target", target, "--batch", str(batch), "--verify"]
            command += ["--tolerance", TOLERANCES.get(scalar, "1e-5")]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                failed += 1
                print(" ".join(command), done.stdout, done.stderr, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
