"""Writes a recording as a software radio makes it: complex samples of four tones, a sweep and noise.

usage: make_signal.py N FILE.npy     2^N samples, complex64, the same every time
"""

import sys

import numpy as np

SAMPLE_RATE = 2_048_000.0  # Hz
SWEEP = (500_000.0, 700_000.0)  # Hz, first and last frequency

# Frequency in Hz, level in dB below full scale. The last two are 2 kHz apart and differ by 40 dB.
TONES = [(-640_000.0, -6.0), (-200_250.0, -26.0), (250_000.0, -12.0), (252_000.0, -52.0)]


def window(samples):
    """Hann: a strong tone leaks little into its neighbourhood."""
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(samples) / samples)


def amplitude(decibels):
    return 10 ** (decibels / 20)


def signal(samples):
    time = np.arange(samples) / SAMPLE_RATE
    duration = samples / SAMPLE_RATE
    result = np.zeros(samples, dtype=np.complex128)
    for frequency, level in TONES:
        result += amplitude(level) * np.exp(2j * np.pi * frequency * time)
    slope = (SWEEP[1] - SWEEP[0]) / duration
    result += amplitude(-20) * np.exp(2j * np.pi * (SWEEP[0] + slope * time / 2) * time)
    noise = np.random.default_rng(2048).standard_normal((2, samples))
    result += amplitude(-50) * (noise[0] + 1j * noise[1])
    return (result * window(samples)).astype(np.complex64)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    np.save(sys.argv[2], signal(2 ** int(sys.argv[1]))[np.newaxis])
