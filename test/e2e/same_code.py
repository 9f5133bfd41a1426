"""Compares two PTX files but for comments and the names of entries, functions and variables.

usage: same_code.py A B      prints the first difference; the exit status is 1 when there is one
"""

import re
import sys

DECLARATION = re.compile(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)|\.(?:global|const|shared)\b[^;={]*?([\w$]+)\[")


def normal_form(path):
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"//[^\n]*", "", file.read())
    names = dict.fromkeys(entry or variable for entry, variable in DECLARATION.findall(text))
    if not names:
        sys.exit(f"same_code.py: {path} declares nothing")
    numbers = {name: f"symbol{number}" for number, name in enumerate(names)}
    # Longest first, as the parameters of a kernel are called after it: NAME_param_0.
    pattern = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    text = re.sub(rf"(?<![\w$%])({pattern})(?=\b|_param_)", lambda match: numbers[match.group(1)], text)
    return [line.rstrip() for line in text.splitlines() if line.strip()]


first, second = normal_form(sys.argv[1]), normal_form(sys.argv[2])
for number, (a, b) in enumerate(zip(first, second)):
    if a != b:
        sys.exit(f"difference in line {number} of what counts:\n< {a}\n> {b}")
if len(first) != len(second):
    sys.exit(f"{len(first)} lines in one, {len(second)} in the other")
