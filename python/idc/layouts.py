"""How an array lies in memory, as a layout of the compiler (docs/linking.md, "Layouts")."""

from __future__ import annotations

from typing import Optional

from .devices import View, dense_strides

# On a GPU dense arrays begin at multiples of this many bytes (IDC_POINTER_ALIGNMENT).
ALIGNMENT = 16


def _one_stride(lengths: tuple[int, ...], strides: list[int]) -> Optional[int]:
    """The distance of neighbours when all elements of several axes have one; None when they have not."""
    axes = [(length, stride) for length, stride in zip(lengths, strides) if length != 1]
    for (_, outer), (length, inner) in zip(axes, axes[1:]):
        if outer != inner * length:
            return None
    return axes[-1][1] if axes else 0


def layout_of(view: View, dimensions: int, on_host: bool) -> Optional[tuple[str, int]]:
    """The layout, empty for a dense array, and by how many bytes the pointer that goes with it lies before the array;
    None when no layout says where the elements are. The last `dimensions` axes are those of one problem. `on_host`: for
    code for the CPU, which takes arrays at any number."""
    if 0 in view.shape:
        return "", 0  # there are no elements
    size = view.dtype.itemsize
    if any(stride % size for stride in view.strides) or view.pointer % (view.dtype.alignment if on_host else size):
        return None
    first = len(view.shape) - dimensions
    shape = view.shape[first:]
    elements = 1
    for length in shape:
        elements *= length
    dense = dense_strides(shape)
    strides = [stride // size for stride in view.strides]
    own = [d if length == 1 else s for length, s, d in zip(shape, strides[first:], dense)]
    batch = _one_stride(view.shape[:first], strides[:first])
    several = any(length != 1 for length in view.shape[:first])
    if batch is None or batch < 0 or any(stride < 1 for stride in own):
        return None
    properties = []
    if own != dense:
        properties.append("stride:" + ":".join(map(str, own)))
    if several and (batch != elements or properties):
        properties.append(f"batch:{batch}")
    before = view.pointer % ALIGNMENT
    if before and not on_host and not (own and own[-1] > 1):
        properties.append(f"offset:{before // size}")
    else:
        before = 0
    return ",".join(properties), before
