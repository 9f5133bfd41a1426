"""Entry.vjp of NumPy's arrays against differences: broadcasting, conversions, several results, records, refusals."""

import unittest

import numpy as np

import idc

rng = np.random.default_rng(20261126)


class Gradients(unittest.TestCase):
    def against_differences(self, entry, arguments, with_respect_to=None, **settings):
        arguments = [np.asarray(a) for a in arguments]
        results = entry(*arguments, **settings)
        results = results if isinstance(results, tuple) else (results,)

        def like(a):
            values = rng.standard_normal(a.shape)
            return (values + 1j * rng.standard_normal(a.shape) if a.dtype.kind == "c" else values).astype(a.dtype)

        given = tuple(like(r) for r in results)
        gradient = given if len(given) > 1 else given[0]
        pulled = entry.vjp(*arguments, gradient=gradient, with_respect_to=with_respect_to, **settings)
        pulled = pulled if isinstance(pulled, tuple) else (pulled,)
        for x, gradient in zip(arguments, pulled):
            self.assertEqual((gradient.shape, gradient.dtype), (x.shape, x.dtype))
        h, moved = 1e-6, [like(a) for a in arguments]
        above = entry(*[a + h * v for a, v in zip(arguments, moved)], **settings)
        below = entry(*[a - h * v for a, v in zip(arguments, moved)], **settings)
        above, below = (r if isinstance(r, tuple) else (r,) for r in (above, below))
        left = sum(np.sum((np.conj(g) * (a - b)).real) for g, a, b in zip(given, above, below)) / (2 * h)
        right = sum(np.sum((np.conj(v) * p).real) for v, p in zip(moved, pulled))
        self.assertAlmostEqual(left, right, delta=1e-6 * max(1, abs(left)))

    def test_library(self):
        x = rng.standard_normal((3, 16))
        self.against_differences(idc.load("fft.id").fft, [x + 1j * rng.standard_normal((3, 16))])
        self.against_differences(idc.load("real.id").rfft, [x])
        self.against_differences(idc.load("real.id").irfft, [x[:, :9] + 1j * rng.standard_normal((3, 9))], N=16)
        self.against_differences(idc.load("sort.id").bitonic_sort, [x])
        self.against_differences(idc.load("scan.id").inclusive_scan, [x])
        self.against_differences(idc.load("transpose.id").transpose, [rng.standard_normal((2, 4, 8))])
        self.against_differences(idc.load("matrix.id").matrix_product, list(rng.standard_normal((2, 2, 4, 4))))

    def test_a_batch_shares_arguments(self):
        solve = idc.load("tridiagonal_pivoting.id").tridiagonal_pivoting_any
        a, b, c, d = (rng.standard_normal(shape) for shape in ((7,), (1, 7), (2, 1, 7), (2, 3, 7)))
        self.against_differences(solve, [a, b + 4, c, d])

    def test_conversions(self):
        fft = idc.load("fft.id").fft
        g = (rng.standard_normal(8) + 1j * rng.standard_normal(8)).astype("F")
        pulled = fft.vjp(rng.standard_normal(8).astype("f"), gradient=g)
        self.assertEqual(pulled.dtype, np.float32)
        np.testing.assert_allclose(pulled, 8 * np.fft.ifft(g).real, atol=1e-5)

    def test_several_results_and_choices(self):
        argmax = idc.load("reduce.id").argmax
        pulled = argmax.vjp(np.array([1.0, 7.0, 3.0, 2.0]), gradient=(np.array([5.0]), None))
        np.testing.assert_array_equal(pulled, [0, 5, 0, 0])
        program = idc.compile("func both<T>(x: T, y: T) -> (T, T) { return (x * y, sin(x)); }\n"
                              "algorithm f<T>(x: T[N], y: T[N]) -> (T[N], T[N]) { return (x, y) |> both; }")  # fmt: skip
        x, y, g = rng.standard_normal((3, 5))
        self.against_differences(program.f, [x, y])
        np.testing.assert_allclose(program.f.vjp(x, y, gradient=(g, None), with_respect_to="y"), g * x)
        of_y, of_x = program.f.vjp(x, y, gradient=(None, g), with_respect_to=("y", "x"))
        np.testing.assert_allclose(of_x, g * np.cos(x))
        np.testing.assert_array_equal(of_y, 0 * y)

    def test_scalars_and_records(self):
        program = idc.compile("type P<T> = { value: T, place: i32 };\n"
                              "func scaled<T>(x: P<T>, by: T) -> T { return by * x.value * x.value; }\n"
                              "algorithm f<T>(x: P<T>[N], by: T) -> T[N] { return x |> scaled(by); }")  # fmt: skip
        x = np.zeros(4, np.dtype([("value", "f8"), ("place", "i4")], align=True))
        x["value"], x["place"] = [1, 2, 3, 4], 9
        pulled = program.f.vjp(x, 0.5, gradient=np.ones(4), T="f64")
        np.testing.assert_array_equal(pulled["value"], [1, 2, 3, 4])
        np.testing.assert_array_equal(pulled["place"], 0)

    def test_refusals(self):
        with self.assertRaisesRegex(idc.Error, "no argument has numbers that have derivatives"):
            idc.load("ntt.id").ntt.vjp(np.zeros(8, "u4"), gradient=np.zeros(8, "u4"))
        scan = idc.load("scan.id").inclusive_scan
        with self.assertRaisesRegex(idc.CompileError, "'inclusive_scan' has no input 'z'"):
            scan.vjp(np.zeros(8), gradient=np.zeros(8), with_respect_to="z")
        with self.assertRaisesRegex(idc.Error, "has 1 results, and 2 gradients are given"):
            scan.vjp(np.zeros(8), gradient=(np.zeros(8), None))


if __name__ == "__main__":
    unittest.main()
