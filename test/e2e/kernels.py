"""Counts the kernels that programs become: ENTRY/SIZE=VALUE… each has as many as --kernels says."""

import argparse
import re
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("cases", nargs="+", metavar="ENTRY/SIZE=VALUE")
    parser.add_argument("--kernels", type=int, required=True)
    options = parser.parse_args()
    failed = 0
    for case in options.cases:
        entry, *sizes = case.split("/")
        command = ["idc", "compile", options.program, "--entry", entry, "--emit=stages"]
        command += [argument for size in sizes for argument in ("--set", size)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = len(re.findall(r"= id\.kernel ", done.stdout))
        if done.returncode or found != options.kernels:
            failed += 1
            print(f"{case}: {found} kernels, not {options.kernels}", done.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
