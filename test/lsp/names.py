"""Definitions, uses and other names, across files and into the standard library."""

import pathlib
import sys
import tempfile
import unittest

from client import Client, Failure, applied, covered, place, uri

IDC = sys.argv.pop(1)

PART = """/// Shared.
func twice<T>(x: T) -> T { return x + x; }
type Pair<T> = {a: T, b: T};
algorithm part<T, k: int = 1>(x: T[rows: 2^n]) -> T[rows: 2^n] { return x |> plus(digits(rows)); }
func plus<T>(x: T, y: T) -> T { return x + y; }
"""
MAIN = """import "part.id";
import "complex.id";
algorithm main(x: f32[2^n]) -> f32[2^n] {
  let y = x |> twice |> butterfly @ n;
  for i in 1..n { y = y |> part<k = i>; }
  return y;
}
func first(p: Pair<f32>) -> f32 { return Pair{a: p.a, b: p.b}.a; }
schedule main for sm_90 where n == 3 {}
"""
OTHER = """import "part.id";
algorithm other(x: f32[2^n]) -> f32[2^n] { return x |> twice; }
"""


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.holder.name).resolve()
        cls.texts = {"part.id": PART, "main.id": MAIN, "other.id": OTHER}
        for name, text in cls.texts.items():
            (cls.folder / name).write_text(text)
        cls.client = Client([IDC, "lsp"], cls.folder)
        assert cls.client.open(cls.folder / "main.id") == [], cls.client.diagnostics

    @classmethod
    def tearDownClass(cls):
        cls.client.end()
        cls.holder.cleanup()

    def definition(self, marked, offset=0):
        """File and text of the line of the definition of a name of main.id."""
        [found] = self.client.at("definition", self.folder / "main.id", place(MAIN, marked, offset))
        path = pathlib.Path(found["uri"].removeprefix("file://"))
        return path.name, path.read_text().split("\n")[found["range"]["start"]["line"]][
            found["range"]["start"]["character"]:].split(" ")[0]

    def test_definition(self):
        self.assertEqual(self.definition("y = y"), ("main.id", "y"))
        self.assertEqual(self.definition("twice"), ("part.id", "twice<T>(x:"))
        self.assertEqual(self.definition("butterfly"), ("complex.id", "butterfly<T>(x:"))
        self.assertEqual(self.definition("part<"), ("part.id", "part<T,"))
        self.assertEqual(self.definition("k ="), ("part.id", "k:"))
        self.assertEqual(self.definition("Pair<"), ("part.id", "Pair<T>"))
        self.assertEqual(self.definition("p.a", 2), ("part.id", "a:"))
        self.assertEqual(self.definition('"part.id"')[0], "part.id")
        self.assertEqual(self.definition("main for"), ("main.id", "main(x:"))
        self.assertEqual(self.definition("n == 3"), ("main.id", "n])"))

    def references(self, path, text, marked, **more):
        found = self.client.at("references", self.folder / path, place(text, marked),
                               context={"includeDeclaration": True, **more})
        return sorted((pathlib.Path(use["uri"].removeprefix("file://")).name, use["range"]["start"]["line"])
                      for use in found)

    def test_references(self):
        self.assertEqual(self.references("main.id", MAIN, "y = x"),
                         [("main.id", 3), ("main.id", 4), ("main.id", 4), ("main.id", 5)])
        everywhere = [("main.id", 3), ("other.id", 1), ("part.id", 1)]
        self.assertEqual(self.references("main.id", MAIN, "twice"), everywhere)
        self.assertEqual(self.references("part.id", PART, "twice"), everywhere)
        self.assertEqual(self.references("part.id", PART, "twice", includeDeclaration=False), everywhere[:-1])

    def rename(self, path, text, marked, name, offset=0):
        """The texts of all files after it."""
        edit = self.client.at("rename", self.folder / path, place(text, marked, offset), newName=name)
        return {file: applied(content, edit["changes"].get(uri(self.folder / file), []))
                for file, content in self.texts.items()}

    def test_rename_variable(self):
        after = self.rename("main.id", MAIN, "y = x", "sums")
        self.assertEqual(after["main.id"].count("sums"), 4)
        self.assertEqual(after["main.id"].replace("sums", "y"), MAIN)

    def test_rename_size(self):
        after = self.rename("main.id", MAIN, "n] {", "rank")["main.id"]
        self.assertIn("algorithm main(x: f32[2^rank]) -> f32[2^rank]", after)
        self.assertIn("where rank == 3", after)
        self.assertIn("1..rank", after)

    def test_rename_function_in_all_files(self):
        after = self.rename("part.id", PART, "twice", "doubled")
        for file, text in self.texts.items():
            self.assertEqual(after[file], text.replace("twice", "doubled"))

    def test_rename_field(self):
        after = self.rename("part.id", PART, "a: T", "small")
        self.assertIn("Pair{small: p.small, b: p.b}.small", after["main.id"])

    def test_rename_parameter(self):
        self.assertIn("part<count = i>", self.rename("part.id", PART, "k: int", "count")["main.id"])

    def refusal(self, path, text, marked, name):
        with self.assertRaises(Failure) as failure:
            self.rename(path, text, marked, name)
        return str(failure.exception)

    def test_refused(self):
        self.assertEqual(self.refusal("main.id", MAIN, "y = x", "for"), "'for' is no name")
        self.assertEqual(self.refusal("main.id", MAIN, "y = x", "a b"), "'a b' is no name")
        self.assertIn("'x' is already declared here", self.refusal("main.id", MAIN, "y = x", "x"))
        self.assertIn("'n' is a size of 'main'", self.refusal("main.id", MAIN, "y = x", "n"))
        self.assertEqual(self.refusal("main.id", MAIN, "butterfly", "b"),
                         "'butterfly' belongs to the standard library")
        self.assertIn("by hand", self.refusal("part.id", PART, "rows", "lines"))
        self.assertIn("'plus' cannot be 'twice': func 'twice'", self.refusal("part.id", PART, "plus", "twice"))
        # A function of main.id that would hide one that main.id uses.
        self.assertEqual(self.refusal("main.id", MAIN, "first(", "twice"),
                         "'first' cannot be 'twice': that name means something else here")

    def test_prepare(self):
        span = self.client.at("prepareRename", self.folder / "main.id", place(MAIN, "first"))
        self.assertEqual(covered(MAIN, span), "first")
        with self.assertRaises(Failure):
            self.client.at("prepareRename", self.folder / "main.id", place(MAIN, "{"))

    def test_refused_beside_syntax_errors(self):
        broken = self.folder / "broken.id"
        self.client.open(broken, 'import "part.id";\nfunc twice')
        self.assertIn("syntax errors", self.refusal("part.id", PART, "twice", "doubled"))
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri(broken)}})


if __name__ == "__main__":
    unittest.main()
