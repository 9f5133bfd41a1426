"""Runs the examples of a page of documentation.

    extract.py PAGE.md FOLDER      (idc on the PATH; FOLDER receives the programs)

A fenced block of the language `id` is a program with examples, lines that begin with //!, which `idc test` runs: by the
reference interpreter, and through kernels for the CPU where the compiler makes them. `//! file NAME.id` says that later
programs of the page may import this one under this name.
"""

import collections
import concurrent.futures
import os
import re
import subprocess
import sys

TARGETS = "reference", "cpu"


class Program:
    """A block of a page, written to a file."""

    def __init__(self, page, line, text, folder):
        self.page, self.line = page, line  # of its first line
        named = re.search(r"^ *//! file (.*)", text, re.M)
        self.path = os.path.join(folder, named[1] if named else f"line{line}.id")
        self.saysNothing = "//!" not in text
        self.examples = len(re.findall(r"^ *//! (?!file )", text, re.M))
        with open(self.path, "w", encoding="utf-8") as program:
            program.write(text)

    def test(self, target):
        """(result, line of the page, example, what is said about it) of every example."""
        command = ["idc", "test", self.path, "--target", target]
        printed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        found = re.findall(r"^(passed|FAILED|skipped) +\S+?:(?:(\d+):)? (.*)\n((?:    .*\n)*)", printed, re.M)
        return [(result, self.line + int(line or 1) - 1, example, more) for result, line, example, more in found]


def programs(page, folder):
    """The programs of a page, written into the folder."""
    os.makedirs(folder, exist_ok=True)
    text = open(page, encoding="utf-8").read()
    blocks = re.finditer(r"^( *)```id\n(.*?)^ *```", text, re.S | re.M)
    return [Program(page, text.count("\n", 0, block.start()) + 2, block[2], folder) for block in blocks]


def main(page, folder):
    found = programs(page, folder)
    failures = {(program.line, ""): "says nothing about what it does" for program in found if program.saysNothing}
    total = sum(max(program.examples, program.saysNothing) for program in found)
    kernels, refusals = 0, collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        tested = [(target, program) for program in found if program.examples for target in TARGETS]
        runs = [(target, pool.submit(program.test, target)) for target, program in tested]
    for target, run in runs:
        for result, line, example, more in run.result():
            kernels += result == "passed" and target == "cpu" and "->" in example
            if result == "skipped" and target == "cpu":
                refusals[re.sub(r"'.*?'", "'…'", more.strip())] += 1
            elif result != "passed":
                failures.setdefault((line, example), f"{target}:\n{more}".rstrip())
    for (line, example), more in failures.items():
        print(f"{page}:{line}: {example}\n  {more}")
    print(f"{kernels} through kernels for the CPU")
    for refusal, count in refusals.most_common():
        print(f"{count} of them {refusal}")
    print(f"{os.path.basename(page)}: {total - len(failures)} passed, {len(failures)} failed")
    return 1 if failures or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
