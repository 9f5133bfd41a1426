"""JAX's arrays, with a stand-in for JAX and XLA: calls, batches, errors, what is kept for derivatives, JAX's convention."""

import unittest

import numpy as np

import stand_in_jax  # noqa: I001
import idc
import idc.jax

jax = stand_in_jax.jax


def vjp(function, *arguments):
    result = function(*arguments)
    own = stand_in_jax.CustomVjp.last
    _, kept = own.forward(*arguments)
    return result, kept, lambda gradients: own.backward(kept, gradients)


class JaxGradients(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(0)

    def test_batches(self):
        f = idc.jax.function(idc.load("fft.id").fft_any)
        for shape in ((8,), (3, 8), (2, 3, 8), (0, 8)):
            x = (self.rng.standard_normal(shape) + 1j * self.rng.standard_normal(shape)).astype(np.complex64)
            y = f(x)
            self.assertEqual(y.dtype, np.complex64)
            np.testing.assert_allclose(y, np.fft.fft(x), atol=1e-5)

    def test_workspaces(self):
        x = self.rng.standard_normal((2, 1 << 14))
        np.testing.assert_allclose(idc.jax.function(idc.load("scan.id").inclusive_scan)(x), x.cumsum(-1), atol=1e-9)

    def test_several_results_and_broadcasting(self):
        program = idc.compile("func both<T>(x: T, y: T) -> (T, T) { return (x + y, x - y); }\n"
                              "algorithm f<T>(x: T[N], y: T[N]) -> (T[N], T[N]) { return (x, y) |> both; }")  # fmt: skip
        x, y = self.rng.standard_normal((5, 1, 4)), self.rng.standard_normal((3, 4))
        total, difference = idc.jax.function(program.f)(x, y)
        np.testing.assert_array_equal(total, x + y)
        np.testing.assert_array_equal(difference, x - y)

    def test_a_batch_of_vmap(self):
        """XLA's arrays may have more axes in front than those that were traced."""
        idc.jax.function(idc.load("fft.id").fft_any)(np.ones(8, complex))
        algorithm = np.int64(idc.jax.xla.algorithm(self.request("fft.id", "fft_any", N=8, T="f64"), []))
        x = self.rng.standard_normal((6, 2, 8)) + 0j
        made = jax.ShapeDtypeStruct(x.shape, x.dtype)
        (y,) = jax.ffi.ffi_call("idc", [made], vmap_method="broadcast_all")(x, algorithm=algorithm)
        np.testing.assert_allclose(y, np.fft.fft(x), atol=1e-13)

    @staticmethod
    def request(file, entry, **settings):
        request = idc.libidc.Request(file=file)
        request.entry(entry)
        for name, value in settings.items():
            request.set(name, str(value))
        return request

    def test_errors(self):
        idc.jax.function(idc.load("fft.id").fft_any)(np.ones(8, complex))

        def call(algorithm, x, shape, stage=3):
            made = jax.ShapeDtypeStruct(shape, x.dtype)
            return jax.ffi.ffi_call("idc", [made], vmap_method="broadcast_all", stage=stage)(x, **algorithm)

        of = lambda **settings: {"algorithm": np.int64(idc.jax.xla.algorithm(self.request("fft.id", **settings), []))}
        x = np.ones((2, 8), complex)
        for algorithm, wrong in (({}, "without the attribute"), ({"algorithms": np.int64(0)}, "without the attribute"),
                                 (of(entry="no_such"), "no_such"), (of(entry="fft_any", N=3, T="f64"), "batch")):  # fmt: skip
            with self.assertRaisesRegex(RuntimeError, wrong):
                call(algorithm, x, x.shape)
        with self.assertRaisesRegex(RuntimeError, "does not fit the batch"):
            call(of(entry="fft_any", N=8, T="f64"), x, (3, 8))
        self.assertTrue((call({}, x, x.shape, stage=1)[0] == 7).all())  # only an execution executes

    def test_second_derivatives(self):
        program = idc.compile("func cube<T>(x: T) -> T { return x * x * x; }\n"
                              "algorithm f<T>(x: T[N]) -> T[N] { return x |> cube; }")  # fmt: skip
        x = self.rng.standard_normal(5)
        _, _, pull = vjp(idc.jax.function(program.f), x)
        np.testing.assert_allclose(pull(np.ones(5))[0], 3 * x * x)
        own = stand_in_jax.CustomVjp.last  # the adjoint, which was called
        _, kept = own.forward(x, np.ones(5))
        np.testing.assert_allclose(own.backward(kept, np.ones(5))[0], 6 * x)

    def test_complex_numbers(self):
        x, g = (self.rng.standard_normal((2, 9)) + 1j * self.rng.standard_normal((2, 9)) for _ in range(2))
        y, kept, pull = vjp(idc.jax.function(idc.load("fft.id").fft_any), x)
        np.testing.assert_allclose(y, np.fft.fft(x), atol=1e-13)
        self.assertEqual(kept, {})
        np.testing.assert_allclose(pull(g)[0], np.fft.fft(g), atol=1e-12)  # the transpose, without conjugation

    def test_scalars_and_kept_values(self):
        program = idc.compile("func weighed<T>(x: T, w: T, by: T) -> T { return exp(by * x) * w; }\n"
                              "algorithm f<T>(x: T[N], w: T[N], by: T) -> T[N] { return (x, w) |> weighed(by); }")  # fmt: skip
        x, w, g = self.rng.standard_normal((4, 6)), self.rng.standard_normal(6), self.rng.standard_normal((4, 6))
        y, kept, pull = vjp(idc.jax.function(program.f, scalars={"by": 0.5}), x, w)
        np.testing.assert_allclose(y, w * np.exp(x / 2))
        of_x, of_w = pull(g)
        np.testing.assert_allclose(of_x, g * w * np.exp(x / 2) / 2)
        np.testing.assert_allclose(of_w, (g * np.exp(x / 2)).sum(0))
        with self.assertRaisesRegex(idc.Error, "needs scalars for by"):
            idc.jax.function(program.f)

    def test_integers_beside(self):
        program = idc.compile("func picked<T>(x: T, k: i32) -> T { return select(k > 0, x * x, x); }\n"
                              "algorithm f<T>(x: T[N], k: i32[N]) -> T[N] { return (x, k) |> picked; }")  # fmt: skip
        _, _, pull = vjp(idc.jax.function(program.f), np.arange(3.0), np.array([1, 0, 1], np.int32))
        of_x, of_k = pull(np.ones(3))
        np.testing.assert_array_equal(of_x, [0, 1, 4])
        self.assertEqual((of_k.shape, of_k.dtype), ((3,), jax.dtypes.float0))


if __name__ == "__main__":
    unittest.main()
