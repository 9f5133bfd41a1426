"""Runs every operation of Inputs/operations.id on every type it takes, on one target, against the direct evaluation."""

import subprocess
import sys

FLOATING = ["f16", "bf16", "f32", "f64"]
INTEGERS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
PROGRAMS = {
    "reals": FLOATING,
    "ordered": FLOATING + INTEGERS,
    "functions": FLOATING,
    "others": FLOATING,
    "chained": FLOATING,
    "counted": INTEGERS,
    "integers": INTEGERS,
    "converted": FLOATING + INTEGERS,
    "complexes": FLOATING,
}
TOLERANCES = {"f16": "2e-3", "bf16": "1.5e-2", "f32": "1e-6", "f64": "1e-14"}


def main():
    program, target = sys.argv[1:]
    passed = True
    for entry, types in PROGRAMS.items():
        for scalar in types:
            # A conversion gives f16 and bf16 from every type.
            tolerance = TOLERANCES["bf16" if entry == "converted" else scalar] if scalar in FLOATING else "1.5e-2"
            command = ["idc", "run", program, "--entry", entry, "--set", "n=8", "--set", f"T={scalar}", "--batch", "3",
                       "--target", target, "--verify", "--tolerance", tolerance]
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode:
                passed = False
                print(" ".join(command), run.stdout + run.stderr, sep="\n")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
