"""Plans every entry of a folder of tables of schedules: a schedule that does not fit its program any more is an error for
whoever compiles that size."""

import pathlib
import re
import subprocess
import sys

ENTRY = re.compile(r"^schedule (\w+) for (\w+) (?:plan (\w+) )?where (.*?) \{", re.MULTILINE)


def main():
    tables, library = map(pathlib.Path, sys.argv[1:])
    planned = failed = 0
    for table in sorted(tables.rglob("*.id")):
        for entry, target, plan, sizes in ENTRY.findall(table.read_text()):
            command = ["idc", "compile", str(library / table.name), "--entry", entry, "--arch", target]
            command += ["--emit=stages", "-o", "-"] + (["--plan", plan] if plan else [])
            for size in sizes.split("&&"):
                command += ["--set", size.replace("==", "=").replace(" ", "")]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            planned += 1
            if done.returncode:
                failed += 1
                print(" ".join(command), done.stderr, sep="\n")
    print(f"{planned} schedules, {failed} that do not fit")
    return 1 if failed or not planned else 0


if __name__ == "__main__":
    sys.exit(main())
