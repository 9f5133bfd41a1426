#!/usr/bin/env python3
"""Writes what the targets of libFuzzer begin with: OUT/programs and OUT/readers, one file for each input.

    seeds.py --idc IDC [--few] OUT FILE.id…

Programs are the files given, by name of the file, and algorithms of the standard library at small sizes, with the
schedules that idc plans for them (--few: without these). Other inputs are what idc and NumPy write.
"""

import argparse
import io
import json
import os
import pathlib
import subprocess

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
LARGEST = 20000  # bytes of a program that is worth the time


def requests():
    """Small requests for the library's algorithms: file, entry, settings."""
    library = json.loads((ROOT / "test/unit/stdlib/library.json").read_text())
    for program in library["programs"]:
        lengths = program.get("lengths", [3])
        settings = [f"{size}={lengths[min(3, len(lengths) - 1)]}" for size in program.get("sizes", ["n"])]
        settings += [f"T={type}" for type in library["types"][program["types"]][:1]]
        yield program["file"], program["name"], settings


def given(files):
    for path in files:
        text = pathlib.Path(path).read_bytes()
        if len(text) <= LARGEST:
            yield path.replace("/", "-"), text


def planned(idc):
    for file, entry, settings in requests():
        path = ROOT / "stdlib" / file
        command = [idc, "compile", path, "--entry", entry, "--print-schedule", *(f"--set={s}" for s in settings)]
        schedule = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        text = f"//! {entry} {' '.join(settings)} for sm_90\n{path.read_text()}\n{schedule}"
        if len(text) <= LARGEST:
            yield f"{entry}.id", text.encode()


def array_file(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def message(method, parameters, number=1):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters})


def session(text, name):
    """An editor that opens a program and asks for everything at a place of it."""
    document = {"uri": "file:///tmp/" + name}
    place = {"textDocument": document, "position": {"line": 3, "character": 12}}
    lines = [message("textDocument/didOpen",
                     {"textDocument": {**document, "languageId": "idc", "version": 1, "text": text}})]
    for method in ("hover", "definition", "references", "prepareRename", "completion"):
        lines.append(message("textDocument/" + method, {**place, "context": {"includeDeclaration": True}}))
    lines.append(message("textDocument/rename", {**place, "newName": "renamed"}))
    for method in ("documentSymbol", "formatting", "inlayHint"):
        lines.append(message("textDocument/" + method, {
            "textDocument": document, "options": {"tabSize": 2, "insertSpaces": True},
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 20, "character": 0}}}))
    lines += [message("$/cancelRequest", {"id": 1}), message("shutdown", None), message("exit", None)]
    return "\n".join(lines)


def readers(idc):
    """Name of the reader, and what it reads."""
    records = np.dtype([("v", "<f4"), ("inner", [("i", "<u4", (2,)), ("b", "?")])], align=True)
    for array in (np.arange(4), np.zeros((2, 3), "c8"), np.array(1.5), np.zeros(2, "f2"), np.zeros(3, records)):
        yield "array", array_file(array)
    for text in ("complex<f64>", "mod<97>", "f32[4]", "{a: f32, b: {c: u8, d: bf16[2]}}"):
        yield "element", text
    for target in ("--arch=sm_90", "--target=cpu"):
        for file, entry, settings in list(requests())[::20]:
            command = [idc, "compile", ROOT / "stdlib" / file, "--entry", entry, target, "--emit=manifest",
                       *(f"--set={s}" for s in settings)]  # fmt: skip
            yield "manifest", subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout
    for text in ("reg(13..9) lane(5..1) warp(8..6)", "reg(1 (2^3)) lane(3) rank(_) block(4)", "turn(2) reg(1)"):
        yield "mapping", text
    for text in ("cluster 4 persistent", "team 256 dependent", "grid", "tickets blocks 4", "resident 3"):
        yield "launch", text
    for text in ("m=2\nx=stride:4,offset:1,batch:4096", "n=3\nx=stride:8:1\ny0=planar", "T=complex<f32>\nx=batch:2*2^n"):
        yield "request", text
    for name in ("haar.id", "scan.id", "complex.id"):
        yield "messages", session((ROOT / "stdlib" / name).read_text(), name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--idc", required=True)
    parser.add_argument("--few", action="store_true")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    for folder in ("programs", "readers"):
        os.makedirs(options.out / folder, exist_ok=True)
    for name, text in list(given(options.files)) + ([] if options.few else list(planned(options.idc))):
        (options.out / "programs" / name).write_bytes(text)
    for number, (name, content) in enumerate(readers(options.idc)):
        content = content if isinstance(content, bytes) else content.encode()
        (options.out / "readers" / f"{name}-{number}").write_bytes(name.encode() + b"\n" + content)


if __name__ == "__main__":
    main()
