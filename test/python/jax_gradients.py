"""Derivatives of JAX's arrays, with a stand-in for JAX: what callbacks are given, what is kept, JAX's convention."""

import sys
import types
import unittest

import numpy as np


class CustomVjp:
    def __init__(self, function):
        self.function = function

    def defvjp(self, forward, backward):
        self.forward, self.backward = forward, backward

    def __call__(self, *arguments):
        CustomVjp.last = self
        return self.function(*arguments)


def pure_callback(function, result_shape_dtypes, *arguments, vmap_method):
    results = function(*arguments)
    assert [(r.shape, r.dtype) for r in results] == [(s.shape, s.dtype) for s in result_shape_dtypes]
    return results


jax = types.ModuleType("jax")
jax.custom_vjp, jax.pure_callback = CustomVjp, pure_callback
jax.ShapeDtypeStruct = lambda shape, dtype: types.SimpleNamespace(shape=tuple(shape), dtype=np.dtype(dtype))
jax.dtypes = types.SimpleNamespace(float0=np.dtype([("float0", np.void, 0)]))
sys.modules["jax"] = jax

import idc  # noqa: E402
import idc.jax  # noqa: E402


def vjp(function, *arguments):
    result = function(*arguments)
    own = CustomVjp.last
    _, kept = own.forward(*arguments)
    return result, kept, lambda gradients: own.backward(kept, gradients)


class JaxGradients(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(0)

    def test_complex_numbers(self):
        x, g = (self.rng.standard_normal((2, 9)) + 1j * self.rng.standard_normal((2, 9)) for _ in range(2))
        y, kept, pull = vjp(idc.jax.function(idc.load("fft.id").fft_any), x)
        np.testing.assert_allclose(y, np.fft.fft(x), atol=1e-13)
        self.assertEqual(kept, ())
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
