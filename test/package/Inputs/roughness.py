"""Prints the shape of pictures and whether neighbouring pixels differ much."""

import sys

import matplotlib.image
import numpy as np

for path in sys.argv[1:]:
    pixels = matplotlib.image.imread(path)
    print(f"{path}: {pixels.shape}, {'rough' if np.abs(np.diff(pixels, axis=1)).mean() > 0.02 else 'smooth'}")
