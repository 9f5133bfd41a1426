"""Cosine and sine transforms of all types, norms and forms against their definitions as sums."""

import itertools
import unittest

import numpy as np

import idc.fft

RNG = np.random.default_rng(7)


def matrix(kind, n, sine):
    """The unscaled transform as a matrix."""
    k, j = np.arange(n)[:, None], np.arange(n)[None, :]
    if sine:
        return {
            1: lambda: 2 * np.sin(np.pi * (k + 1) * (j + 1) / (n + 1)),
            2: lambda: 2 * np.sin(np.pi * (k + 1) * (2 * j + 1) / (2 * n)),
            3: lambda: np.where(j == n - 1, (-1.0) ** k, 2 * np.sin(np.pi * (j + 1) * (2 * k + 1) / (2 * n))),
            4: lambda: 2 * np.sin(np.pi * (2 * k + 1) * (2 * j + 1) / (4 * n)),
        }[kind]()
    return {
        1: lambda: np.where(j == 0, 1.0, np.where(j == n - 1, (-1.0) ** k, 2 * np.cos(np.pi * j * k / max(n - 1, 1)))),
        2: lambda: 2 * np.cos(np.pi * k * (2 * j + 1) / (2 * n)),
        3: lambda: np.where(j == 0, 1.0, 2 * np.cos(np.pi * j * (2 * k + 1) / (2 * n))),
        4: lambda: 2 * np.cos(np.pi * (2 * k + 1) * (2 * j + 1) / (4 * n)),
    }[kind]()


def orthogonal(kind, n, sine):
    """The same with the elements scaled that make it a multiple of an orthogonal matrix."""
    m = matrix(kind, n, sine)
    special = n - 1 if sine else 0
    if kind == 2:
        m[special] /= np.sqrt(2)
    if kind == 3:
        m[:, special] *= np.sqrt(2)
    if kind == 1 and not sine:
        m[:, [0, n - 1]] *= np.sqrt(2)
        m[[0, n - 1]] /= np.sqrt(2)
    return m


def period(kind, n, sine):
    return 2 * (n + (0 if kind > 1 else 1 if sine else -1))


def expected(kind, n, sine, norm, orthogonalize, forward):
    if not forward:
        kind = {1: 1, 2: 3, 3: 2, 4: 4}[kind]
        norm = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}[norm]
    orthogonalize = norm == "ortho" if orthogonalize is None else orthogonalize
    m = (orthogonal if orthogonalize else matrix)(kind, n, sine)
    size = period(kind, n, sine)
    return m * {None: 1, "backward": 1, "ortho": size**-0.5, "forward": 1 / size}[norm]


class AgainstSums(unittest.TestCase):
    def test_orthogonal_forms_are_orthogonal(self):
        for kind, sine in itertools.product((1, 2, 3, 4), (False, True)):
            m = orthogonal(kind, 6, sine) / np.sqrt(period(kind, 6, sine))
            np.testing.assert_allclose(m @ m.T, np.eye(6), atol=1e-14)

    def test_all_arguments(self):
        for sine, forward, kind in itertools.product((False, True), (True, False), (1, 2, 3, 4)):
            function = getattr(idc.fft, ("" if forward else "i") + ("dst" if sine else "dct"))
            for norm, orthogonalize in itertools.product((None, "backward", "ortho", "forward"), (None, True, False)):
                for n in (2, 5, 8):
                    x = RNG.standard_normal((3, n))
                    result = function(x, kind, norm=norm, orthogonalize=orthogonalize)
                    self.assertEqual(result.dtype, np.float64)
                    m = expected(kind, n, sine, norm, orthogonalize, forward)
                    np.testing.assert_allclose(result, x @ m.T, atol=1e-12, err_msg=str((kind, sine, n, norm)))

    def test_lengths(self):
        for sine, kind in itertools.product((False, True), (1, 2, 3, 4)):
            for n in (1, 2, 3, 4, 6, 7, 12, 16, 31, 37, 64, 100, 101):
                if n == 1 and kind == 1 and not sine:
                    with self.assertRaises(ValueError):
                        idc.fft.dct([1.0], 1)
                    continue
                x = RNG.standard_normal(n)
                result = (idc.fft.dst if sine else idc.fft.dct)(x, kind)
                np.testing.assert_allclose(result, matrix(kind, n, sine) @ x, atol=1e-11, err_msg=str((kind, sine, n)))

    def test_axes_and_padding(self):
        x = RNG.standard_normal((3, 4, 5))
        for axis, n in [(0, None), (1, 7), (2, 3), (-2, 2)]:
            size = x.shape[axis] if n is None else n
            fitted = np.moveaxis(x, axis, -1)[..., :size]
            fitted = np.concatenate([fitted, np.zeros(fitted.shape[:-1] + (size - fitted.shape[-1],))], -1)
            want = np.moveaxis(fitted @ matrix(2, size, False).T, -1, axis)
            np.testing.assert_allclose(idc.fft.dct(x, n=n, axis=axis), want, atol=1e-12)

    def test_several_axes(self):
        x = RNG.standard_normal((3, 4, 5))
        for name, sine in (("dctn", False), ("dstn", True)):
            want = x
            for axis in (0, 2):
                want = np.moveaxis(np.moveaxis(want, axis, -1) @ matrix(2, x.shape[axis], sine).T, -1, axis)
            np.testing.assert_allclose(getattr(idc.fft, name)(x, axes=(0, 2)), want, atol=1e-12)
            for kind, norm in itertools.product((2, 3, 4), (None, "ortho", "forward")):
                there = getattr(idc.fft, name)(x, kind, norm=norm)
                back = getattr(idc.fft, "i" + name)(there, kind, norm=norm)
                np.testing.assert_allclose(back, x, atol=1e-12)
        self.assertEqual(idc.fft.dctn(x, s=(2, 6), axes=(0, 1)).shape, (2, 6, 5))

    def test_types(self):
        x = RNG.integers(0, 9, (2, 6))
        np.testing.assert_allclose(idc.fft.dct(x), x @ matrix(2, 6, False).T, atol=1e-12)
        for char, result in (("e", "f"), ("f", "f"), ("d", "d"), ("F", "F"), ("D", "D")):
            self.assertEqual(idc.fft.dct(x.astype(char)).dtype, np.dtype(result))
        z = x + 1j * x[::-1]
        np.testing.assert_allclose(idc.fft.dst(z, 3), z @ matrix(3, 6, True).T, atol=1e-12)
        out = np.zeros((2, 6))
        self.assertIs(idc.fft.dct(x, out=out), out)
        np.testing.assert_allclose(out, x @ matrix(2, 6, False).T, atol=1e-12)

    def test_wrong_arguments(self):
        for call in (lambda: idc.fft.dct([1.0, 2.0], 5), lambda: idc.fft.dct([1.0], n=0),
                     lambda: idc.fft.dst([1.0], norm="x")):  # fmt: skip
            with self.assertRaises(ValueError):
                call()


if __name__ == "__main__":
    unittest.main()
