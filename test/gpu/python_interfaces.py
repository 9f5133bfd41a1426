"""The transforms of PyTorch and CuPy, which call cuFFT, with libidc-cufft in its place, against NumPy.

    LD_PRELOAD=build/lib/libidc-cufft.so.0 python3 test/gpu/python_interfaces.py

Without LD_PRELOAD it is cuFFT that is compared.
"""

import itertools
import unittest

import cupy
import numpy as np
import torch


def shapes():
    for length in (1, 2, 7, 37, 100, 1000, 1009, 4096):
        yield (length,), None
        yield (3, length), (1,)
        yield (length, 3), (0,)
        yield (2, length, 5), (1,)
    for shape in ((9, 10), (64, 48), (5, 6, 7), (2, 16, 12, 10)):
        dimensions = len(shape)
        for count in range(1, min(dimensions, 3) + 1):
            for axes in itertools.combinations(range(dimensions), count):
                yield shape, axes


FORMS = ("fftn", "ifftn", "rfftn", "irfftn")


class Interfaces(unittest.TestCase):
    def compare(self, transform, reference, to_own, to_host):
        generator = np.random.default_rng(0)
        for (shape, axes), form, double in itertools.product(shapes(), FORMS, (False, True)):
            x = generator.standard_normal(shape)
            if form != "rfftn":
                x = x + 1j * generator.standard_normal(shape)
            last = (axes or (len(shape) - 1,))[-1]
            if form == "irfftn" and shape[last] < 2:
                continue
            if form == "irfftn":  # values of a real signal
                real = generator.standard_normal(shape[:last] + (2 * (shape[last] - 1),) + shape[last + 1 :])
                x = np.fft.rfftn(real, axes=axes)
            x = x.astype({"f": "f", "c": "F"}[x.dtype.kind]) if not double else x
            with self.subTest(shape=shape, axes=axes, form=form, double=double):
                got = to_host(transform(form, to_own(x), axes))
                want = reference(form, x, axes)
                self.assertEqual(got.shape, want.shape)
                self.assertEqual(got.dtype.itemsize, x.dtype.itemsize if got.dtype.kind == x.dtype.kind else
                                 x.dtype.itemsize * (2 if got.dtype.kind == "c" else 0.5))  # fmt: skip
                tolerance = 1e-13 if double else 2e-6
                self.assertLessEqual(np.linalg.norm((got - want).ravel()), tolerance * np.linalg.norm(want.ravel()))

    def test_torch(self):
        self.compare(
            lambda form, x, axes: getattr(torch.fft, form)(x, dim=axes),
            lambda form, x, axes: getattr(np.fft, form)(x, axes=axes),
            lambda x: torch.from_numpy(x).cuda(),
            lambda x: x.resolve_conj().cpu().numpy(),
        )

    def test_cupy(self):
        self.compare(
            lambda form, x, axes: getattr(cupy.fft, form)(x, axes=axes),
            lambda form, x, axes: getattr(np.fft, form)(x, axes=axes),
            cupy.asarray,
            cupy.asnumpy,
        )

    def test_gradients_and_streams_of_torch(self):
        x = torch.randn(4, 30, dtype=torch.complex128, device="cuda", requires_grad=True)
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            self.assertTrue(torch.autograd.gradcheck(torch.fft.fft, (x,)))
            self.assertTrue(torch.autograd.gradcheck(lambda z: torch.fft.irfft(torch.fft.rfft(z.real)), (x,)))


if __name__ == "__main__":
    libraries = sorted({line.split()[-1] for line in open("/proc/self/maps") if "cufft" in line})
    print(*libraries, sep="\n")
    unittest.main(verbosity=2)
