"""Hover, completion, formatting, inlay hints and the outline."""

import pathlib
import re
import sys
import tempfile
import unittest

from client import Client, applied, place, uri

ROOT, IDC = sys.argv.pop(2), sys.argv.pop(1)

TEXT = """import "complex.id";

/// What is doubled.
const two = 2;
type Pair<T> = { small: T, large: T };

/// Twice a value.
func twice<T>(x: T) -> T {
  let factor = two;
  return x * factor;
}
func smaller<T>(p: Pair<T>) -> T { return p.small; }

/// Turns digits.
algorithm turn<T = f32>(x: complex<T>[2^n]) -> complex<T>[2^n] {
  let y = x |> reverse(n, 1) |> twice;
  for i in 1..n {
    let z = y |> unshuffle(n, i);
    y = z |> butterfly @ n;
  }
  return y |> complement(1);
}
algorithm half<T>(x: T[2^n]) -> T[2^(n-1)] { return x |> sum @ n; }
node sum<T>(x: T[2]) -> T { return x[0] + x[1]; }
"""


class Features(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name).resolve() / "turn.id"
        cls.path.write_text(TEXT)
        cls.client = Client([IDC, "lsp"])
        assert cls.client.open(cls.path) == []

    @classmethod
    def tearDownClass(cls):
        cls.client.end()
        cls.folder.cleanup()

    def hover(self, marked, offset=0):
        found = self.client.at("hover", self.path, place(TEXT, marked, offset))
        return found and found["contents"]["value"]

    def test_hover_signature_and_comment(self):
        text = self.hover("twice;")
        self.assertIn("func twice<T>(x: T) -> T\n", text)
        self.assertIn("Twice a value.", text)

    def test_hover_of_import(self):
        self.assertIn("node butterfly<T>(x: T[2]) -> T[2]", self.hover("butterfly"))

    def test_hover_shape_and_digits(self):
        self.assertIn("`complex<f32>[2^3]` digits ⟨3 2 1⟩", self.hover("x |> reverse"))
        self.assertIn("`turn` with n = 3: `complex<f32>[2^3]` digits ⟨1 2 3⟩", self.hover("reverse"))
        self.assertIn("⟨1 2 3⟩", self.hover("y = x"))

    def test_hover_passes(self):
        # Three passes of a loop; the digits of each.
        self.assertIn("⟨3 1 2⟩, `complex<f32>[2^3]` digits ⟨1 3 2⟩, `complex<f32>[2^3]` digits ⟨1 3 2⟩".split(",")[0],
                      self.hover("z = y"))

    def test_hover_in_func(self):
        # Seen in a run of the algorithm that uses it.
        self.assertIn("`complex<f32>`", self.hover("x * factor"))

    def test_hover_others(self):
        self.assertIn("const two = 2", self.hover("two;"))
        self.assertIn("What is doubled.", self.hover("two;"))
        self.assertIn("type Pair = { small: T, large: T }", self.hover("Pair<T>)"))
        self.assertIn("Pair.small: T", self.hover("small; }"))
        self.assertIn("size `n` of", self.hover("n, i)"))
        self.assertIn("type variable `T` of", self.hover("T>[2^n]"))
        self.assertIn("`reverse` is defined by the language", self.hover("reverse"))
        self.assertIsNone(self.hover("{\n"))

    def complete(self, text, marked):
        self.client.change(self.path, text, self.next_version())
        found = self.client.at("completion", self.path, place(text, marked, len(marked)))["items"]
        self.client.change(self.path, TEXT, self.next_version())
        return {item["label"]: item for item in found}

    version = 1

    @classmethod
    def next_version(cls):
        cls.version += 1
        return cls.version

    def test_complete_in_scope(self):
        found = self.complete(TEXT, "    y = z")
        self.assertLessEqual({"x", "y", "z", "i", "n", "T", "twice", "two", "Pair", "let", "for", "f32", "digits"},
                             found.keys())
        self.assertNotIn("factor", found)  # of another function
        self.assertEqual(found["twice"]["detail"], "func twice<T>(x: T) -> T")
        found = self.complete(TEXT, "  return y")
        self.assertNotIn("z", found)  # of a block that has ended
        self.assertNotIn("i", found)

    def test_complete_stage(self):
        found = self.complete(TEXT.replace("|> twice;", "|> tw;"), "|> tw")
        self.assertLessEqual({"twice", "butterfly", "unshuffle", "turn"}, found.keys())
        self.assertFalse({"x", "let", "f32", "Pair"} & found.keys())

    def test_complete_with_import(self):
        found = self.complete(TEXT, "return y |> ")
        item = found["fft"]
        self.assertIn("algorithm fft", item["detail"])
        [edit] = item["additionalTextEdits"]
        self.assertEqual(applied(TEXT, [edit]).split("\n")[1], 'import "fft.id";')
        self.assertNotIn("additionalTextEdits", found["butterfly"])  # imported already

    def test_complete_import(self):
        self.assertIn("fft.id", self.complete(TEXT.replace("complex.id", "f"), 'import "f'))

    def test_complete_field(self):
        found = self.complete(TEXT.replace("p.small", "p."), "return p.")
        self.assertEqual(found.keys(), {"small", "large"})
        self.assertEqual(found["small"]["detail"], "Pair: T")

    def test_complete_nothing_in_comment(self):
        self.assertEqual(self.complete(TEXT, "/// Twice a "), {})

    def test_formatting(self):
        text = TEXT.replace("  let y = x |> reverse", "let y=x|>reverse")
        self.client.change(self.path, text, self.next_version())
        document = {"textDocument": {"uri": uri(self.path)}, "options": {"tabSize": 2, "insertSpaces": True}}
        edits = self.client.request("textDocument/formatting", document)
        self.assertEqual(applied(text, edits), TEXT)
        self.client.change(self.path, TEXT, self.next_version())
        self.assertEqual(self.client.request("textDocument/formatting", document), [])
        self.client.change(self.path, TEXT + "func", self.next_version())  # a syntax error: nothing is touched
        self.assertEqual(self.client.request("textDocument/formatting", document), [])
        self.client.change(self.path, TEXT, self.next_version())

    def hints(self, first, last):
        found = self.client.request("textDocument/inlayHint", {
            "textDocument": {"uri": uri(self.path)},
            "range": {"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}}})
        lines = TEXT.split("\n")
        return {lines[hint["position"]["line"]][:hint["position"]["character"]].strip(): hint for hint in found}

    def test_hints(self):
        found = self.hints(0, 100)
        self.assertEqual({place: hint["label"] for place, hint in found.items()}, {
            "let y = x |> reverse(n, 1)": "⟨1 2 3⟩",
            "let y = x |> reverse(n, 1) |> twice": "⟨1 2 3⟩",
            "let z = y |> unshuffle(n, i)": "⟨3 1 2⟩ …",
            "y = z |> butterfly @ n": "⟨3 1 2⟩ …",
            "return y |> complement(1)": "⟨1 3 ~2⟩",
            "algorithm half<T>(x: T[2^n]) -> T[2^(n-1)] { return x |> sum @ n": "⟨2 1⟩"})
        tooltip = found["let z = y |> unshuffle(n, i)"]["tooltip"]
        self.assertEqual(tooltip.count("complex<f32>[2^3]"), 3)
        self.assertIn("with n = 3:", tooltip)
        self.assertEqual(self.hints(0, 10), {})

    def test_page(self):
        # The hints that docs/editors.md shows.
        page = (pathlib.Path(ROOT) / "docs" / "editors.md").read_text()
        shown = re.search(r"```\n(algorithm fft.*?)```", page, re.S)[1]
        text = 'import "complex.id";\n' + re.sub(r" *⟨.*", "", shown)
        path = self.path.with_name("page.id")
        self.assertEqual(self.client.open(path, text), [])
        found = self.client.request("textDocument/inlayHint", {
            "textDocument": {"uri": uri(path)},
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}})
        self.assertEqual({hint["position"]["line"]: hint["label"] for hint in found},
                         {number + 1: line[line.index("⟨"):] for number, line in enumerate(shown.split("\n"))
                          if "⟨" in line})

    def test_outline(self):
        found = self.client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri(self.path)}})
        self.assertEqual([symbol["name"] for symbol in found],
                         ["two", "Pair", "twice", "smaller", "turn", "half", "sum"])
        self.assertEqual([field["name"] for field in found[1]["children"]], ["small", "large"])


if __name__ == "__main__":
    unittest.main()
