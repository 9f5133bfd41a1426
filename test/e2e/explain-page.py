"""What a browser makes of a page of `idc explain`: explain-page.py DOM.html SCREENSHOT.png"""

import re
import sys

import matplotlib.image
import numpy

with open(sys.argv[1]) as file:
    dom = file.read()
assert dom.rstrip().endswith("</html>"), "the page is cut off"
assert len(re.findall(r"<svg [^>]*>", dom)) == 3, "circuit, steps and kernels"
assert "fft_n5_f32_k0" in dom and "As text" in dom
foreign = re.findall(r"<script|\bsrc=|\bhref=|url\(|@import", dom)
assert not foreign, f"the page asks for more: {foreign}"
pixels = matplotlib.image.imread(sys.argv[2])
colours = numpy.unique(pixels.reshape(-1, pixels.shape[-1]), axis=0)
drawn = (pixels[..., :3].min(axis=-1) < 0.9).mean()
assert len(colours) > 20 and drawn > 0.01, f"{len(colours)} colours, {drawn:.1%} of the page drawn on"
