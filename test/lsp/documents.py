"""Diagnostics: places, several files, texts that are not saved, programs that are being written."""

import pathlib
import sys
import tempfile
import unittest

from client import Client, covered, place, uri

IDC = sys.argv.pop(1)

PART = "func twice<T>(x: T) -> T { return x + x; }\n"
MAIN = """import "part.id";
algorithm main(x: f32[2^n]) -> f32[2^n] { return x |> twice; }
"""


class Documents(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.part, self.main = self.folder / "part.id", self.folder / "main.id"
        self.part.write_text(PART)
        self.main.write_text(MAIN)
        self.client = Client([IDC, "lsp"], self.folder)
        self.addCleanup(self.client.end)

    def test_right_program(self):
        self.assertEqual(self.client.open(self.main), [])

    def test_mistakes_have_ranges(self):
        # Γ takes one unit of UTF-16 and two bytes; the clef two units and four bytes.
        text = "algorithm f(x: f32[2^n]) -> f32[2^n] { /* 𝄞 */ return x |> Γ(n, 1) |> thrice; }\n"
        [mistake] = self.client.open(self.main, text)
        self.assertEqual(mistake["severity"], 1)
        self.assertIn("unknown function 'thrice'", mistake["message"])
        self.assertEqual(covered(text, mistake["range"]), "thrice")

    def test_all_mistakes(self):
        text = "algorithm f(x: f32[2^n]) -> f32[2^n] { return x |> a; }\nfunc g(x: f32) -> f32 { return b(x) + c; }\n"
        mistakes = self.client.open(self.main, text)
        self.assertEqual([covered(text, mistake["range"]) for mistake in mistakes], ["a", "b(x)", "c"])

    def test_mistake_of_types(self):
        # Found by running the body; the note tells where the call is.
        text = ("func both(x: i32, y: f32) -> f32 { return x + y; }\n"
                "func g(x: f32) -> f32 { return both(1, x); }\n")
        mistakes = self.client.open(self.main, text)
        self.assertTrue(mistakes)
        self.assertEqual(covered(text, mistakes[0]["range"]), "+")

    def test_notes(self):
        text = "func f(x: f32) -> f32 { return x; }\nfunc f(x: f32) -> f32 { return x; }\n"
        [mistake] = self.client.open(self.main, text)
        [note] = mistake["relatedInformation"]
        self.assertEqual(note["message"], "the first declaration is here")
        self.assertEqual(note["location"]["range"]["start"], {"line": 0, "character": 5})

    def test_corrected(self):
        self.assertEqual(len(self.client.open(self.main, MAIN.replace("twice", "thrice"))), 1)
        self.assertEqual(self.client.change(self.main, MAIN, 2), [])

    def test_import_that_is_not_saved(self):
        self.client.open(self.main)
        self.client.diagnostics.clear()
        self.client.open(self.part, PART.replace("twice", "thrice"))
        [mistake] = self.client.wait_diagnostics(self.main)
        self.assertIn("unknown function 'twice'; did you mean 'thrice'?", mistake["message"])
        self.client.diagnostics.clear()
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri(self.part)}})
        self.assertEqual(self.client.wait_diagnostics(self.main), [])  # the saved text again

    def test_import_that_is_on_no_disk(self):
        new = self.folder / "new.id"
        self.client.open(new, PART)
        self.assertEqual(self.client.open(self.main, MAIN.replace("part.id", "new.id")), [])

    def test_mistake_in_import(self):
        self.part.write_text(PART.replace("x + x", "x + y"))
        self.assertEqual(self.client.open(self.main), [])
        [mistake] = self.client.wait_diagnostics(self.part)
        self.assertIn("unknown name 'y'", mistake["message"])
        self.part.write_text(PART)
        self.client.diagnostics.clear()
        self.client.change(self.main, MAIN + "\n", 2)
        self.assertEqual(self.client.wait_diagnostics(self.part), [])  # taken back

    def test_import_that_is_missing(self):
        text = MAIN.replace("part.id", "none.id")
        [mistake] = self.client.open(self.main, text)
        self.assertEqual(covered(text, mistake["range"]), '"none.id"')

    def test_syntax_error_leaves_the_rest(self):
        text = ("/// Kept.\nfunc kept(x: f32) -> f32 { return x; }\n"
                "algorithm f(x: f32[2^n]) -> f32[2^n] {\n"
                "  let before = x |> kept;\n"
                "  let broken = before |> ;\n"
                "  let after = before |> kept;\n"
                "  return after;\n"
                "}\n"
                "func also(x: f32) -> f32 { return kept(x); }\n")
        mistakes = self.client.open(self.main, text)
        self.assertEqual(len(mistakes), 1)
        self.assertEqual(mistakes[0]["range"]["start"], place(text, ";\n  let after"))
        for name in ("kept;\n  return", "kept(x)"):
            self.assertIn("Kept.", self.client.at("hover", self.main, place(text, name))["contents"]["value"])
        [found] = self.client.at("definition", self.main, place(text, "after;"))
        self.assertEqual(found["range"]["start"], place(text, "after = "))
        labels = {item["label"] for item in self.client.at("completion", self.main, place(text, "|> ;", 3))["items"]}
        self.assertIn("kept", labels)

    def test_unfinished_in_many_ways(self):
        # A prefix of a program of every length, and one with every character left out: never the end of the server.
        text = MAIN + "type P<T> = {a: T, b: T};\nnode s<T>(p: P<T>[2]) -> P<T>[2] { let q = p[0]; return [p[1], q]; }\n"
        self.client.open(self.main, text)
        version = 1
        for length in range(len(text)):
            for changed in (text[:length], text[:length] + text[length + 1:]):
                version += 1
                self.client.notify("textDocument/didChange",
                                   {"textDocument": {"uri": uri(self.main), "version": version},
                                    "contentChanges": [{"text": changed}]})
                self.client.at("hover", self.main, {"line": 1, "character": 58})
        self.assertEqual(self.client.change(self.main, text, version + 1), [])


if __name__ == "__main__":
    unittest.main()
