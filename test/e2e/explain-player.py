"""The frames of pages of transforms: explain-player.py small|shared|cluster PAGE.html"""

import json
import re
import sys

import numpy

what, path = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    players = [json.loads(text) for text in re.findall(r'<script type="application/json">(.*?)</script>', file.read())]


def cells(frame, part="cells"):
    return [cell for table in frame["tables"] for row in table["rows"] for cell in row[part]]


def number(text):
    return complex(text.replace("i", "j"))


def held(frame):
    """Elements by their digits, with their values; one element has one value wherever it lies."""
    names, values = cells(frame), cells(frame, "values")
    elements = {name: number(value) for name, value in zip(names, values) if name}
    assert all(elements[name] == number(value) for name, value in zip(names, values) if name), frame["title"]
    return elements


def places(frames, place):
    return [frame for frame in frames if frame["tables"][0]["caption"].startswith(place)]


def by_index(elements):
    """The values of the first problem of a batch, in the order of their indices."""
    return numpy.array([elements[name] for name in sorted(elements) if int(name.replace(" ", ""), 2) < length])


kernel = players[-1]
assert kernel[0]["title"] == "load x: from global memory" and kernel[-1]["title"] == "store y0: global memory"
assert all(frame["tables"] for frame in kernel)

# Shuffles and shared memory move elements; steps change values and move none.
registers = places(kernel, "registers")
for one, other in zip(registers, registers[1:]):
    moves = not other["title"].startswith("steps")
    assert moves == (cells(one) != cells(other)), (one["title"], other["title"])
    ours, theirs = held(one), held(other)
    assert not moves or all(ours[name] == theirs[name] for name in ours.keys() & theirs.keys()), other["title"]

if what == "small":
    length = 8
    values = players[0]
    assert [frame["title"] for frame in values][:3] == ["the inputs", "reverse [1 2 3]", "scale [omega(2, 0)]"]
    assert len(values) == 8 and values[3]["note"].endswith("butterfly @ i, i = 1"), values[3]["note"]
    assert cells(values[0]) == [str(k) for k in range(8)]
    assert cells(values[1]) == [str(k) for k in (0, 4, 2, 6, 1, 5, 3, 7)]
    transformed = numpy.fft.fft(numpy.arange(8))
    assert numpy.allclose([number(cell) for cell in cells(values[-1])], transformed, atol=1e-3)
    # Memory by address, before and after.
    assert cells(kernel[0], "values") == [str(k) for k in range(8)]
    assert numpy.allclose([number(cell) for cell in cells(kernel[-1], "values")], transformed, atol=1e-3)

if what == "shared":
    words = places(kernel, "shared memory")
    assert [frame["title"] for frame in words] == ["exchange: shared, stored", "exchange: shared, loaded"] * 2
    for frame in words:
        assert len(frame["tables"][0]["columns"]) == 17, "words of 8 bytes, in two of 32 banks each"
        accessed = [column for row in frame["tables"][0]["rows"] for column in row.get("accessed", [])]
        assert len(accessed) == 16, "a phase of a warp's access"
        conflicts = max(accessed.count(column) for column in accessed)
        assert conflicts == 1 and frame["note"].endswith("no two words meet in a bank"), frame["note"]
        names = [name for name in cells(frame) if name]
        assert len(names) == len(set(names)), "a word has one element, and an element one word"
        held(frame)

if what == "conflicts":
    words = places(kernel, "shared memory")
    worst = []
    for frame in words:
        accessed = [column for row in frame["tables"][0]["rows"] for column in row.get("accessed", [])]
        worst.append(max(accessed.count(column) for column in accessed))
        said = "no two words meet" if worst[-1] == 1 else f"{worst[-1]} words meet"
        assert said in frame["note"], frame["note"]
    assert max(worst) == 2, worst

if what == "cluster":
    length = 128
    captions = [table["caption"] for table in kernel[1]["tables"]]
    assert captions == ["registers, block 0 of 2", "registers, block 1 of 2"], captions
    stored, = [frame for frame in kernel if frame["title"] == "exchange: cluster, stored"]
    blocks = [{name for row in table["rows"] for name in row["cells"]} for table in stored["tables"]]
    assert len(blocks) == 2 and not blocks[0] & blocks[1] and len(blocks[0] | blocks[1]) == 128
    signs = numpy.array([[(-1.0) ** bin(i & k).count("1") for k in range(128)] for i in range(128)])
    assert numpy.allclose([number(cell) for cell in cells(kernel[-1], "values")], signs @ numpy.arange(128))
    assert numpy.allclose(by_index(held(registers[0])), numpy.arange(128))
