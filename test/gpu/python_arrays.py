"""The Python package on a GPU: arrays of PyTorch, CuPy and JAX against NumPy, streams, graphs, and what a call costs.

    IDC_LIBRARY=build/lib/libidc.so.0 PYTHONPATH=python python3 test/gpu/python_arrays.py

with a python3 that has NumPy, PyTorch and CuPy; JAX is tried when it is there.
"""

import importlib.util
import os
import time
import unittest

import cupy
import numpy as np
import torch

import idc
import idc.fft

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")


def host(array):
    if isinstance(array, torch.Tensor):
        return array.resolve_conj().cpu().numpy()
    return cupy.asnumpy(array)


class OnGpu(unittest.TestCase):
    def close(self, got, want, tolerance=5e-6):
        got = host(got)
        self.assertEqual(got.shape, want.shape)
        self.assertLessEqual(np.linalg.norm((got - want).ravel()), tolerance * np.linalg.norm(want.ravel()))

    def test_torch(self):
        for n in (16, 37, 1000, 4096, 2**18):
            x = torch.randn(5, n, dtype=torch.complex64, device="cuda")
            y = idc.fft.fft(x)
            self.assertEqual((y.dtype, y.device), (x.dtype, x.device))
            self.close(y, np.fft.fft(host(x)))
        x = torch.randn(3, 8, 12, dtype=torch.complex64, device="cuda")
        for axis in range(3):
            self.close(idc.fft.fft(x, axis=axis), np.fft.fft(host(x), axis=axis))
        self.close(idc.fft.fftn(x), np.fft.fftn(host(x)))
        for view in (x[:, ::2, ::3], x[0].T, x.reshape(-1)[1:33], x.conj()):
            self.close(idc.fft.fft(view), np.fft.fft(host(view)))
        y = x.clone()
        self.assertIs(idc.fft.fft(y, out=y), y)
        self.close(y, np.fft.fft(host(x)))
        r = torch.randn(4, 3000, dtype=torch.float64, device="cuda")
        self.close(idc.fft.rfft(r), np.fft.rfft(host(r)), 1e-13)
        self.close(idc.fft.dct(r, norm="ortho"), idc.fft.dct(host(r), norm="ortho"), 1e-13)
        self.close(idc.cumsum(r, 1), np.cumsum(host(r), 1), 1e-12)
        self.close(idc.sort(r), np.sort(host(r)), 0)

    def test_streams_and_graphs(self):
        x = torch.randn(64, 4096, dtype=torch.complex64, device="cuda")
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            y = idc.fft.fft(x * 2)
        stream.synchronize()
        self.close(y, np.fft.fft(2 * host(x)))
        static, graph = x.clone(), torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = idc.fft.fft(static)
        static.copy_(3 * x)
        graph.replay()
        torch.cuda.synchronize()
        self.close(y, np.fft.fft(3 * host(x)))

    def test_gradients_are_kept_or_not(self):
        x = torch.randn(16, dtype=torch.complex64, device="cuda", requires_grad=True)
        self.assertTrue(idc.fft.fft(x).requires_grad)
        with torch.no_grad():
            self.assertFalse(idc.fft.fft(x).requires_grad)

    def test_cupy(self):
        x = cupy.asarray(np.random.default_rng(0).standard_normal((3, 5, 64)) + 1j)
        for axis in range(3):
            self.close(idc.fft.fft(x, axis=axis), np.fft.fft(host(x), axis=axis), 1e-13)
        self.close(idc.fft.fft(x[::2, :, ::2]), np.fft.fft(host(x)[::2, :, ::2]), 1e-13)
        with cupy.cuda.Stream(non_blocking=True) as stream:
            y = idc.fft.rfft(x.real + 1)
        stream.synchronize()
        self.assertIsInstance(y, cupy.ndarray)
        self.close(y, np.fft.rfft(host(x.real) + 1), 1e-13)

    @unittest.skipUnless(importlib.util.find_spec("jax"), "JAX is not installed")
    def test_jax(self):
        import jax.numpy

        x = jax.numpy.asarray(np.random.default_rng(0).standard_normal((3, 64)).astype("f"))
        self.close(idc.fft.rfft(x), np.fft.rfft(np.asarray(x)))

    def test_cost_of_a_call(self):
        x = torch.randn(16, dtype=torch.complex64, device="cuda")
        for name, function in (("idc.fft.fft", idc.fft.fft), ("torch.fft.fft", torch.fft.fft)):
            function(x)
            best = float("inf")
            for _ in range(5):
                torch.cuda.synchronize()
                begin = time.perf_counter()
                for _ in range(200):
                    function(x)
                best = min(best, (time.perf_counter() - begin) / 200)
            print(f"{name} of 16 numbers: {best * 1e6:.1f} us a call until it is enqueued")


if __name__ == "__main__":
    unittest.main()
