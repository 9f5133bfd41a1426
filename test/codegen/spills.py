"""Compiles a library's transforms for a GPU and fails when the assembler reports spilled registers or local memory.

usage: spills.py FOLDER STDLIB

Manifests are written to FOLDER; they say what the assembler reported.
"""

import concurrent.futures
import json
import os
import subprocess
import sys

PROGRAMS = [("fft.id", "fft", "f32"), ("fft.id", "ifft", "f32"), ("hadamard.id", "hadamard", "f32")]
PROGRAMS += [("ntt.id", "ntt", f"mod<{prime}>") for prime in (2013265921, 4179340454199820289)]
SIZES = range(1, 27)


def problems(folder, stdlib, file, entry, scalar, n):
    """What is wrong with the kernels of one transform, as lines."""
    prefix = os.path.join(folder, f"{entry}{n}-{scalar}")
    command = ["idc", "compile", os.path.join(stdlib, file), "--entry", entry, "--set", f"n={n}", "--set", f"T={scalar}"]
    run = subprocess.run(command + ["--arch", "sm_90", "--emit=manifest", "-o", prefix], capture_output=True, text=True)
    if run.returncode != 0:
        return [f"{entry}, n = {n}: {run.stderr.strip()}"]
    with open(prefix + ".json") as file:
        kernels = json.load(file)["kernels"]
    lines = [] if kernels else [f"{entry}, n = {n}: no kernels"]
    for kernel in kernels:
        reported = {field: kernel[field] for field in ("registers", "spillBytes", "localBytes")}
        if not reported["registers"] or reported["spillBytes"] != 0 or reported["localBytes"] != 0:
            lines.append(f"{kernel['name']}: {reported}")
    return lines


def main():
    folder, stdlib = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(problems, folder, stdlib, *program, n) for program in PROGRAMS for n in SIZES]
        lines = [line for job in jobs for line in job.result()]
    print(f"{len(jobs)} transforms compiled")
    sys.exit("\n".join(lines) if lines else 0)


if __name__ == "__main__":
    main()
