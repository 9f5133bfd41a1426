"""Runs what a page tells its reader to type.

    commands.py PAGE.md FOLDER      (FOLDER, which is made, is where everything happens)

Fenced blocks are taken one after the other:

    ```c title="name.c"     becomes this file, and so does
    ```id                   with a line "//! file NAME.id", as extract.py has it
    ```sh                   is run by bash, and has to succeed
    ```text                 is what the commands before it print. … stands for anything within a line, a line of it
                            alone for any lines
    ```console              is a session: behind each "$ " a command, which may fail, and then what it prints, paths of
                            this project from its top folder on

All other blocks are left alone.
"""

import os
import re
import subprocess
import sys


ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Wrong(Exception):
    """A command that fails or prints something else."""


def blocks(page):
    """Line, information and text of each fenced block."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for block in re.finditer(r"^```(\S[^\n]*)\n(.*?)^```$", text, re.S | re.M):
        yield text.count("\n", 0, block.start()) + 1, block[1], block[2]


def pattern(text):
    """What the text of a page stands for, as a regular expression."""
    lines = [r"(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*") + r"\n" for line in text.splitlines()]
    return "".join(lines)


def run(commands, folder, may_fail=False):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=folder, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0 and not may_fail:
        raise Wrong(f"{commands}{done.stdout}")
    return done.stdout


def compare(printed, text):
    """Pages show what is printed where CUDA's tools are; a note that they are not is left out."""
    printed = re.sub(r"^note: CUDA's .*\n", "", printed, flags=re.M)
    if not re.fullmatch(pattern(text), printed):
        raise Wrong(f"printed is\n{printed}expected is\n{text}")


def session(text, folder):
    """Runs the commands of a session; how many."""
    commands = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.M)
    for command, expected in commands:
        compare(run(command, folder, may_fail=True).replace(ROOT + "/", ""), expected)
    return len(commands)


def main(page, folder):
    os.makedirs(folder)
    printed, count = None, 0
    for line, information, text in blocks(page):
        place = f"{os.path.basename(page)}:{line}"
        title = re.search(r'title="([^"]*)"', information) or re.search(r"^//! file (.*)", text, re.M)
        try:
            if title:
                with open(os.path.join(folder, title[1]), "w", encoding="utf-8") as file:
                    file.write(text)
            elif information == "sh":
                printed = run(text, folder)
                count += 1
            elif information == "text":
                if printed is None:
                    raise Wrong("no commands before this")
                compare(printed, text)
            elif information == "console":
                count += session(text, folder)
        except Wrong as error:
            sys.exit(f"{place}: {error}")
    print(f"{os.path.basename(page)}: {count} commands run")


main(*sys.argv[1:])
