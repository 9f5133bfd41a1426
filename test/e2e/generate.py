"""Runs the programs of Inputs/generated.id on one target against the direct evaluation, over sizes."""

import subprocess
import sys

SIZES = {
    "before": [0, 1, 5, 10, 15],
    "after": [1, 7, 12],
    "smooth": [3, 6, 10, 14],
    "records": [0, 4, 9],
    "alone": [0, 6],
    "zeros": [0, 5],
    "equal": [1, 6, 13],
}


def main():
    program, target = sys.argv[1:]
    runs = [(entry, [f"n={n}"]) for entry, sizes in SIZES.items() for n in sizes]
    runs += [("rows", [f"m={m}", f"n={n}"]) for m, n in ((0, 3), (4, 5), (6, 2))]
    runs += [("odd", [f"N={N}"]) for N in (1, 21, 100)]
    passed = True
    for entry, sizes in runs:
        for batch in ("1", "5"):
            command = ["idc", "run", program, "--entry", entry, "--batch", batch, "--target", target, "--verify"]
            command += [word for size in sizes for word in ("--set", size)]
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode:
                passed = False
                print(" ".join(command), run.stdout + run.stderr, sep="\n")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
