"""Power spectra and spectrograms of real signals on one target, against NumPy's transforms and windows.

    spectra.py STDLIB TARGET [EVERY]

runs one of every so many cases.
"""

import sys

import numpy as np

from solvers import check

rng = np.random.default_rng(20261127)


def window(kind, n):
    """NumPy's windows are symmetric: of one value more the last is left out."""
    return (np.ones, np.hanning, np.hamming, np.blackman)[kind](n + 1)[:n]


def spectrum(frame, kind, density, rate):
    n = len(frame)
    w = window(kind, n)
    power = np.abs(np.fft.rfft(frame * w))**2 / (rate * np.sum(w**2) if density else np.sum(w)**2)
    power[1:(n + 1) // 2] *= 2
    return power


def cases():
    for i, n in enumerate([1, 2, 3, 4, 5, 8, 13, 30, 37, 64, 100, 255, 1000] * 2):
        kind, density, rate = i % 4, i % 3 != 0, float(rng.uniform(0.5, 50))
        if n == 1 and kind in (1, 3):
            kind = 0  # of one value these windows are 0
        x = rng.standard_normal(n)
        settings = {"N": n, "window": kind, "density": str(density).lower()}
        yield "spectra", "periodogram", settings, [x], {"rate": rate}, spectrum(x, kind, density, rate)
    for i, (n, width, hop) in enumerate([(100, 16, 8), (100, 15, 4), (64, 64, 1), (50, 7, 20), (1000, 256, 128), (37, 12, 5)] * 2):
        kind, density, rate = (i + i // 6) % 4, i % 2 == 0, float(rng.uniform(0.5, 50))
        x = rng.standard_normal(n)
        frames = np.stack([spectrum(x[s:s + width], kind, density, rate) for s in range(0, n - width + 1, hop)])
        settings = {"N": n, "width": width, "hop": hop, "window": kind, "density": str(density).lower()}
        yield "spectra", "spectrogram", settings, [x], {"rate": rate}, frames
        yield "spectra", "welch", settings, [x], {"rate": rate}, frames.mean(axis=0)
    # What the scales mean: a wave's power, and the mean square of a signal.
    n, rate = 200, 48.0
    wave = 3 * np.cos(2 * np.pi * 10 * np.arange(n) / n + 1)
    expected = np.zeros(n // 2 + 1)
    expected[10] = 4.5
    yield "spectra", "periodogram", {"N": n, "density": "false"}, [wave], {"rate": 1.0}, expected
    x = rng.standard_normal(n)
    density = spectrum(x, 0, True, rate)
    assert np.isclose(density.sum() * rate / n, np.mean(x**2))


if __name__ == "__main__":
    sys.exit(check(cases(), second=4))
