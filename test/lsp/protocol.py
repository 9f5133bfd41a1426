"""The connection: order, cancelled, malformed and unknown messages, the end."""

import json
import pathlib
import sys
import tempfile
import unittest

from client import Client, Failure, place, uri

IDC = sys.argv.pop(1)
TEXT = "algorithm f(x: f32[2^n]) -> f32[2^n] { return x |> reverse(n, 1); }\n"
# Elaborates for a while: every run unrolls to many steps.
SLOW = ("algorithm slow(x: f32[2^n]) -> f32[2^n] {\n"
        "  for i in 1..100000 { x = x |> reverse(n, 1) |> complement(1); }\n  return x;\n}\n")


class Protocol(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.path = pathlib.Path(holder.name).resolve() / "f.id"
        self.path.write_text(TEXT)

    def start(self, **options):
        return Client([IDC, "lsp"], **options)

    def failure(self, client, number):
        with self.assertRaises(Failure) as failure:
            client.answer(number)
        return failure.exception.code

    def hover(self, number, text=TEXT, marked="x |>"):
        return {"id": number, "method": "textDocument/hover",
                "params": {"textDocument": {"uri": uri(self.path)}, "position": place(text, marked)}}

    def test_before_initialize(self):
        client = self.start(initialize=False)
        client.send(self.hover(1))
        self.assertEqual(self.failure(client, 1), -32002)
        self.assertEqual(client.end(shutdown=False), 1)

    def test_initialize_twice(self):
        client = self.start()
        with self.assertRaises(Failure) as failure:
            client.request("initialize", {"capabilities": {}})
        self.assertEqual(failure.exception.code, -32600)
        self.assertEqual(client.end(), 0)

    def test_after_shutdown(self):
        client = self.start()
        client.request("shutdown", None)
        client.send(self.hover(50))
        self.assertEqual(self.failure(client, 50), -32600)
        client.notify("exit", None)
        self.assertEqual(client.end(shutdown=False), 0)

    def test_end_of_input(self):
        self.assertEqual(self.start().end(shutdown=False), 1)

    def test_exit_without_shutdown(self):
        client = self.start()
        client.notify("exit", None)
        self.assertEqual(client.process.wait(60), 1)
        client.end(shutdown=False)

    def test_unknown(self):
        client = self.start()
        client.send({"id": 7, "method": "textDocument/unheardOf", "params": {}})
        self.assertEqual(self.failure(client, 7), -32601)
        client.notify("$/unheardOf", {})  # such notifications are left alone
        self.assertEqual(client.open(self.path), [])
        client.end()

    def test_wrong_parameters(self):
        client = self.start()
        client.send({"id": 8, "method": "textDocument/hover", "params": {"position": "here"}})
        self.assertEqual(self.failure(client, 8), -32602)
        client.send({"id": 9, "method": "textDocument/hover",
                     "params": {"textDocument": {"uri": "http://elsewhere"}, "position": {"line": 0, "character": 0}}})
        self.assertEqual(self.failure(client, 9), -32602)
        client.notify("textDocument/didOpen", {"textDocument": 5})
        self.assertEqual(client.open(self.path), [])
        client.end()

    def test_malformed(self):
        client = self.start()
        for text in ("{", "[1, 2]", "5", '{"id": 1}', '{"jsonrpc": "2.0"}', '{"jsonrpc": "1.0", "id": 1, "method": "x"}',
                     '"' + "x" * 100000 + '"', "\0", json.dumps({"jsonrpc": "2.0", "method": 5})):
            client.send_text(text)
            while (message := client.receive()).get("id", 0) is not None:
                pass
            self.assertEqual(message["error"]["code"], -32600, text)
        client.process.stdin.write(b"Content-Length: x\r\n\r\nNonsense: 7\r\n\r\nContent-Length: 99999999999\r\n\r\n")
        client.process.stdin.flush()
        self.assertEqual(client.open(self.path), [])
        client.end()

    def test_positions_outside(self):
        client = self.start()
        client.open(self.path)
        for line, character in ((1000, 0), (0, 1000), (-1, -5), (2, 2)):
            for method in ("hover", "definition", "completion", "references", "prepareRename"):
                try:
                    client.at(method, self.path, {"line": line, "character": character},
                              context={"includeDeclaration": True})
                except Failure as failure:
                    self.assertIn(failure.code, (-32602, -32803))
        client.end()

    def test_document_that_is_not_open(self):
        # The file on the disk is read; one that is nowhere has nothing to say.
        client = self.start()
        self.assertIn("x: f32[2^n]", client.at("hover", self.path, place(TEXT, "x |>"))["contents"]["value"])
        nowhere = self.path.with_name("nowhere.id")
        self.assertIsNone(client.at("hover", nowhere, {"line": 0, "character": 0}))
        self.assertEqual(client.at("definition", nowhere, {"line": 3, "character": 9}), [])
        self.assertTrue(client.at("completion", nowhere, {"line": 0, "character": 0})["items"])
        client.end()

    def test_changes_out_of_order(self):
        client = self.start()
        client.open(self.path, TEXT, version=5)
        client.change(self.path, TEXT.replace("reverse", "wrong"), 7)
        client.send(  # an older text comes late, and one of a document that is not open
            {"method": "textDocument/didChange", "params": {
                "textDocument": {"uri": uri(self.path), "version": 6}, "contentChanges": [{"text": TEXT}]}},
            {"method": "textDocument/didChange", "params": {
                "textDocument": {"uri": uri(self.path.with_name("b.id")), "version": 6},
                "contentChanges": [{"text": "func"}]}})
        self.assertEqual(len(client.open(self.path.with_name("c.id"), TEXT)), 0)
        self.assertEqual(client.diagnostics[uri(self.path)]["version"], 7)
        self.assertEqual(len(client.diagnostics[uri(self.path)]["diagnostics"]), 1)
        self.assertNotIn(uri(self.path.with_name("b.id")), client.diagnostics)
        client.end()

    def test_cancelled(self):
        client = self.start()
        client.open(self.path, SLOW)
        # The first request takes a while; the second waits, is cancelled, and the third is answered.
        client.send(self.hover(60, SLOW, "x |>"), self.hover(61, SLOW, "x |>"),
                    {"method": "$/cancelRequest", "params": {"id": 61}}, self.hover(62, SLOW, "x |>"),
                    {"method": "$/cancelRequest", "params": {"id": "unknown"}}, {"method": "$/cancelRequest"})
        self.assertIn("x: f32[2^n]", client.answer(60)["contents"]["value"])
        self.assertEqual(self.failure(client, 61), -32800)
        self.assertIn("x: f32[2^n]", client.answer(62)["contents"]["value"])
        client.send({"method": "$/cancelRequest", "params": {"id": 62}})  # too late
        client.end()

    def test_typing_over(self):
        # Texts that come together are checked once, and it is the last one that is.
        client = self.start()
        client.open(self.path)
        client.diagnostics.clear()
        client.send(*({"method": "textDocument/didChange", "params": {
            "textDocument": {"uri": uri(self.path), "version": version},
            "contentChanges": [{"text": TEXT.replace("reverse(n, 1)", "a" * version)}]}} for version in range(2, 40)))
        while client.diagnostics.get(uri(self.path), {}).get("version") != 39:
            client.receive()
        [mistake] = client.diagnostics[uri(self.path)]["diagnostics"]
        self.assertIn("'" + "a" * 39 + "'", mistake["message"])
        client.end()


if __name__ == "__main__":
    unittest.main()
