"""Whether a list of instances has every algorithm of the standard library: listed.py LIST STDLIB"""

import pathlib
import re
import sys

words = [line.split() for line in open(sys.argv[1])]
listed = {(line[0], line[1]) for line in words if len(line) > 1}
missing = [f"{path.name} {name}" for path in sorted(pathlib.Path(sys.argv[2]).glob("*.id"))
           for name in re.findall(r"^algorithm (\w+)", path.read_text(), re.M) if (path.name, name) not in listed]  # fmt: skip
print("\n".join(missing) or "all are there")
