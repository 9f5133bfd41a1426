"""What a browser makes of a page of `idc explain`: explain-page.py DOM.html LIGHT.png DARK.png"""

import re
import sys

import matplotlib.image
import numpy

with open(sys.argv[1]) as file:
    dom = file.read()
assert dom.rstrip().endswith("</html>"), "the page is cut off"
assert len(re.findall(r"<svg [^>]*>", dom)) == 3, "circuit, steps and kernels"
assert "fft_n5_f32_k0" in dom and "As text" in dom
foreign = re.findall(r"\bsrc=|\bhref=\"[^#]|url\(|@import", dom)
assert not foreign, f"the page asks for more: {foreign}"
names = re.findall(r"id=\"(.*?)\"", dom)
links = re.findall(r"href=\"#(.*?)\"", dom)
assert links and set(links) <= set(names), f"links lead nowhere: {set(links) - set(names)}"
brightness = []
for screenshot in sys.argv[2:]:
    pixels = matplotlib.image.imread(screenshot)[..., :3]
    colours = numpy.unique(pixels.reshape(-1, 3), axis=0)
    paper = numpy.median(pixels)
    drawn = (numpy.abs(pixels - paper).max(axis=-1) > 0.1).mean()
    assert len(colours) > 20 and drawn > 0.01, f"{len(colours)} colours, {drawn:.1%} of the page drawn on"
    brightness.append(paper)
assert brightness[0] > 0.9 and brightness[1] < 0.2, f"the page is not light and dark as asked for: {brightness}"
