"""Runs a program in the emulator for many sizes and checks what it reports.

Every run has to agree with the direct evaluation and be free of faults, of bank conflicts (of more than --conflicts
accesses), and (unless --partial-sectors) of bytes of sectors that a load or store of a buffer does not use. Batches,
types and the orders of the threads are taken in turn.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile

ORDERS = [["--interleaving", "random", "--seed", "1"], ["--interleaving", "reverse"],
          ["--interleaving", "random", "--seed", "2"], ["--interleaving", "greedy"],
          ["--interleaving", "round-robin"]]
TOLERANCES = {"f64": "1e-10", "f16": "5e-3", "bf16": "3e-2"}  # the others have the default


def numbers(text):
    """Numbers and ranges A..B with commas between them."""
    result = []
    for word in text.split(","):
        first, _, last = word.partition("..")
        result += range(int(first), int(last or first) + 1)
    return result


def problems(kernel, partial_sectors, conflicts):
    """What a report says against a kernel."""
    for side in ("sharedLoads", "sharedStores"):
        if kernel[side]["worstConflict"] > conflicts:
            yield f"{side}: bank conflict of degree {kernel[side]['worstConflict']}"
    for side in ("globalLoads", "globalStores"):
        if kernel[side]["unusedBytes"] and not partial_sectors:
            yield f"{side}: {kernel[side]['unusedBytes']} bytes of sectors unused"
    for fault in kernel["faults"]:
        yield f"{fault['kind']}: {fault['detail']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("entry")
    parser.add_argument("--sizes", type=numbers, required=True, help="values of the size")
    parser.add_argument("--size", default="n", help="the size's name")
    parser.add_argument("--batches", type=numbers, default=[1])
    parser.add_argument("--types", type=lambda text: text.split(","), help="values of T")
    parser.add_argument("--set", action="append", default=[], help="another size or type, as for idc")
    parser.add_argument("--random", action="append", default=[], help="how an input is drawn, as for idc")
    parser.add_argument("--plan", default="throughput")
    parser.add_argument("--partial-sectors", action="store_true")
    parser.add_argument("--conflicts", type=int, default=1)
    options = parser.parse_args()

    passed = True
    batch, order = itertools.cycle(options.batches), itertools.cycle(ORDERS)
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        for scalar, n in itertools.product(options.types or [None], options.sizes):
            command = ["idc", "run", options.program, "--entry", options.entry, "--set", f"{options.size}={n}", "--batch",
                       str(next(batch)), "--target", "emulate", "--verify", f"--report={report}", "--plan", options.plan,
                       *next(order)]
            for setting in options.set + ([f"T={scalar}"] if scalar else []):
                command += ["--set", setting]
            for distribution in options.random:
                command += ["--random", distribution]
            if scalar in TOLERANCES:
                command += ["--tolerance", TOLERANCES[scalar]]
            run = subprocess.run(command, capture_output=True, text=True)
            found = [run.stdout + run.stderr] if run.returncode else []
            if not found:
                with open(report) as file:
                    for kernel in json.load(file):
                        told = problems(kernel, options.partial_sectors, options.conflicts)
                        found += [f"{kernel['name']}: {problem}" for problem in told]
            if found:
                passed = False
                print(" ".join(command), *found, sep="\n  ")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
