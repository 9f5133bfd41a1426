"""Results read, numbers as text, and sections put into a page."""
import csv
import math
import pathlib
import re
import sys


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def order(size):
    return [int(part) for part in size.split("x")]


def named(size):
    """Sizes as a reader knows them: the exponent of one dimension, the lengths of several."""
    return " × ".join(str(2**n) for n in order(size)) if "x" in size else size


def quotient(numerator, denominator):
    """None when one of them was not measured."""
    return numerator / denominator if numerator > 0 and denominator > 0 else None


def figure(value):
    return "–" if value is None else f"{value:.2f}"


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def replace_section(page, heading, lines):
    """Puts the lines under the page's heading, in place of all up to the next heading of that level."""
    text = page.read_text(encoding="utf-8")
    pattern = re.compile(rf"(?<=^## {heading}\n).*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
    if not pattern.search(text):
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {page} has no heading '## {heading}'")
    written = pattern.sub(lambda _: "\n" + "\n".join(lines).rstrip("\n") + "\n\n", text, count=1)
    page.write_text(written.rstrip("\n") + "\n", encoding="utf-8")
