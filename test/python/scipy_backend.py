"""scipy.fft with idc as its backend: the results are idc's, and SciPy's own for what idc has not."""

import unittest
from unittest import mock

import numpy as np
import scipy.fft

import idc
import idc.fft

RNG = np.random.default_rng(3)


class Backend(unittest.TestCase):
    def test_functions_are_called(self):
        x = RNG.standard_normal((4, 6))
        for backend in (idc, idc.fft):
            for name in idc.fft.__all__:
                if "freq" in name or "shift" in name:
                    continue
                want = getattr(scipy.fft, name)(x)
                with mock.patch.object(idc.fft, name, wraps=getattr(idc.fft, name)) as called:
                    with scipy.fft.set_backend(backend, only=True):
                        got = getattr(scipy.fft, name)(x)
                called.assert_called_once()
                np.testing.assert_allclose(got, want, atol=1e-12, err_msg=name)

    def test_arguments(self):
        x = RNG.standard_normal((4, 6))
        want = scipy.fft.rfft(x, 9, 0, "ortho"), scipy.fft.dctn(x, 3, (3, 4), norm="forward", workers=2)
        with scipy.fft.set_backend(idc, only=True):
            got = scipy.fft.rfft(x, 9, 0, "ortho"), scipy.fft.dctn(x, 3, (3, 4), norm="forward", workers=2)
        for a, b in zip(got, want):
            np.testing.assert_allclose(a, b, atol=1e-12)

    def test_others_are_left_to_scipy(self):
        x = RNG.standard_normal((4, 6)) + 0j
        with scipy.fft.set_backend(idc):
            np.testing.assert_allclose(scipy.fft.hfft2(x), scipy.fft.hfft2(x.copy()))
            self.assertIs(idc.fft.__ua_function__(scipy.fft.hfft2, (x,), {}), NotImplemented)


if __name__ == "__main__":
    unittest.main()
