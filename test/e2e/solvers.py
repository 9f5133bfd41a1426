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
    result = subprocess.run(command + ["--batch", "2", "--output", f"{folder}/y.npy"], capture_output=True, text=True)
    if result.returncode:
        return None, " ".join(command) + "\n" + result.stdout + result.stderr
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
    for ends, shape, at_points in boxes():
        d = len(shape)
        h = rng.uniform(0.2, 2, d)
        f = rng.standard_normal(shape)
        scalars = {"h" + a: float(x) for a, x in zip("zyx"[3 - d:], h)}
        matrix = assembled([second_differences(e, n, x, at_points) for e, n, x in zip(ends, shape, h)])
        weights = None
        if all(e in (PERIODIC, NEUMANN) for e in ends):
            weights = np.ones(1)
            for e, n in zip(ends, shape):
                weights = np.kron(weights, means(e, n, at_points))
        yield "poisson", f"poisson{d}d", settings_of(shape, ends, at_points), [f], scalars, solved(matrix, f.reshape(-1), weights)


def settings_of(shape, ends, at_points, **more):
    """What --set says of a box; sizes and ends go from the slowest axis to x."""
    d = len(shape)
    settings = dict(zip("LMN"[3 - d:], shape)) | {f"along_{a}": e for a, e in zip("zyx"[3 - d:], ends) if e is not None}
    return settings | {"at_points": str(at_points).lower()} | more


def helmholtz():
    for i, (a, b) in enumerate(itertools.product(ENDS, repeat=2)):
        alpha, h, at_points = float(rng.uniform(0.2, 3)), rng.uniform(0.2, 2, 3), i % 2 == 0
        for ends, shape in (((a, b), (5, 6)), ((b, a, (a + 2 * b) % 5), (3, 2, 4))):
            if len(shape) == 3 and i % 3:
                continue
            f, d = rng.standard_normal(shape), len(shape)
            laplacian = assembled([second_differences(e, n, x, at_points) for e, n, x in zip(ends, shape, h)])
            scalars = {"alpha": alpha} | {"h" + a: float(x) for a, x in zip("zyx"[3 - d:], h)}
            u = np.linalg.solve(np.eye(f.size) + alpha**2 * laplacian, f.reshape(-1))
            yield "poisson", f"helmholtz_filter{d}d", settings_of(shape, ends, at_points), [f], scalars, u


def stretched(n):
    """Cells of different heights between two sides, no slope at the first, u = 0 at the last: three diagonals of a matrix that is
    diagonally dominant."""
    heights = rng.uniform(0.5, 2, n)
    between = np.append((heights[:-1] + heights[1:]) / 2, heights[-1] / 2)
    above = -1 / (heights * between)
    below = np.append(0, -1 / (heights[1:] * between[:-1]))
    return below, -below - above, np.append(above[:-1], 0)


def layered():
    for i, (a, b) in enumerate(itertools.product(ENDS, repeat=2)):
        at_points, h = i % 2 == 1, rng.uniform(0.2, 2, 2)
        for ends, shape in (((None, a), (5 + i % 4, 3 + i % 3)), ((None, a, b), (4 + i % 3, 3, 2))):
            if len(shape) == 2 and b:
                continue
            diagonals = stretched(shape[0])
            across = np.diag(diagonals[1]) + np.diag(diagonals[0][1:], -1) + np.diag(diagonals[2][:-1], 1)
            matrices = [second_differences(e, n, x, at_points) for e, n, x in zip(ends[1:], shape[1:], h)]
            f, d = rng.standard_normal(shape), len(shape)
            u = np.linalg.solve(assembled([across] + matrices), f.reshape(-1))
            scalars = {"h" + a: float(x) for a, x in zip("zyx"[4 - d:], h)}
            yield "poisson", f"layered{d}d", settings_of(shape, ends, at_points), [f, *diagonals], scalars, u
    # No slope at all sides: the mean of the first layer is 0.
    for shape in ((6, 5), (5, 3, 4)):
        d = len(shape)
        across = second_differences(NEUMANN, shape[0], 1, False)
        diagonals = np.append(0, np.diag(across, -1)), np.diag(across), np.append(np.diag(across, 1), 0)
        matrix = assembled([across] + [second_differences(NEUMANN, n, 1, False) for n in shape[1:]])
        f = rng.standard_normal(shape)
        f -= f.mean()
        first = np.repeat(np.arange(shape[0]) == 0, f.size // shape[0])
        u = np.linalg.lstsq(np.vstack([matrix, first]), np.append(f.reshape(-1), 0), rcond=None)[0]
        ends = (None,) + (NEUMANN,) * (d - 1)
        scalars = {"h" + a: 1.0 for a in "zyx"[4 - d:]}
        yield "poisson", f"layered{d}d", settings_of(shape, ends, False, pinned="true"), [f, *diagonals], scalars, u


def exact(ends, n, at_points):
    """A function on an axis of length 1 that fits the ends, minus its second derivative, the unknowns' places, their distance.
    Sums of few waves."""
    first = ends in (NEUMANN, NEUMANN_DIRICHLET)
    last = ends in (NEUMANN, DIRICHLET_NEUMANN)
    h = 1 / n
    x = (np.arange(n) + 0.5) * h
    if at_points and ends != PERIODIC:
        h = 1 / (n + 1 - first - last)
        x = (np.arange(n) + (0 if first else 1)) * h
    waves = [2 * np.pi, 4 * np.pi] if ends == PERIODIC else \
        [np.pi, 3 * np.pi] if ends in (DIRICHLET, NEUMANN) else [np.pi / 2, 5 * np.pi / 2]
    part = np.cos if first or ends == PERIODIC else np.sin
    u = sum(part(w * x) / (i + 1) for i, w in enumerate(waves))
    return u, sum(w * w * part(w * x) / (i + 1) for i, w in enumerate(waves)), h


def product(parts):
    """u and f of -Δu = f in a box, of the axes' functions and minus their second derivatives."""
    u = f = 0
    for i in range(len(parts)):
        term = np.ones(())
        for k, (value, derivative, _) in enumerate(parts):
            term = np.multiply.outer(term, derivative if i == k else value)
        f = f + term
    u = np.ones(())
    for value, _, _ in parts:
        u = np.multiply.outer(u, value)
    return u, f


def spectral():
    """With exact derivatives what few waves make up is solved exactly."""
    for i, (a, b) in enumerate(itertools.product(ENDS, repeat=2)):
        at_points = i % 2 == 0
        for ends, shape in (((a, b), (9, 12)), (((a + b) % 5, b, a), (8, 9, 10))):
            if len(shape) == 3 and i % 4:
                continue
            parts = [exact(e, n, at_points) for e, n in zip(ends, shape)]
            u, f = product(parts)
            scalars = {"h" + a: float(p[2]) for a, p in zip("zyx"[3 - len(shape):], parts)}
            yield "poisson", f"poisson{len(shape)}d", settings_of(shape, ends, at_points, spectral="true"), [f], scalars, u


def cases():
    yield from poisson()
    yield from helmholtz()
    yield from layered()
    yield from spectral()


def orders():
    """Of the error of differences, from 16 to 32 unknowns an axis."""
    failed = 0
    for ends, at_points in (((PERIODIC, DIRICHLET), False), ((NEUMANN, DIRICHLET_NEUMANN), False), ((DIRICHLET, NEUMANN), True),
                            ((NEUMANN_DIRICHLET, DIRICHLET_NEUMANN), True), ((DIRICHLET, NEUMANN, PERIODIC), False)):
        errors = []
        for n in (16, 32):
            parts = [exact(e, n, at_points) for e in ends]
            u, f = product(parts)
            scalars = {"h" + a: float(p[2]) for a, p in zip("zyx"[3 - len(ends):], parts)}
            y, text = run(*sys.argv[1:3], "poisson", f"poisson{len(ends)}d", settings_of(u.shape, ends, at_points), [f], scalars)
            errors.append((np.abs(y - u.reshape(-1)).max(), parts[0][2]) if y is not None else (np.nan, 1))
        order = np.log(errors[0][0] / errors[1][0]) / np.log(errors[0][1] / errors[1][1])
        if not 1.9 < order < 2.1:
            failed += 1
            print(text, f"converges with order {order}", sep="\n")
    return failed


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
    sys.exit(check(cases()) or orders())
