"""The width of pages: prints where lines of prose are wider than 120 columns.

    width.py [--write] PAGE...       (--write wraps the paragraphs that are too wide)

Code, tables and headings are no prose. A paragraph is not broken within `code`.
"""

import re
import sys

COLUMNS = 120
ITEM = re.compile(r"( *)([-*+]|\d+\.) +")
NO_PROSE = re.compile(r"\||#|!\[|<| {4}|\t")
# What would begin something else if it stood first in a line.
BEGINS = re.compile(r"([-+*=|>#]|\d+[.)])($|\s)|[|>#]")


def paragraphs(lines):
    """Pairs of the first and the last line, counted from 0, of each paragraph or item of a list."""
    code, first = False, None
    for i, line in enumerate(lines + [""]):
        fence = line.lstrip().startswith("```")
        inside = first is not None and line.strip() and not ITEM.match(line) and not re.match(r" *[|#]", line)
        if first is not None and (fence or not inside):
            yield first, i - 1
            first = None
        if fence:
            code = not code
        elif not code and first is None and line.strip() and (ITEM.match(line) or not NO_PROSE.match(line)):
            first = i


def wrapped(text):
    """The lines of a paragraph, filled."""
    item = ITEM.match(text[0])
    indent = " " * (len(item[0]) if item else len(text[0]) - len(text[0].lstrip()))
    words = re.findall(r"(?:`[^`]*`|[^\s`])+|`", " ".join(line.strip() for line in text))
    words[0] = (item[1] if item else indent) + words[0]
    lines, line = [], []
    for word in words:
        if line and len(" ".join(line + [word])) > COLUMNS:
            moved = [line.pop()] if BEGINS.match(word) else []
            lines.append(" ".join(line))
            line = [indent + " ".join(moved + [word])]
        else:
            line.append(word)
    return lines + [" ".join(line)]


def main(arguments):
    write = arguments[0] == "--write"
    wide = 0
    for page in arguments[write:]:
        with open(page, encoding="utf-8") as file:
            lines = file.read().split("\n")
        wide_ones = [part for part in paragraphs(lines) if any(len(line) > COLUMNS for line in lines[part[0] : part[1] + 1])]
        if write:
            for first, last in reversed(wide_ones):
                lines[first : last + 1] = wrapped(lines[first : last + 1])
            with open(page, "w", encoding="utf-8") as file:
                file.write("\n".join(lines))
            continue
        for first, last in wide_ones:
            for i in range(first, last + 1):
                if len(lines[i]) > COLUMNS:
                    print(f"{page}:{i + 1}: {len(lines[i])} columns")
                    wide += 1
    if not write:
        print(f"{wide} lines of prose wider than {COLUMNS} columns")


main(sys.argv[1:])
