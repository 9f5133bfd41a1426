"""Runs programs of the standard library on one target against NumPy.

    library-programs.py STDLIB TARGET
"""

import os
import subprocess
import sys
import tempfile

import numpy as np

rng = np.random.default_rng(20261123)


def reals(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def complexes(*shape):
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(np.complex64)


def integers(*shape, low=-1000, high=1000):
    return rng.integers(low, high, shape, dtype=np.int32)


def shifted(x, by):
    y = np.zeros_like(x)
    if abs(by) < len(x):
        y[max(by, 0):len(x) + min(by, 0)] = x[max(-by, 0):len(x) - max(by, 0)]
    return y


def daubechies(x):
    h = np.array([1 + 3**0.5, 3 + 3**0.5, 3 - 3**0.5, 1 - 3**0.5]) / (4 * 2**0.5)
    g = np.array([h[3], -h[2], h[1], -h[0]])
    x = np.asarray(x, np.float64)
    if len(x) <= 2:
        return x
    taps = np.stack([np.roll(x, -k)[::2] for k in range(4)])
    return np.concatenate([daubechies(h @ taps), g @ taps])


def resampled(x, length):
    spectrum, y, least = np.fft.fft(x), np.zeros(length, complex), min(len(x), length)
    for k in range(-(least // 2), least // 2 + 1):
        weight = 1 if 2 * abs(k) < least or length < len(x) else 0.5
        if 2 * abs(k) <= least:
            y[k % length] += weight * spectrum[k % len(x)]
    return np.fft.ifft(y) * length / len(x)


def cosines(kind, n):
    """FFTW's cosine transform of a kind, as a matrix whose rows belong to results."""
    k, j = np.arange(n)[:, None], np.arange(n)[None, :]
    if kind == 1:
        weights = np.where(j % (n - 1) == 0, 1, 2)
        return weights * np.cos(np.pi * j * k / (n - 1))
    if kind == 3:
        return np.where(j == 0, 1, 2) * np.cos(np.pi * j * (2 * k + 1) / (2 * n))
    return 2 * np.cos(np.pi * (2 * j + 1) * (k if kind == 2 else k + 0.5) / (2 * n))


def sines(kind, n):
    k, j = np.arange(n)[:, None], np.arange(n)[None, :]
    if kind == 1:
        return 2 * np.sin(np.pi * (j + 1) * (k + 1) / (n + 1))
    if kind == 3:
        return np.where(j == n - 1, 1, 2) * np.sin(np.pi * (j + 1) * (2 * k + 1) / (2 * n))
    return 2 * np.sin(np.pi * (2 * j + 1) * (k + 1 if kind == 2 else k + 0.5) / (2 * n))


def orthonormal(matrix):
    """The orthogonal matrix whose rows and columns are multiples of these: ends have other weights than what is between."""
    for _ in range(100):
        matrix = matrix / np.linalg.norm(matrix, axis=0)
        matrix = matrix / np.linalg.norm(matrix, axis=1)[:, None]
    assert np.allclose(matrix @ matrix.T, np.eye(len(matrix)))
    return matrix


def residues(length, prime):
    return rng.integers(0, prime, length, dtype=np.uint32)


def number_theoretic(x, prime, root):
    """The transform by a generator `root` of the prime's field."""
    powers = [pow(root, (prime - 1) // len(x) * k, prime) for k in range(len(x))]
    sums = [sum(int(a) * powers[j * k % len(x)] for j, a in enumerate(x)) % prime for k in range(len(x))]
    return np.array(sums, np.uint32)


def cyclic(x, w):
    return np.array([sum(int(x[j]) * int(w[k - j]) for j in range(len(x))) for k in range(len(x))], object)


def zeta(x):
    return np.array([sum(x[r] for r in range(len(x)) if r & s == r) for s in range(len(x))])


def subsets(x, w):
    return np.array([sum(x[r] * w[s ^ r] for r in range(len(x)) if r & s == r) for s in range(len(x))])


def unions(x, w):
    y = np.zeros_like(x)
    for a in range(len(x)):
        for b in range(len(x)):
            y[a | b] += x[a] * w[b]
    return y


def spectrogram(x, width, hop):
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(width) / width)
    starts = range(0, len(x) - width + 1, hop)
    return np.stack([np.fft.fft(x[s:s + width] * window) for s in starts])


def neighbours(x):
    padded = np.pad(x, 1)
    return padded[1:-1, :-2] + padded[1:-1, 2:] + padded[:-2, 1:-1] + padded[2:, 1:-1] - 4 * x


def most_likely(x, way, first):
    score, sources = first + x[0], []
    for row in x[1:]:
        sources.append(np.argmax(score[:, None] + way, axis=0))
        score = np.max(score[:, None] + way, axis=0) + row
    path = [np.argmax(score)]
    for source in reversed(sources):
        path.append(source[path[-1]])
    return np.array(path[::-1])


def banded(diagonals, width):
    """The matrix with `diagonals[k][i]` at row i, column i + k - width, where there is such a column."""
    n = len(diagonals[0])
    matrix = np.zeros((n, n))
    for k, diagonal in enumerate(diagonals):
        for i in range(n):
            if 0 <= i + k - width < n:
                matrix[i, i + k - width] = diagonal[i]
    return matrix


def block_tridiagonal(blocks):
    n = len(blocks[0])
    matrix = np.zeros((2 * n, 2 * n))
    for k, block in enumerate(blocks):
        for i in range(n):
            j = i + k - 1
            if 0 <= j < n:
                matrix[2 * i:2 * i + 2, 2 * j:2 * j + 2] = block[i]
    return matrix


# (file, entry, settings, inputs, what the inputs should give)
def cases():
    for n in (1, 2, 12, 97, 1024):
        x = reals(n)
        for by in (0, 1, -3, n, 5000):
            yield "moves", "rotate", f"N={n} by={by} T=f32", [x], [np.roll(x, by)]
            yield "moves", "shift", f"N={n} by={by} T=f32", [x], [shifted(x, by)]
        yield "moves", "mirror", f"N={n} T=f32", [x], [x[::-1]]
        yield "moves", "negative", f"N={n} T=f32", [x], [np.roll(x[::-1], 1)]
        yield "moves", "first", f"N={n} T=f32", [x], [x[:1]]
        yield "moves", "last", f"N={n} T=f32", [x], [x[-1:]]
        y = reals(2 * n + 1)
        yield "moves", "concatenate", f"N={n} M={2 * n + 1} T=f32", [x, y], [np.concatenate([x, y])]
        yield "stencil", "stencil3", f"N={n} T=f32", [x], [shifted(x, 1) - 2 * x + shifted(x, -1)]
    x = integers(100)
    yield "moves", "slice", "N=100 M=30 first=5 step=3 T=i32", [x], [x[5:95:3]]
    yield "moves", "windows", "N=100 width=7 step=4 T=i32", [x], [np.stack([x[s:s + 7] for s in range(0, 94, 4)])]
    for m, n in ((1, 1), (5, 8), (16, 16), (30, 7)):
        x = reals(m, n)
        yield "stencil", "stencil5", f"M={m} N={n} T=f32", [x], [neighbours(x)]
    for n in (0, 1, 2, 5, 8):
        x = reals(2**n)
        yield "daubechies", "daubechies4", f"n={n}", [x], [daubechies(x)]
        yield "daubechies", "idaubechies4", f"n={n}", [daubechies(x).astype(np.float32)], [x]
        x, w = integers(2**n), integers(2**n)
        if n <= 5:
            yield "subset", "zeta", f"n={n} T=i32", [x], [zeta(x)]
            yield "subset", "moebius", f"n={n} T=i32", [zeta(x).astype(np.int32)], [x]
            yield "subset", "union_convolution", f"n={n} T=i32", [x, w], [unions(x, w)]
            yield "subset", "subset_convolution", f"n={n} T=i32", [x, w], [subsets(x, w)]
    for n in (0, 1, 3):
        x, y = integers(2**n, 2**n), integers(2**n, 2**n)
        yield "matrix", "matrix_product", f"n={n} T=i32", [x, y], [x @ y]
        yield "matrix", "strassen", f"n={n} T=i32", [x, y], [x @ y]
    for length, f, hop in ((64, 4, 8), (100, 5, 10), (37, 5, 1)):
        x = complexes(length)
        yield "frames", "stft", f"N={length} f={f} hop={hop}", [x], [spectrogram(x, 2**f, hop)]
    for length, taps, b in ((50, 5, 4), (1, 1, 1), (200, 17, 6)):
        x, w = complexes(length), complexes(taps)
        yield "frames", "overlap_save", f"N={length} M={taps} b={b}", [x, w], [np.convolve(x, w)]
    for n in (2, 3, 8, 30):
        x = reals(n)
        for kind in (1, 2, 3, 4):
            for name, matrix in (("dct", cosines(kind, n)), ("dst", sines(kind, n))):
                yield "real", f"{name}{kind}", f"N={n} orthonormal=true", [x], [orthonormal(matrix) @ x]
    for n in (2, 37, 101):
        x = complexes(n)
        yield "lengths", "rader", f"P={n}", [x], [np.fft.fft(x)]
    for n in (1, 2, 12, 37, 74, 83, 202, 289, 1369):
        x, w = complexes(n), complexes(n)
        yield "lengths", "bluestein", f"N={n} sign=-1 by={n}", [x], [np.fft.ifft(x)]
        yield "lengths", "prime_factor", f"N={n}", [x], [np.fft.fft(x)]
        yield "lengths", "transform_any", f"N={n} T=complex<f64>", [x.astype(np.complex128)], [np.fft.fft(x)]
        yield "lengths", "transform_any", f"N={n} form=1 sign=-1 by={n}", [x], [np.fft.ifft(x)]
        yield "lengths", "cyclic_convolution_any", f"N={n}", [x, w], [np.fft.ifft(np.fft.fft(x) * np.fft.fft(w))]
    for n, m, order, first, step in ((1, 1, 1, 0, 1), (10, 7, 37, 3, 2), (33, 100, 1000, -50, 1)):
        x = complexes(n)
        turns = np.outer(first + step * np.arange(m), np.arange(n)) / order
        settings = f"N={n} M={m} order={order} first={first} step={step}"
        yield "lengths", "chirp", settings, [x], [np.exp(-2j * np.pi * turns) @ x]
    for n, up, down in ((1, 3, 1), (12, 3, 2), (12, 1, 3), (7, 5, 1), (37, 2, 1), (48, 1, 1), (30, 7, 10)):
        x = complexes(n)
        yield "convolution", "resample", f"N={n} up={up} down={down}", [x], [resampled(x, n * up // down)]
    # Rader's form (37 in mod<6661>), Bluestein's (in mod<9473>), the definition (in mod<593>), small factors.
    for prime, root, n in ((97, 5, 1), (97, 5, 96), (998244353, 3, 119), (6661, 6, 74), (9473, 3, 37), (593, 3, 37)):
        x, w = residues(n, prime), residues(n, prime)
        y = number_theoretic(x, prime, root)
        yield "ntt", "ntt_any", f"N={n} Q={prime}", [x], [y]
        yield "ntt", "intt_any", f"N={n} Q={prime}", [y], [x]
    for n in (1, 7, 37, 100):
        x, w = residues(n, 998244353), residues(n, 998244353)
        yield "ntt", "cyclic_convolution_mod", f"N={n}", [x, w], [(cyclic(x, w) % 998244353).astype(np.uint32)]
    for n in (0, 1, 4, 9):
        x = integers(2**n)
        yield "reduce", "reduce", f"n={n} T=i32 op=max", [x], [x.max()]
        yield "reduce", "reduce", f"n={n} T=i32 op=add", [x], [x.sum()]
        yield "scan", "scan", f"n={n} T=i32 op=plus neutral=nothing", [x], [np.cumsum(x)]
        yield "scan", "scan_before", f"n={n} T=i32 op=plus neutral=nothing", [x], [np.cumsum(x) - x]
        y = complexes(2**n)
        yield "fft", "stockham", f"n={n} T=f32 sign=1", [y], [np.fft.ifft(y) * 2**n]
        ranks = np.array([bin(s).count("1") for s in range(2**n)])
        most = 1 << n.bit_length()
        yield "subset", "ranked", f"n={n} T=i32", [x], [np.stack([np.where(ranks == r, x, 0) for r in range(most)])]
    for n in (0, 3, 6):
        x = integers(2**n)
        for descending in ("true", "false"):
            ordered = np.sort(x)[::-1] if descending == "true" else np.sort(x)
            settings = f"n={n} T=i32 exchange=compare_exchange descending={descending}"
            yield "sort", "bitonic_network", settings, [x], [ordered]
        yield "sort", "sort_by", f"n={n} T=i32", [x], [np.sort(x)]
        yield "sort", "odd_even_sort", f"n={n} T=i32", [x], [np.sort(x)]
        keys, values = rng.permutation(2**n).astype(np.int32), integers(2**n)
        for entry in ("sort_by_key", "odd_even_sort_by_key"):
            yield "sort", entry, f"n={n} K=i32 V=i32", [keys, values], [np.sort(keys), values[np.argsort(keys)]]
        for k in range(n + 1):
            yield "sort", "top_k", f"n={n} k={k} T=i32", [x], [np.sort(x)[::-1][:2**k]]


    for n, m in ((0, 0), (4, 2), (3, 5), (8, 3), (10, 1)):
        x = integers(2**n, low=-2, high=2**m + 2)
        inside = x[(x >= 0) & (x < 2**m)]
        counts = np.bincount(inside, minlength=2**m)
        below = np.array([np.sum((x >= 0) & (x <= b)) for b in range(2**m)])
        yield "histogram", "histogram", f"n={n} m={m}", [x], [counts]
        yield "histogram", "cumulative_histogram", f"n={n} m={m}", [x], [below]
    for times, states in ((1, 3), (2, 1), (7, 4), (20, 6), (40, 2)):
        x, way, first = reals(times, states), reals(states, states), reals(states)
        yield "viterbi", "viterbi", f"N={times} S={states}", [x, way, first], [most_likely(x, way, first)]
    for n in (0, 1, 2, 5, 9):
        a, b, c = (rng.standard_normal((2**n, 2, 2)) for _ in range(3))
        b += 6 * np.eye(2)
        d = rng.standard_normal((2**n, 2))
        solution = np.linalg.solve(block_tridiagonal([a, b, c]), d.reshape(-1))
        yield "block_tridiagonal", "block_tridiagonal", f"n={n}", [a, b, c, d], [solution]
        if n:
            diagonals = [rng.standard_normal(2**n) for _ in range(5)]
            diagonals[2] += 8
            f = rng.standard_normal(2**n)
            solution = np.linalg.solve(banded(diagonals, 2), f)
            yield "block_tridiagonal", "pentadiagonal", f"n={n}", [*diagonals, f], [solution]


def main():
    stdlib, target = sys.argv[1:]
    folder, failed, count = tempfile.mkdtemp(), 0, 0
    for file, entry, settings, inputs, expected in cases():
        count += 1
        command = ["idc", "run", os.path.join(stdlib, file + ".id"), "--entry", entry, "--target", target]
        command += [word for setting in settings.split() for word in ("--set", setting)]
        for i, array in enumerate(inputs):
            np.save(f"{folder}/x{i}.npy", array.reshape(1, -1))
            command += ["--input", f"{folder}/x{i}.npy"]
        for i in range(len(expected)):
            command += ["--output", f"{folder}/y{i}.npy"]
        run = subprocess.run(command, capture_output=True, text=True)
        problem = run.stdout + run.stderr if run.returncode else ""
        for i, array in enumerate(expected if not problem else []):
            result = np.load(f"{folder}/y{i}.npy").reshape(-1)
            if result.dtype == np.uint32 and not np.array_equal(result, np.reshape(array, -1)):
                problem = f"result {i} is wrong\n"
            difference = np.abs(result - np.reshape(array, -1)).max(initial=0)
            if not difference <= 1e-5 * max(1, np.abs(array).max(initial=0)):
                problem = f"result {i} differs by {difference}\n"
        if problem:
            failed += 1
            print(" ".join(command), problem, sep="\n")
    print(f"{count - failed} programs right on {target}, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
