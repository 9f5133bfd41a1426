"""Runs the sessions of a page of documentation.

    session.py PAGE.md FOLDER      (idc on the PATH; FOLDER receives the programs that the page has under names)

A session is a fenced block of the language `console`: lines that begin with `$ ` are commands, which run in the folder,
each followed by what it prints (standard output, then standard error), paths of this project from its top folder on. In
a line `…` stands for any text, as a line for any lines.
"""

import os
import re
import subprocess
import sys

import extract

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def matches(expected, actual):
    """Whether lines agree; `…` stands for any text in a line, and alone for any number of lines."""
    if not expected:
        return not actual
    if expected[0] == "…":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    line = re.escape(expected[0]).replace("…", ".*")
    return bool(actual) and bool(re.fullmatch(line, actual[0])) and matches(expected[1:], actual[1:])


def main(page, folder):
    extract.programs(page, folder)
    text = open(page, encoding="utf-8").read()
    commands = failures = 0
    for block in re.finditer(r"^```console\n(.*?)^```", text, re.S | re.M):
        for found in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block[1], re.M):
            done = subprocess.run(found[1], shell=True, cwd=folder, capture_output=True, text=True, check=False)
            actual = (done.stdout + done.stderr).replace(ROOT + "/", "")
            commands += 1
            if not matches(found[2].splitlines(), actual.splitlines()):
                failures += 1
                print(f"$ {found[1]}\nprints\n{actual}but the page says\n{found[2]}")
    print(f"{os.path.basename(page)}: {commands - failures} commands as the page says, {failures} not")
    return 1 if failures or not commands else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
