"""The whole standard library in the editor: no program has mistakes, every name has a definition, every algorithm has
hints, and nothing ends the server."""

import pathlib
import re
import sys

from client import Client, uri

idc, stdlib = sys.argv[1:]
client = Client([idc, "lsp"], stdlib)
hinted = algorithms = words = defined = 0
for path in sorted(pathlib.Path(stdlib).glob("*.id")):
    text = path.read_text()
    assert client.open(path) == [], path
    outline = client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri(path)}})
    hints = client.request("textDocument/inlayHint", {
        "textDocument": {"uri": uri(path)},
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": text.count("\n") + 1, "character": 0}}})
    lines = [hint["position"]["line"] for hint in hints]
    for symbol in outline:
        if symbol["detail"] == "algorithm" and "|>" in "\n".join(
                text.split("\n")[symbol["range"]["start"]["line"]:symbol["range"]["end"]["line"] + 1]):
            algorithms += 1
            hinted += any(symbol["range"]["start"]["line"] <= line <= symbol["range"]["end"]["line"] for line in lines)
    for number, line in enumerate(text.split("\n")):
        for stage in re.finditer(r"\|> *(\w+)", line.split("//")[0]):
            words += 1
            position = {"line": number, "character": stage.start(1)}
            known = client.at("hover", path, position)["contents"]["value"]
            defined += bool(client.at("definition", path, position)) or "is defined by the language" in known
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri(path)}})
print(f"{hinted} of {algorithms} algorithms have hints; {defined} of {words} stages are defined")
assert client.end() == 0
assert words == defined and algorithms > 100
assert hinted > 0.85 * algorithms
