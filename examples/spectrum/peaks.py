"""Finds the strongest peaks of a spectrum, prints them as a table and plots the spectrum.

usage: peaks.py SPECTRUM.npy PLOT.png
"""

import sys

import matplotlib
import numpy as np

from make_signal import SAMPLE_RATE, window

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

PEAKS = 4
APART = 4  # bins: the main lobe of a Hann window is four bins wide


def spectrum(path):
    """Frequencies in Hz, rising from minus half the sample rate, and levels in dB below full scale."""
    values = np.load(path).ravel()
    level = 20 * np.log10(np.maximum(np.abs(values) / window(values.size).sum(), 1e-9))
    frequency = np.fft.fftfreq(values.size, 1 / SAMPLE_RATE)
    return np.fft.fftshift(frequency), np.fft.fftshift(level)


def prominence(level):
    """Decibels by which each bin stands above the median of the bins around it, so that a sweep is no row of peaks."""
    width = 64
    padded = np.pad(level, width, mode="wrap")
    around = np.lib.stride_tricks.sliding_window_view(padded, 2 * width + 1)
    return level - np.median(around, axis=1)


def strongest(level):
    height = prominence(level)
    chosen = []
    for k in np.argsort(height)[::-1]:
        if len(chosen) == PEAKS:
            break
        if all(abs(int(k) - other) > APART for other in chosen):
            chosen.append(int(k))
    return chosen


def plot(frequency, level, chosen, path):
    figure, axes = plt.subplots(figsize=(10, 4.5), constrained_layout=True)
    axes.plot(frequency / 1e3, level, linewidth=0.7, color="#27548a")
    axes.plot(frequency[chosen] / 1e3, level[chosen], "o", markersize=5, fillstyle="none", color="#c0392b")
    for k in chosen:
        left = any(0 < frequency[other] - frequency[k] < 50_000 for other in chosen)
        axes.annotate(
            f"{frequency[k] / 1e3:.2f} kHz, {level[k]:.0f} dB",
            (frequency[k] / 1e3, level[k]),
            xytext=(-7 if left else 7, 3),
            textcoords="offset points",
            ha="right" if left else "left",
            fontsize=9,
        )
    axes.set(
        title=f"Spectrum of {level.size} samples",
        xlabel="frequency in kHz",
        ylabel="level in dB of full scale",
        xlim=(frequency[0] / 1e3, -frequency[0] / 1e3),
        ylim=(level.min() - 3, 5),
    )
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=110)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    frequency, level = spectrum(sys.argv[1])
    chosen = strongest(level)
    print("  frequency/kHz   level/dB")
    for k in chosen:
        print(f"  {frequency[k] / 1e3:13.3f} {level[k]:10.1f}")
    plot(frequency, level, chosen, sys.argv[2])


if __name__ == "__main__":
    main()
