"""Counts the floating-point instructions of a kernel in PTX and fails when they are more than a limit.

usage: operations.py FILE.ptx LIMIT

Additions, subtractions, multiplications and fused multiply-adds count one each; negations are operand modifiers of the
machine's instructions and count nothing.
"""

import re
import sys


def main():
    path, limit = sys.argv[1], int(sys.argv[2])
    with open(path) as file:
        names = re.findall(r"\b(fma|add|sub|mul)(?:\.\w+)*\.f(?:32|64)\b", file.read())
    counts = {name: names.count(name) for name in ("fma", "add", "sub", "mul")}
    print(", ".join(f"{count} {name}" for name, count in counts.items()), "in all", len(names))
    sys.exit(0 if 0 < len(names) <= limit else f"{path}: more than {limit} operations, or none")


if __name__ == "__main__":
    main()
