"""Names the messages of the front end that no test expects: the longest piece of text of each call that reports an
error has to stand in a file below test/ or in a page of documentation, whose examples are tests.

    untested.py ROOT      prints FILE:LINE: PIECES for each; exit status 1 when there is one
"""

import pathlib
import re
import sys

CALL = re.compile(r"\b(?:fail|error)\s*\(")
PIECE = re.compile(r'"((?:[^"\\]|\\.)*)"')

# What an earlier check reports already, so that no program gets there; a defect would.
UNREACHABLE = {
    "cannot parse: ": "an exception inside ANTLR",
    "internal error: formatting '": "a defect of the formatter",
    "' is not bound here": "names are checked before",
    "' is not applied to sequences": "stages are checked before",
    "a high and a low digit, or a dimension": "numbers of arguments are checked before",
    "' takes one type": "numbers of arguments are checked before",
    "'omega' takes the order and the exponent": "numbers of arguments are checked before",
    "a pipe may stand only in the body of an algorithm, outside the arguments of funcs and nodes": "checked before",
    " is an integer, but ": "values are compared with the parameter's type before",
}


def call_at(text, start):
    """The text from the opening parenthesis at `start` to the one that closes it."""
    depth, at = 0, start
    while at < len(text):
        if text[at] == '"':
            at = PIECE.match(text, at).end()
            continue
        depth += (text[at] == "(") - (text[at] == ")")
        at += 1
        if depth == 0:
            break
    return text[start:at]


def main():
    root = pathlib.Path(sys.argv[1])
    pages = [root / "docs" / "language.md", root / "docs" / "tutorial.md"]
    files = [path for path in (root / "test").rglob("*") if path.suffix in (".id", ".test", ".cpp", ".mlir")]
    expected = "\n".join(path.read_text(errors="replace") for path in files + pages)
    calls = missing = 0
    for path in sorted((root / "compiler" / "frontend").glob("*.cpp")):
        text = path.read_text()
        for found in CALL.finditer(text):
            pieces = [piece for piece in PIECE.findall(call_at(text, found.end() - 1)) if len(piece.strip()) > 7]
            if not pieces:
                continue
            calls += 1
            piece = max(pieces, key=len)
            if piece.strip() not in expected and not any(known in UNREACHABLE for known in pieces):
                missing += 1
                print(f"{path.relative_to(root)}:{text.count(chr(10), 0, found.start()) + 1}: {' … '.join(pieces)}")
    print(f"{calls} messages, {missing} without a test")
    sys.exit(1 if missing or not calls else 0)


if __name__ == "__main__":
    main()
