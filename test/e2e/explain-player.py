"""The frames of a page of a Fourier transform of 8 elements: explain-player.py PAGE.html"""

import json
import re
import sys

import numpy

with open(sys.argv[1], encoding="utf-8") as file:
    page = file.read()
values, held = [json.loads(text) for text in re.findall(r'<script type="application/json">(.*?)</script>', page)]

cells = lambda frame: [cell for table in frame["tables"] for row in table["rows"] for cell in row["cells"]]
number = lambda text: complex(text.replace("i", "j"))
assert [frame["title"] for frame in values][:3] == ["the inputs", "reverse [1 2 3]", "scale [omega(2, 0)]"]
assert len(values) == 8 and values[3]["note"].endswith("butterfly @ i, i = 1"), values[3]["note"]
assert cells(values[0]) == [str(k) for k in range(8)]
assert cells(values[1]) == [str(k) for k in (0, 4, 2, 6, 1, 5, 3, 7)]
assert numpy.allclose([number(cell) for cell in cells(values[-1])], numpy.fft.fft(numpy.arange(8)), atol=1e-4)

# Every exchange moves the elements that a warp holds, and loses none.
assert held[0]["title"] == "load x" and held[-1]["title"] == "store y0"
assert all(sorted(cells(frame)) == sorted(cells(held[0])) for frame in held)
moves = [frame["title"].startswith("exchange") for frame in held]
changes = [cells(one) != cells(other) for one, other in zip(held, held[1:])]
assert changes == moves[1:] and any(moves), (changes, moves)
