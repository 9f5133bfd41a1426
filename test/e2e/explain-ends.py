"""Every link of a circuit begins and ends on a wire: explain-ends.py CIRCUIT.svg"""

import re
import sys

with open(sys.argv[1]) as file:
    text = file.read()
lines = re.findall(r'<line x1="(.*?)" y1="(.*?)" x2="(.*?)" y2="(.*?)" class="(wire|link)"', text)
lines = [(*map(float, line[:4]), line[4]) for line in lines]
wires = [line for line in lines if line[4] == "wire"]
links = [line for line in lines if line[4] == "link" and line[0] == line[2]]  # not the legend's
assert links
for x, top, _, bottom, _ in links:
    for y in (top, bottom):
        assert any(wire[1] == y and wire[0] <= x <= wire[2] for wire in wires), f"a link ends at {x}, {y} beside the wires"
