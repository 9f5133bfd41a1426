"""Functions of the standard library against NumPy."""

import unittest

import numpy as np

import idc

RNG = np.random.default_rng(11)


def dense(a, b, c, periodic=False):
    n = len(b)
    m = np.diag(b) + np.diag(a[1:], -1) + np.diag(c[:-1], 1)
    if periodic:
        m[0, -1] += a[0]
        m[-1, 0] += c[-1]
    return m


class Functions(unittest.TestCase):
    def test_tridiagonal_systems(self):
        for n in (1, 2, 3, 8, 13, 64, 100):
            a, c, d = RNG.standard_normal((3, n))
            b = 4 + RNG.random(n)
            want = np.linalg.solve(dense(a, b, c), d)
            for pivoting in (True, False):
                np.testing.assert_allclose(idc.solve_tridiagonal(a, b, c, d, pivoting=pivoting), want, rtol=1e-9)
        a, b, c, d = RNG.standard_normal((4, 33))
        b[::3] = 0  # elimination in order divides by zero
        np.testing.assert_allclose(idc.solve_tridiagonal(a, b, c, d), np.linalg.solve(dense(a, b, c), d), rtol=1e-7)

    def test_periodic_systems_and_batches(self):
        a, c, d = RNG.standard_normal((3, 5, 20))
        b = 4 + RNG.random((5, 20))
        got = idc.solve_tridiagonal(a, b, c, d, periodic=True)
        for k in range(5):
            np.testing.assert_allclose(got[k], np.linalg.solve(dense(a[k], b[k], c[k], True), d[k]), rtol=1e-9)
        shared = idc.solve_tridiagonal(a[0], b[0], c[0], d)  # one matrix, five right sides
        np.testing.assert_allclose(shared, np.linalg.solve(dense(a[0], b[0], c[0]), d.T).T, rtol=1e-9)
        self.assertEqual(idc.solve_tridiagonal(*(v.astype("f") for v in (a, b, c, d))).dtype, np.float32)
        with self.assertRaises(ValueError):
            idc.solve_tridiagonal(a, b, c, d, periodic=True, pivoting=False)
        with self.assertRaises(idc.Error):
            idc.solve_tridiagonal(a, b[:, :5], c, d)

    def test_cumsum(self):
        for n in (1, 2, 5, 64, 100):
            x = RNG.standard_normal((3, n))
            for axis in (None, 0, 1, -1):
                np.testing.assert_allclose(idc.cumsum(x, axis), np.cumsum(x, axis), atol=1e-12)
        for char in "?bhilBHILf":
            x = RNG.integers(0, 2, (2, 9)).astype(char)
            got = idc.cumsum(x, 1)
            self.assertEqual(got.dtype, np.cumsum(x, 1).dtype)
            np.testing.assert_array_equal(got, np.cumsum(x, 1))
        np.testing.assert_array_equal(idc.cumsum(np.arange(5), exclusive=True), [0, 0, 1, 3, 6])
        self.assertEqual(idc.cumsum(np.zeros((2, 0)), 1).shape, (2, 0))

    def test_sort(self):
        for char in "bhilBHILfd":
            for n in (1, 2, 7, 32, 50):
                x = (RNG.standard_normal((3, n)) * 50).astype(char)
                np.testing.assert_array_equal(idc.sort(x), np.sort(x))
                np.testing.assert_array_equal(idc.sort(x, 0), np.sort(x, 0))
                np.testing.assert_array_equal(idc.sort(x, descending=True), np.sort(x)[:, ::-1])

    def test_convolutions(self):
        for n, m in ((1, 1), (5, 3), (40, 7), (300, 100)):
            x, h = RNG.standard_normal(n), RNG.standard_normal(m)
            for mode in ("full", "valid"):
                np.testing.assert_allclose(idc.convolve(x, h, mode), np.convolve(x, h, mode), atol=1e-10)
                np.testing.assert_allclose(idc.correlate(x, h, mode), np.correlate(x, h, mode), atol=1e-10)
            np.testing.assert_allclose(idc.convolve(x, h, "same"), np.convolve(x, h)[(m - 1) // 2 :][:n], atol=1e-10)
        with self.assertRaises(ValueError):
            idc.convolve(x, h, "other")

    def test_hadamard(self):
        h = np.array([[1]])
        for n in range(5):
            x = RNG.standard_normal((2, 2**n))
            np.testing.assert_allclose(idc.hadamard(x), x @ h.T, atol=1e-12)
            h = np.block([[h, h], [h, -h]])
        with self.assertRaisesRegex(idc.Error, "no array of length 3 is a 2\^n"):
            idc.hadamard(np.zeros(3))


if __name__ == "__main__":
    unittest.main()
