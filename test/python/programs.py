"""Programs in the language as objects: what shapes and dtypes decide, layouts, results, errors, threads."""

import os
import tempfile
import threading
import unittest
import warnings

import numpy as np

import idc

RNG = np.random.default_rng(5)

TEXT = """
type Pair<T> = {small: T, large: T};
func twice<T>(x: T) -> T { return x + x; }
func swapped<T>(p: Pair<T>) -> Pair<T> { return Pair{small: p.large, large: p.small}; }
func times<T>(x: T, y: T) -> T { return x * y; }
func over<T>(x: T, y: T) -> T { return x / y; }

/// Twice every element.
algorithm doubled<T>(x: T[2^n]) -> T[2^n] { return x |> twice; }
algorithm any<T>(x: T[N]) -> T[N] { return x |> twice; }
algorithm both<T>(x: T[N], y: T[N]) -> (T[N], T[N]) { return ((x, y) |> times, x |> twice); }
algorithm scaled<T>(x: T[N], by: T) -> T[N] { return x |> times(by); }
algorithm picture<T>(x: T[y: M][x: N]) -> T[y: M][x: N] { return x |> twice; }
algorithm swap<T = f32>(x: Pair<T>[N]) -> Pair<T>[N] { return x |> swapped; }
algorithm half<T>(x: T[N / 2 + 1]) -> T[N] { return x |> pad(N, 0); }
algorithm residues<T = mod<17>>(x: T[N]) -> T[N] { return x |> twice; }
algorithm cropped<T, M: int = 2>(x: T[N]) -> T[M] { return x |> crop(M); }
algorithm zs<T>(z: complex<T>[N]) -> complex<T>[N] { return z |> twice; }
algorithm fixed(x: f32[N]) -> f32[N] { return x |> twice; }
algorithm unused<T>(x: T[4], w: T[N]) -> T[N] { return w |> twice; }
"""


class Programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = idc.compile(TEXT, "test.id")

    def test_sizes_and_types(self):
        for char in "bhilBHILefdFD":
            x = (RNG.standard_normal(8) * 9).astype(char)
            got = self.program.doubled(x)
            self.assertEqual(got.dtype, x.dtype)
            np.testing.assert_array_equal(got, x + x)
        with self.assertRaisesRegex(idc.Error, r"doubled: no array of length 6 is a 2\^n"):
            self.program.doubled(np.zeros(6))

    def test_attributes(self):
        self.assertIn("doubled", dir(self.program))
        self.assertIn("Twice every element.", self.program.doubled.__doc__)
        self.assertTrue(self.program.doubled.__doc__.startswith("doubled(x: T[2^n]) -> T[2^n]"))
        with self.assertRaisesRegex(AttributeError, "no algorithm 'other'; it has doubled, any"):
            self.program.other

    def test_batches(self):
        x = RNG.standard_normal((2, 3, 8))
        np.testing.assert_array_equal(self.program.any(x), 2 * x)
        p, q = self.program.both(x, x[0])
        np.testing.assert_array_equal(p, x * x[0])
        np.testing.assert_array_equal(q, 2 * x)
        p, _ = self.program.both(x[:, :1], x[0, 0])
        np.testing.assert_array_equal(p, x[:, :1] * x[0, 0])
        with self.assertRaisesRegex(idc.Error, "batches .* do not fit together"):
            self.program.both(x, RNG.standard_normal((4, 8)))
        with self.assertRaisesRegex(idc.Error, "N is 8"):
            self.program.both(x, RNG.standard_normal(7))
        with self.assertRaisesRegex(idc.Error, "has 2 axes, and the array only 1"):
            self.program.picture(np.zeros(4))

    def test_scalars(self):
        x = RNG.standard_normal((2, 5))
        for by in (3.0, 4, np.float32(0.5)):
            np.testing.assert_array_equal(self.program.scaled(x, by), x * by)
        np.testing.assert_allclose(self.program.scaled(x + 0j, 1 + 2j), x * (1 + 2j))

    def test_records(self):
        x = np.zeros(5, np.dtype([("small", "f4"), ("large", "f4")], align=True))
        x["small"] = np.arange(5)
        got = self.program.swap(x)
        self.assertEqual(got.dtype.names, ("small", "large"))
        np.testing.assert_array_equal(got["large"], np.arange(5))
        np.testing.assert_array_equal(got["small"], np.zeros(5))
        with self.assertRaisesRegex(idc.Error, "takes elements of"):
            self.program.swap(np.zeros(5, "f8"))

    def test_settings(self):
        self.assertEqual(self.program.cropped(np.arange(8.0)).shape, (2,))
        np.testing.assert_array_equal(self.program.cropped(np.arange(8.0), M=3), [0, 1, 2])
        self.assertEqual(self.program.any(np.arange(4.0), T="f32").dtype, np.float32)
        self.assertEqual(self.program.any(np.arange(4.0), T=np.float32).dtype, np.float32)
        np.testing.assert_array_equal(self.program.residues(np.arange(16), T="mod<17>"), np.arange(0, 32, 2) % 17)
        np.testing.assert_array_equal(self.program.residues(np.arange(5), T="mod<5>"), np.arange(0, 10, 2) % 5)
        with self.assertRaisesRegex(idc.Error, "does not decide 'N' in .*give it, as in N="):
            self.program.half(np.arange(3.0))
        self.assertEqual(self.program.half(np.arange(3.0), N=5).shape, (5,))
        with self.assertRaisesRegex(idc.Error, "has|is 3"):
            self.program.half(np.arange(3.0), N=9)
        with self.assertRaises(idc.CompileError):
            self.program.any(np.arange(4.0), Q=3)
        with self.assertRaises(TypeError):
            self.program.any(np.arange(4.0), T=object())

    def test_conversions(self):
        np.testing.assert_array_equal(self.program.zs(np.arange(4)), 2 * np.arange(4) + 0j)
        self.assertEqual(self.program.zs(np.zeros(4, "f")).dtype, np.complex64)
        self.assertEqual(self.program.fixed(np.arange(4.0)).dtype, np.float32)
        self.assertEqual(self.program.both(np.zeros(4, "f"), np.zeros(4, "d"))[0].dtype, np.float64)
        with self.assertRaisesRegex(idc.Error, "takes elements of float32, not complex128"):
            self.program.fixed(np.zeros(4, "D"))
        np.testing.assert_array_equal(self.program.any([1.0, 2.0]), [2, 4])

    def test_strided_arrays_are_read_where_they_are(self):
        base = RNG.standard_normal((6, 8, 10))
        views = [base[::2], base[:, ::2], base[..., ::3], base[1:, 1:, 1:], base[0].T, base[2, 3], base[0, :, 1],
                 np.broadcast_to(base[0, 0], (4, 10))]
        with warnings.catch_warnings():
            warnings.simplefilter("error", idc.CopyWarning)
            for view in views:
                if view.ndim < 3 or view.strides[0] == view.shape[1] * view.strides[1]:
                    np.testing.assert_array_equal(self.program.any(view), 2 * view)
                if view.ndim >= 2 and min(view.strides) > 0:
                    np.testing.assert_array_equal(self.program.picture(view), 2 * view)
        single = base.astype("f").ravel()
        for start in range(5):  # not aligned as the runtime wants dense arrays
            np.testing.assert_array_equal(self.program.any(single[start : start + 16]), 2 * single[start : start + 16])

    def test_other_arrays_are_copied_with_a_warning(self):
        x = np.arange(8.0)
        with self.assertWarnsRegex(idc.CopyWarning, "the argument 'x' of any .* copied") as caught:
            np.testing.assert_array_equal(self.program.any(x[::-1]), 2 * x[::-1])
        self.assertEqual(os.path.basename(caught.filename), "programs.py")
        packed = np.zeros(4, np.dtype([("a", "i1"), ("b", "f8")]))
        packed["b"] = np.arange(4)
        with self.assertWarns(idc.CopyWarning):
            np.testing.assert_array_equal(self.program.any(packed["b"]), 2 * np.arange(4.0))

    def test_out(self):
        x = RNG.standard_normal((3, 8))
        out = np.zeros((3, 8))
        self.assertIs(self.program.any(x, out=out), out)
        np.testing.assert_array_equal(out, 2 * x)
        pair = np.zeros((3, 8)), np.zeros((3, 16))[:, ::2]
        self.program.both(x, x, out=pair)
        np.testing.assert_array_equal(pair[0], x * x)
        np.testing.assert_array_equal(pair[1], 2 * x)
        y = x.copy()
        self.program.any(y, out=y)
        np.testing.assert_array_equal(y, 2 * x)
        shifted = np.arange(9.0)
        self.program.any(shifted[:8], out=shifted[1:])
        np.testing.assert_array_equal(shifted, [0, 0, 2, 4, 6, 8, 10, 12, 14])
        with self.assertRaisesRegex(idc.Error, "shape"):
            self.program.any(x, out=np.zeros((3, 7)))
        with self.assertRaisesRegex(idc.Error, "2 results"):
            self.program.both(x, x, out=out)

    def test_compile_errors(self):
        with self.assertRaises(idc.CompileError) as caught:
            idc.compile("algorithm f(x: f64[2^n]) -> f64[2^n] {\n  return y;\n}\n", "wrong.id")
        error = caught.exception
        self.assertEqual((error.file, error.line, error.column, error.text), ("wrong.id", 2, 10, "unknown name 'y'"))
        self.assertEqual(str(error), "wrong.id:2:10: error: unknown name 'y'\n  return y;\n         ^")
        self.assertEqual([d.severity for d in error.diagnostics], ["error"])
        with self.assertRaises(idc.CompileError) as caught:
            idc.load("/nowhere/at/all.id")
        self.assertEqual(caught.exception.line, 0)
        self.assertIn("/nowhere/at/all.id", str(caught.exception))
        with self.assertRaises(idc.CompileError) as caught:
            idc.compile("func f<T>(x: T) -> T { return x.a; }\nalgorithm g<T>(x: T[N]) -> T[N] { return x |> f; }").g([1.0])
        self.assertEqual((caught.exception.file, caught.exception.line), ("<text>", 1))
        with self.assertRaises(TypeError):
            self.program.any(np.zeros(4), np.zeros(4))

    def test_files_and_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "parts"))
            with open(os.path.join(folder, "parts", "part.id"), "w") as file:
                file.write("func part<T>(x: T) -> T { return x + x + x; }\n")
            main = os.path.join(folder, "main.id")
            with open(main, "w") as file:
                file.write('import "part.id";\nalgorithm f<T>(x: T[N]) -> T[N] { return x |> part; }\n')
            program = idc.load(main, folders=[os.path.join(folder, "parts")])
            np.testing.assert_array_equal(program.f(np.arange(3.0)), [0, 3, 6])
            with self.assertRaises(idc.CompileError) as caught:
                idc.load(main)
            self.assertEqual(caught.exception.line, 1)

    def test_empty_batches(self):
        self.assertEqual(self.program.any(np.zeros((0, 4))).shape, (0, 4))

    def test_threads(self):
        failures = []

        def work(t):
            try:
                for i in range(40):
                    x = np.full((1 + i % 5, 4 + t % 3), t + i, "d")
                    np.testing.assert_array_equal(self.program.any(x), 2 * x)
                    np.testing.assert_array_equal(self.program.scaled(x, t), x * t)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(t,)) for t in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


if __name__ == "__main__":
    unittest.main()
