"""Every function of numpy.fft with every argument, on random shapes, axes, lengths and types, against NumPy's in double."""

import itertools
import unittest

import numpy as np

import idc
import idc.fft

RNG = np.random.default_rng(20261125)
ERROR = {np.dtype("F"): 3e-6, np.dtype("f"): 3e-6, np.dtype("D"): 3e-14, np.dtype("d"): 3e-14}
SINGLE = {"e", "f", "F"}
ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
REAL_INPUT = {"rfft", "ihfft", "rfftn", "rfft2"}
REAL_OUTPUT = {"irfft", "hfft", "irfftn", "irfft2"}


def random(shape, char):
    if char in "FD":
        return (RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)).astype(char)
    if char in "?bhilBHIL":
        return RNG.integers(0, 2 if char == "?" else 100, shape).astype(char)
    return RNG.standard_normal(shape).astype(char)


class AgainstNumPy(unittest.TestCase):
    def compare(self, name, x, *arguments, **settings):
        x = np.asarray(x)
        own = getattr(idc.fft, name)(x, *arguments, **settings)
        wide = x.astype("D" if x.dtype.kind == "c" else "d")
        theirs = getattr(np.fft, name)(wide, *arguments, **settings)
        precision = "single" if x.dtype.char in SINGLE else "double"
        expected = {("single", True): "f", ("single", False): "F", ("double", True): "d", ("double", False): "D"}
        what = (name, x.dtype, x.shape, arguments, settings)
        self.assertEqual(own.dtype, np.dtype(expected[precision, name in REAL_OUTPUT]), what)
        self.assertEqual(own.shape, theirs.shape, what)
        if theirs.size:
            error = np.linalg.norm((own - theirs).ravel()) / max(np.linalg.norm(theirs.ravel()), 1e-30)
            self.assertLess(error, ERROR[own.dtype], what)
        return own

    def test_lengths_axes_and_norms(self):
        shapes = [(1,), (2,), (7,), (12, 5), (3, 4, 5), (2, 3, 1, 4)]
        for name, shape in itertools.product(ONE, shapes):
            for axis in (-1, RNG.integers(-len(shape), len(shape))):
                for n in (None, 1, int(RNG.integers(2, 20))):
                    if n is None and name in ("irfft", "hfft") and shape[axis] == 1:
                        continue
                    norm = RNG.choice(["backward", "ortho", "forward"])
                    self.compare(name, random(shape, "d" if name in REAL_INPUT else "D"), n, int(axis), str(norm))
                    self.compare(name, random(shape, "d"), n=n, axis=int(axis))

    def test_every_length(self):
        for n in [*range(1, 40), 61, 64, 97, 100, 127, 360, 1000, 1024, 1009]:
            self.compare("fft", random((2, n), "D"))
            self.compare("rfft", random((2, n), "d"))
            self.compare("irfft", random((2, n // 2 + 1), "D"), n)

    def test_types(self):
        for char in "?bhilBHILefdFD":
            for name in ("fft", "ifft", "irfft", "hfft"):
                self.compare(name, random((2, 6), char))
            if char not in "FD":
                self.compare("rfft", random((2, 6), char))
                self.compare("ihfft", random((2, 6), char))
        for name in ("rfft", "ihfft"):
            with self.assertRaises(TypeError):
                getattr(idc.fft, name)(random(4, "D"))
        with self.assertRaises(TypeError):
            idc.fft.fft(np.zeros(4, np.longdouble))
        with self.assertRaises(TypeError):
            idc.fft.fft(["a", "b"])

    def test_lists_and_other_byte_orders(self):
        np.testing.assert_allclose(idc.fft.fft([1, 2, 3]), np.fft.fft([1, 2, 3]), atol=1e-14)
        x = random((2, 6), "D")
        np.testing.assert_allclose(idc.fft.fft(x.astype(x.dtype.newbyteorder())), np.fft.fft(x), atol=1e-13)

    def test_several_axes(self):
        cases = [
            ((3, 4), None, None), ((4, 6), (2, 9), None), ((2, 3, 4), None, (0, 2)), ((2, 3, 4), (5, 6), (0, 1)),
            ((2, 3, 4), None, (2, 1)), ((2, 3, 4, 5), None, (-3, -2, -1)), ((3, 8), (3, 4), (1, 0)), ((4, 4, 8), None, None),
            ((2, 3, 4, 5), None, None), ((5,), None, None), ((6, 5), None, (1,)), ((128, 64), None, None),
        ]  # fmt: skip
        for name in ("fftn", "ifftn", "rfftn", "irfftn"):
            for shape, s, axes in cases:
                for norm in (None, "ortho", "forward"):
                    x = random(shape, "d" if name in REAL_INPUT else "D")
                    self.compare(name, x, s=s, axes=axes, norm=norm)
        for name in ("fft2", "ifft2", "rfft2", "irfft2"):
            for shape, s, axes in [((3, 4), None, (-2, -1)), ((2, 5, 6), (4, 8), (-2, -1)), ((4, 3, 5), None, (0, 2))]:
                self.compare(name, random(shape, "d" if name in REAL_INPUT else "D"), s, axes, "ortho")
        self.compare("fftn", random((3, 4), "F"))
        self.compare("rfft2", random((3, 4), "f"))
        self.assertEqual(idc.fft.fftn(random((3, 4), "D"), axes=()).shape, (3, 4))
        np.testing.assert_allclose(idc.fft.fftn(np.ones((3, 4)), s=[2, 2], axes=[0, 1]),
                                   np.fft.fftn(np.ones((3, 4)), s=[2, 2], axes=[0, 1]), atol=1e-14)  # fmt: skip

    def test_strided_arrays(self):
        base = random((6, 8, 10), "D")
        before = base.copy()
        views = [base[::2], base[:, ::3], base[..., ::2], base[1:, 2:, 1:], base.T, base.swapaxes(0, 1), base[::-1],
                 base[..., ::-1], np.asfortranarray(base), np.broadcast_to(base[0], (3, 8, 10)), base.real, base.imag[:, 1:]]
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", idc.CopyWarning)
            for view in views:
                for axis in range(3):
                    self.compare("fft", view, axis=axis)
                    self.compare("irfft", view, axis=axis)
                self.compare("fftn", view)
        np.testing.assert_array_equal(base, before)

    def test_repetitions_with_other_values(self):
        for name in ONE:
            for _ in range(3):
                self.compare(name, random((3, 9), "d" if name in REAL_INPUT else "D"))
        base = random(65, "F")
        for start in (0, 1, 0, 1, 3):  # another alignment
            self.compare("fft", base[start : start + 32])

    def test_read_only_arrays(self):
        x = random((4, 8), "D")
        x.flags.writeable = False
        self.compare("fft", x)
        self.compare("fft", x)

    def test_out(self):
        x = random((3, 4, 5), "D")
        for axis in range(3):
            out = np.zeros((3, 4, 5), "D")
            self.assertIs(idc.fft.fft(x, axis=axis, out=out), out)
            np.testing.assert_allclose(out, np.fft.fft(x, axis=axis), atol=1e-13)
        out = np.zeros((3, 4, 10), "D")[..., ::2]
        idc.fft.ifft(x, out=out)
        np.testing.assert_allclose(out, np.fft.ifft(x), atol=1e-13)
        y = x.copy()
        idc.fft.fft(y, out=y)
        np.testing.assert_allclose(y, np.fft.fft(x), atol=1e-13)
        out = np.zeros((3, 4, 5), "D")
        idc.fft.fftn(x, out=out)
        np.testing.assert_allclose(out, np.fft.fftn(x), atol=1e-13)
        with self.assertRaises((ValueError, idc.Error)):
            idc.fft.fft(x, out=np.zeros((3, 4, 6), "D"))
        with self.assertRaises((ValueError, idc.Error)):
            idc.fft.fft(x, out=np.zeros((3, 4, 5), "F"))
        read_only = np.zeros((3, 4, 5), "D")
        read_only.flags.writeable = False
        with self.assertRaises((ValueError, idc.Error)):
            idc.fft.fft(x, out=read_only)

    def test_empty_batches(self):
        for shape in ((0, 4), (2, 0, 4)):
            self.compare("fft", np.zeros(shape, "D"))
            self.compare("rfft", np.zeros(shape, "d"), axis=-1)
        self.compare("fft", np.zeros((4, 0), "D"), axis=0)

    def test_workers(self):
        x = random((64, 4096), "D")
        one = idc.fft.fft(x, workers=1)
        for workers in (2, -1, None):
            self.assertTrue((idc.fft.fft(x, workers=workers) == one).all())

    def test_wrong_arguments(self):
        x = random((3, 4), "D")
        for call in (lambda: idc.fft.fft(x, 0), lambda: idc.fft.fft(x, -1), lambda: idc.fft.fft(x, norm="other"),
                     lambda: idc.fft.fft(np.zeros((3, 0))), lambda: idc.fft.irfft(np.zeros(1)),
                     lambda: idc.fft.fftn(x, s=(1, 2, 3)), lambda: idc.fft.fftn(x, s=(2,), axes=(0, 1)),
                     lambda: idc.fft.rfftn(x.real, axes=()), lambda: idc.fft.fft(x, workers=0),
                     lambda: idc.fft.fft(x, workers=-100000)):  # fmt: skip
            with self.assertRaises(ValueError):
                call()
        with self.assertRaises(IndexError):  # NumPy's AxisError is one
            idc.fft.fft(x, axis=2)
        with self.assertRaises(TypeError):
            idc.fft.fft(x, 2.5)

    def test_frequencies_and_shifts(self):
        for n in (1, 4, 7):
            np.testing.assert_array_equal(idc.fft.fftfreq(n, 0.5), np.fft.fftfreq(n, 0.5))
            np.testing.assert_array_equal(idc.fft.rfftfreq(n, 0.5), np.fft.rfftfreq(n, 0.5))
            np.testing.assert_array_equal(idc.fft.ifftshift(idc.fft.fftshift(np.arange(n))), np.arange(n))


if __name__ == "__main__":
    unittest.main()
