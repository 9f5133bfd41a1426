"""Poisson's and Helmholtz' equations by the standard library on one target, against LAPACK (numpy.linalg) and exact solutions.

    solvers.py STDLIB TARGET [EVERY]

runs one of every so many cases.
"""

import itertools
import os
import subprocess
import sys
import tempfile

import numpy as np

rng = np.random.default_rng(20261125)
PERIODIC, DIRICHLET, NEUMANN, DIRICHLET_NEUMANN, NEUMANN_DIRICHLET = ENDS = range(5)
folder = tempfile.mkdtemp()


def run(stdlib, target, file, entry, settings, inputs, scalars, second=2):
    """The result, in f64, or None, and the command with what it printed. It runs a batch of two, the second with twice the first
    input, the result of which is to be `second` times the first."""
    command = ["idc", "run", os.path.join(stdlib, file + ".id"), "--entry", entry, "--target", target, "--set", "T=f64"]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    for i, array in enumerate(inputs):
        twice = np.stack([array, array * (2 if i == 0 else 1)])
        np.save(f"{folder}/x{i}.npy", twice.reshape(2, -1).astype(np.float64))
        command += ["--input", f"{folder}/x{i}.npy"]
    for name, value in scalars.items():
        command += ["--scalar", f"{name}={value!r}"]
    before = [open(f"{folder}/x{i}.npy", "rb").read() for i in range(len(inputs))]
    result = subprocess.run(command + ["--batch", "2", "--output", f"{folder}/y.npy"], capture_output=True, text=True)
    if result.returncode:
        return None, " ".join(command) + "\n" + result.stdout + result.stderr
    if before != [open(f"{folder}/x{i}.npy", "rb").read() for i in range(len(inputs))]:
        return None, " ".join(command) + "\nan input was changed"
    y = np.load(f"{folder}/y.npy")
    if not np.allclose(y[1], second * y[0], rtol=1e-9, atol=1e-9 * np.abs(y).max()):
        return None, " ".join(command) + "\nthe second problem of the batch differs from the first"
    return y[0], " ".join(command)


def second_differences(ends, n, h, at_points):
    """Minus the second derivative along one axis, a matrix made from what stands beside the first and last unknown."""
    a = np.zeros((n, n))
    first_value = ends in (DIRICHLET, DIRICHLET_NEUMANN)
    last_value = ends in (DIRICHLET, NEUMANN_DIRICHLET)
    for j in range(n):
        a[j, j] += 2
        for k in (j - 1, j + 1):
            if 0 <= k < n:
                a[j, k] -= 1
            elif ends == PERIODIC:
                a[j, k % n] -= 1
            elif first_value if k < 0 else last_value:
                a[j, j] += 0 if at_points else 1  # the value at the end, or the mean of both is
            elif at_points:
                if 0 <= 2 * j - k < n:  # mirrored at the unknown itself: else the other end, where u = 0
                    a[j, 2 * j - k] -= 1
            else:
                a[j, j] -= 1  # mirrored between both
    return a / h**2


def assembled(matrices):
    """The sum of Kronecker products of one matrix and identities."""
    sizes = [len(m) for m in matrices]
    total = np.zeros((np.prod(sizes),) * 2)
    for i, m in enumerate(matrices):
        total += np.kron(np.kron(np.eye(int(np.prod(sizes[:i]))), m), np.eye(int(np.prod(sizes[i + 1:]))))
    return total


def means(ends, n, at_points):
    """The weights of the mean along an axis."""
    w = np.ones(n)
    if ends == NEUMANN and at_points:
        w[[0, -1]] = 0.5
    return w / w.sum()


def solved(matrix, f, weights=None):
    """By LAPACK; with weights a singular system, of f less its mean, whose solution has the mean 0."""
    if weights is None:
        return np.linalg.solve(matrix, f)
    n = len(f)
    bordered = np.block([[matrix, np.ones((n, 1))], [weights.reshape(1, n), np.zeros((1, 1))]])
    return np.linalg.solve(bordered, np.append(f - weights @ f, 0))[:n]


def boxes():
    """Ends along the axes, numbers of unknowns, at points: all mixes at odd and even sizes."""
    planes = [(4, 3), (5, 6), (2, 9), (7, 2)]
    for i, (ends, at_points) in enumerate(itertools.product(itertools.product(ENDS, repeat=2), (False, True))):
        yield ends, planes[(i // 2 + i % 2) % 4], at_points
        yield ends, (1, 8) if not (at_points and ends[0] == NEUMANN) else (2, 8), at_points
    # Every pair of ends at every pair of axes of a box.
    for a, b in itertools.product(ENDS, repeat=2):
        yield (a, b, (a + b) % 5), ((3, 2, 5), (4, 5, 2))[(a + b) % 2], (a + 2 * b) % 3 == 0


def poisson():
    names, sizes = "zyx", "LMN"
    for ends, shape, at_points in boxes():
        d = len(shape)
        h = rng.uniform(0.2, 2, d)
        f = rng.standard_normal(shape)
        settings = dict(zip(sizes[3 - d:], shape)) | {f"along_{a}": e for a, e in zip(names[3 - d:], ends)}
        settings["at_points"] = "true" if at_points else "false"
        scalars = {"h" + a: float(x) for a, x in zip(names[3 - d:], h)}
        matrix = assembled([second_differences(e, n, x, at_points) for e, n, x in zip(ends, shape, h)])
        weights = None
        if all(e in (PERIODIC, NEUMANN) for e in ends):
            weights = np.ones(1)
            for e, n in zip(ends, shape):
                weights = np.kron(weights, means(e, n, at_points))
        yield "poisson", f"poisson{d}d", settings, [f], scalars, solved(matrix, f.reshape(-1), weights)


def cases():
    yield from poisson()


def check(cases, limit=1e-11, second=2):
    """Runs cases (file, entry, settings, inputs, scalars, expected) as the command line says; returns the exit status."""
    stdlib, target = sys.argv[1:3]
    every = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    failed = count = worst = 0
    for file, entry, settings, inputs, scalars, expected in itertools.islice(cases, 0, None, every):
        count += 1
        y, text = run(stdlib, target, file, entry, settings, inputs, scalars, second)
        expected = np.reshape(expected, -1)
        error = np.inf
        if y is not None and y.shape == expected.shape:
            error = np.abs(y - expected).max() / max(np.abs(expected).max(), 1e-300)
        worst = max(worst, error)
        if not error <= limit:
            failed += 1
            print(text, f"differs by {error}", sep="\n")
    print(f"{count - failed} of {count} right on {target}, the largest error {worst:.1e}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(check(cases()))
