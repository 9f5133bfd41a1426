"""Links of pages to files and headings: prints those that lead nowhere, and how many there are in all.

usage: links.py ROOT PAGE..."""
import os
import re
import sys


def lines(page):
    """The lines outside code, numbered."""
    code = False
    with open(page, encoding="utf-8") as text:
        for number, line in enumerate(text, 1):
            if line.lstrip().startswith("```"):
                code = not code
            elif not code:
                yield number, line


def anchors(page):
    """The headings as links name them."""
    found = set()
    for _, line in lines(page):
        if heading := re.match(r"#+ (.*)", line):
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
            found.add(re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-"))
    return found


root, pages = sys.argv[1], sys.argv[2:]
links = wrong = 0
for page in pages:
    for number, line in lines(page):
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            if re.match(r"\w+:", target):
                continue
            links += 1
            path, _, anchor = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(file):
                problem = "no such file"
            elif anchor and file.endswith(".md") and anchor not in anchors(file):
                problem = "no such heading"
            else:
                continue
            wrong += 1
            print(f"{os.path.relpath(page, root)}:{number}: {target}: {problem}")
print(f"{links} links, {wrong} wrong")
