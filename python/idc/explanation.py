"""What becomes of an algorithm on a GPU: text and pictures, as `idc explain` makes them."""

from __future__ import annotations

import html
from typing import Optional


class Explanation:
    """Kernels, mappings and counted bytes. `str()` is the text; a notebook shows the pictures in place.

    `digits`, `kernels` and `circuit` are SVG documents: the steps on the digits of the index, which digit is held by
    what in each kernel, and the elements as wires, which is None for programs of more than 64.
    """

    def __init__(self, text: str, digits: str, kernels: str, circuit: Optional[str]):
        self.text, self.digits, self.kernels, self.circuit = text, digits, kernels, circuit

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        pictures = [picture for picture in (self.circuit, self.digits, self.kernels) if picture]
        return "".join(f"<div>{_inline(picture)}</div>" for picture in pictures) + f"<pre>{html.escape(self.text)}</pre>"


def _inline(document: str) -> str:
    """An SVG document as a part of a page: without what stands before its element."""
    return document[document.index("<svg") :]
