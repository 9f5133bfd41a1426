"""JAX's arrays on the CPU and the GPU: algorithms under jit, grad, vmap, on several sizes, against NumPy, JAX's own
transforms and their derivatives, and differences (jax.test_util.check_grads).

    IDC_LIBRARY=build/lib/libidc.so.0 PYTHONPATH=python python3 test/gpu/python_jax.py

with a python3 that has NumPy and JAX.
"""

import itertools
import os
import unittest

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax  # noqa: E402

jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import idc  # noqa: E402
import idc.jax  # noqa: E402
from python_layer import OWN  # noqa: E402

DEVICES = [jax.devices("cpu")[0]] + [d for d in jax.devices() if d.platform != "cpu"][:1]
FFT, REAL = idc.load("fft.id"), idc.load("real.id")


class Jax(unittest.TestCase):
    def each(self, check):
        for device in DEVICES:
            with self.subTest(device=device), jax.default_device(device):
                self.rng = np.random.default_rng(0)
                check(device)

    def complexes(self, *shape, dtype=np.complex128):
        return jnp.asarray((self.rng.standard_normal(shape) + 1j * self.rng.standard_normal(shape)).astype(dtype))

    def test_values(self):
        def check(device):
            f = idc.jax.function(FFT.fft_any)
            for shape, dtype in itertools.product(((8,), (3, 100), (2, 3, 37), (1 << 16,), (5, 4096)),
                                                  (np.complex64, np.complex128)):  # fmt: skip
                x = self.complexes(*shape, dtype=dtype)
                for run in (f, jax.jit(f), jax.jit(lambda x: f(2 * x) / 2)):
                    y = run(x)
                    self.assertEqual((y.dtype, y.devices()), (dtype, {device}))
                    want = np.fft.fft(np.asarray(x))
                    error = np.linalg.norm((np.asarray(y) - want).ravel()) / np.linalg.norm(want.ravel())
                    self.assertLess(error, 1e-6 if dtype == np.complex64 else 1e-14)

        self.each(check)

    def test_workspaces_in_a_chain(self):
        """Memory of one call is given to the next while its kernels run."""

        def check(device):
            scan = idc.jax.function(idc.load("scan.id").inclusive_scan)

            @jax.jit
            def chain(x):
                for _ in range(20):
                    x = scan(x) % 1000003
                return x

            x = jnp.asarray(self.rng.integers(0, 1000, (3, 1 << 18)))
            want = np.asarray(x)
            for _ in range(20):
                want = want.cumsum(-1) % 1000003
            np.testing.assert_array_equal(np.asarray(chain(x)), want)

        self.each(check)

    def test_vmap(self):
        def check(device):
            f = idc.jax.function(FFT.fft_any)
            x = self.complexes(5, 4, 12)
            want = np.fft.fft(np.asarray(x))
            np.testing.assert_allclose(jax.vmap(f)(x), want, atol=1e-12)
            np.testing.assert_allclose(jax.jit(jax.vmap(jax.vmap(f)))(x), want, atol=1e-12)
            np.testing.assert_allclose(jax.vmap(f, in_axes=2, out_axes=1)(x),
                                       np.fft.fft(np.asarray(x).transpose(2, 0, 1)).transpose(1, 0, 2), atol=1e-12)
            layer = idc.jax.function(OWN, scalars={"by": 0.5})
            a, w = jnp.asarray(self.rng.standard_normal((6, 8))), jnp.asarray(self.rng.standard_normal(8))
            np.testing.assert_allclose(jax.vmap(layer, in_axes=(0, None))(a, w), layer(a, w), atol=1e-12)
            rows = jax.jit(jax.vmap(jax.grad(lambda a, w: layer(a, w).sum()), in_axes=(0, None)))(a, w)
            np.testing.assert_allclose(rows, jax.grad(lambda a: layer(a, w).sum())(a), atol=1e-12)

        self.each(check)

    def test_gradients_against_jax(self):
        def check(device):
            own, theirs = idc.jax.function(FFT.fft_any), jnp.fft.fft
            x, w = self.complexes(3, 30), self.complexes(3, 30)
            loss = lambda f: lambda x: (jnp.abs(f(x) * w) ** 3).sum()
            np.testing.assert_allclose(jax.jit(jax.grad(loss(own)))(x), jax.grad(loss(theirs))(x), rtol=1e-10)
            real = jnp.asarray(self.rng.standard_normal((2, 10)))
            np.testing.assert_allclose(jax.grad(lambda x: jnp.abs(idc.jax.function(REAL.rfft)(x)).sum())(real),
                                       jax.grad(lambda x: jnp.abs(jnp.fft.rfft(x)).sum())(real), atol=1e-12)

        self.each(check)

    def test_gradients_against_differences(self):
        def check(device):
            layer = idc.jax.function(OWN, scalars={"by": 0.5})
            x, w = jnp.asarray(self.rng.standard_normal((2, 8))), jnp.asarray(self.rng.standard_normal(8))
            check_grads(jax.jit(layer), (x, w), order=2, modes=["rev"])

        self.each(check)

    def test_errors(self):
        def check(device):
            wrong = idc.compile("func f<T>(x: T) -> T { return x ^ x; }\n"
                                "algorithm g<T>(x: T[N]) -> T[N] { return x |> f; }")  # fmt: skip
            with self.assertRaisesRegex(Exception, r"\^"):
                jax.block_until_ready(idc.jax.function(wrong.g)(jnp.ones(4)))
            with self.assertRaisesRegex(idc.Error, "no array of length 3"):
                idc.jax.function(idc.load("hadamard.id").hadamard)(jnp.ones(3))

        self.each(check)


if __name__ == "__main__":
    print("JAX", jax.__version__, DEVICES)
    unittest.main()
