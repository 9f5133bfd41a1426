"""Convolution and correlation of real signals and pictures on one target, against direct sums in f64.

    convolutions.py STDLIB TARGET [EVERY]

runs one of every so many cases.
"""

import sys

import numpy as np

from solvers import check

FULL, SAME, VALID = PARTS = 1, 0, -1
rng = np.random.default_rng(20261126)


def part_of(full, part, sizes, filter_sizes):
    for axis, (n, m) in enumerate(zip(sizes, filter_sizes)):
        start = (1 - part) * (m - 1) // 2
        full = np.take(full, range(start, start + n + part * (m - 1)), axis)
    return full


def linear(x, h):
    """All results that have a term; of any dimension."""
    y = np.zeros([n + m - 1 for n, m in zip(x.shape, h.shape)])
    for j in np.ndindex(h.shape):
        y[tuple(slice(a, a + n) for a, n in zip(j, x.shape))] += h[j] * x
    return y


def circular(x, h, sign):
    y = np.zeros(x.shape)
    for j in np.ndindex(h.shape):
        y += h[j] * np.roll(x, [sign * a for a in j], range(x.ndim))
    return y


def signal(n, m, kind):
    x, h = rng.standard_normal(n), rng.standard_normal(m)
    part = PARTS[kind % (3 if m <= n else 2)]
    settings = {"N": n, "M": m}
    if kind % 5 == 0:
        return "convolve1d_circular", settings, x, h, circular(x, h, 1)
    if kind % 5 == 1:
        return "correlate1d_circular", settings, x, h, circular(x, h, -1)
    if kind % 5 == 2:
        y = np.correlate(x, h, {FULL: "full", SAME: "same", VALID: "valid"}[part]) if m <= n and part != SAME else \
            part_of(linear(x, h[::-1]), part, [n], [m])
        return "correlate1d", settings | {"part": part}, x, h, y
    y = np.convolve(x, h, {FULL: "full", SAME: "same", VALID: "valid"}[part]) if m <= n else part_of(linear(x, h), part, [n], [m])
    return "convolve1d", settings | {"part": part}, x, h, y


def picture(shape, filter_shape, kind):
    x, h = rng.standard_normal(shape), rng.standard_normal(filter_shape)
    fits = all(k <= n for k, n in zip(filter_shape, shape))
    part = PARTS[kind % (3 if fits else 2)]
    settings = dict(zip("MN", shape)) | dict(zip("KJ", filter_shape))
    if kind % 4 == 0:
        return "convolve2d_circular", settings, x, h, circular(x, h, 1)
    if kind % 4 == 1:
        return "correlate2d_circular", settings, x, h, circular(x, h, -1)
    if kind % 4 == 2:
        return "correlate2d", settings | {"part": part}, x, h, part_of(linear(x, h[::-1, ::-1]), part, shape, filter_shape)
    return "convolve2d", settings | {"part": part}, x, h, part_of(linear(x, h), part, shape, filter_shape)


def cases():
    def case(made):
        entry, settings, x, h, y = made
        return "real_convolution", entry, settings, [x, h], {}, y

    for n in range(1, 21):
        for m in range(1, 24): # above 16 by transforms
            if (n + 3 * m) % 5 == 0 or n == m:
                yield case(signal(n, m, 7 * n + m))
    # Longer than a block, and filters longer than that.
    for kind, (n, m) in enumerate([(1000, 25), (1024, 1), (1025, 512), (3000, 513), (5000, 64), (700, 3000)] * 2 + [(8191, 100)]):
        yield case(signal(n, m, kind))
    for kind, (shape, filter_shape) in enumerate([((1, 1), (1, 1)), ((4, 6), (3, 3)), ((5, 7), (2, 4)), ((8, 8), (5, 3)),
                                                  ((3, 2), (5, 6)), ((16, 9), (1, 7)), ((30, 33), (7, 7)), ((2, 40), (2, 3)),
                                                  # filters of more than 64 values, by transforms
                                                  ((9, 12), (8, 9)), ((16, 16), (13, 6)), ((5, 7), (9, 11)), ((20, 31), (3, 30)),
                                                  ((33, 8), (20, 4))] * 4):
        yield case(picture(shape, filter_shape, kind + kind // 13))
    for s, n, m, part in ((3, 20, 5, SAME), (3, 40, 18, SAME), (2, 7, 29, FULL), (5, 1500, 40, VALID)):
        x, h = rng.standard_normal((s, n)), rng.standard_normal(m)
        y = np.stack([part_of(linear(row, h), part, [n], [m]) for row in x])
        yield "real_convolution", "convolve1d_all", {"S": s, "N": n, "M": m, "part": part}, [x, h], {}, y
    for part, (k, j) in zip(PARTS * 2, ((5, 4), (3, 3), (1, 2), (9, 8), (10, 7), (8, 10))):
        x, h = rng.standard_normal((3, 12, 10)), rng.standard_normal((k, j))
        y = np.stack([part_of(linear(plane, h), part, plane.shape, h.shape) for plane in x])
        yield "real_convolution", "convolve2d_all", {"S": 3, "M": 12, "N": 10, "K": k, "J": j, "part": part}, [x, h], {}, y


if __name__ == "__main__":
    sys.exit(check(cases()))
