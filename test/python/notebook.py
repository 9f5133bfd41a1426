"""Cells of notebooks, with a stand-in for IPython's shell; what explanations show in them."""

import contextlib
import io
import unittest
import xml.etree.ElementTree as xml

import numpy as np

import idc
import idc.language


class Shell:
    """What the extension uses of IPython.core.interactiveshell.InteractiveShell."""

    def __init__(self):
        self.user_ns, self.magics = {}, {}

    def register_magic_function(self, function, magic_kind="line", magic_name=None):
        self.magics[magic_kind, magic_name] = function


class Notebook(unittest.TestCase):
    def setUp(self):
        self.shell = Shell()
        idc.language.load_ipython_extension(self.shell)
        self.cell = self.shell.magics["cell", "idc"]

    def test_cells_are_programs(self):
        self.cell("twice", "func f<T>(x: T) -> T { return x + x; }\nalgorithm all<T>(x: T[N]) -> T[N] { return x |> f; }")
        np.testing.assert_array_equal(self.shell.user_ns["twice"].all(np.arange(3.0)), [0, 2, 4])
        self.cell("", "algorithm same<T>(x: T[N]) -> T[N] { return x; }")
        self.assertIn("same", repr(self.shell.user_ns["program"]))
        with self.assertRaisesRegex(ValueError, "'2x' is no name"):
            self.cell("2x", "")

    def test_mistakes_are_printed_with_their_line(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            self.assertIsNone(self.cell("wrong", "algorithm f(x: f64[4]) -> f64[4] { return y; }"))
        self.assertIn("wrong:1:43: error: unknown name 'y'", printed.getvalue())
        self.assertNotIn("wrong", self.shell.user_ns)

    def test_explanations_are_pictures(self):
        small = idc.load("hadamard.id").hadamard.explain(n=4, T="f32")
        large = idc.load("hadamard.id").hadamard.explain(target="sm_80", n=12, T="f64")
        self.assertIn("for sm_80", str(large))
        self.assertIsNone(large.circuit)
        for explanation in (small, large):
            for picture in (explanation.digits, explanation.kernels, explanation.circuit):
                if picture is not None:
                    self.assertTrue(xml.fromstring(picture).tag.endswith("svg"))
            page = explanation._repr_html_()
            self.assertEqual(page.count("<svg"), 3 if explanation is small else 2)
            self.assertNotIn("<?xml", page)
        with self.assertRaisesRegex(idc.CompileError, "no value for 'n'|'n'"):
            idc.load("hadamard.id").hadamard.explain(T="f32")


if __name__ == "__main__":
    unittest.main()
