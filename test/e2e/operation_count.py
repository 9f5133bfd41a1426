"""Counts the floating-point instructions per element that one more pass of a transform takes.

usage: operation_count.py PROGRAM ENTRY SMALL LARGE LIMIT FOLDER

Both sizes run 2^12 elements in the emulator with the schedules of Inputs/passes.id, in kernels of one pass and two
passes; what the larger size takes more is the second pass. Negations are left out: they are operand modifiers of the machine's instructions. Fails above LIMIT.
"""

import json
import os
import subprocess
import sys

SCHEDULES = os.path.join(os.path.dirname(__file__), "Inputs", "passes.id")


def operations(program, entry, n, folder):
    report = os.path.join(folder, f"{entry}{n}.json")
    command = ["idc", "run", program, "--entry", entry, "--set", f"n={n}", "--set", "T=f32", "--target", "emulate"]
    command += ["--batch", str(4096 >> n), f"--report={report}", "--schedule", SCHEDULES]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(report) as file:
        kernels = json.load(file)
    assert len(kernels) == 1 and kernels[0]["finished"]
    return sum(kernels[0][kind] for kind in ("fma", "add", "mul"))


def main():
    program, entry, small, large, limit, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    first, both = (operations(program, entry, int(n), folder) for n in (small, large))
    assert first > 0
    perElement = (both - first) / 4096
    print(f"{entry}: {perElement:.2f} instructions per element from n = {small} to {large}")
    sys.exit(0 if perElement <= float(limit) else f"more than {limit}")


if __name__ == "__main__":
    main()
