"""Element types of the language and NumPy's."""

from __future__ import annotations

from typing import Optional

import numpy as np

from .errors import Error

_NUMBERS = {
    "bool": "?", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8",
    "f16": "f2", "f32": "f4", "f64": "f8", "complex<f32>": "c8", "complex<f64>": "c16",
}  # fmt: skip
_NAMES = {np.dtype(code): name for name, code in _NUMBERS.items()}


def name_of(dtype: np.dtype) -> Optional[str]:
    """The language's name for a dtype, or None."""
    return _NAMES.get(dtype)


def dtype_of(spelling: str) -> np.dtype:
    """The dtype of elements as manifests spell them: numbers, residues, records as structured dtypes laid out as in C."""
    dtype, rest = _read(spelling)
    if rest:
        raise Error(f"unknown element type '{spelling}'")
    return dtype


def _read(spelling: str) -> tuple[np.dtype, str]:
    if spelling.startswith("{"):
        fields, rest = [], spelling[1:]
        while not rest.startswith("}"):
            name, rest = rest.lstrip(", ").split(":", 1)
            dtype, rest = _read(rest.lstrip())
            fields.append((name, dtype))
        return np.dtype(fields, align=True), rest[1:]
    if spelling.startswith("mod<"):
        modulus, rest = spelling[4:].split(">", 1)
        return np.dtype("u4" if int(modulus) <= 2**32 else "u8"), rest
    end = next((i for i, c in enumerate(spelling) if c in ",}"), len(spelling))
    word, rest = spelling[:end].strip(), spelling[end:]
    if word not in _NUMBERS:
        raise Error(f"NumPy has no dtype for elements of type '{word}'")
    return np.dtype(_NUMBERS[word]), rest


def real_of(dtype: np.dtype) -> np.dtype:
    """The dtype of a complex one's parts; others are their own."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype
