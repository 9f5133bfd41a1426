"""Programs in notebooks: `%load_ext idc.language`, then cells that begin with `%%idc`.

    %%idc haar
    node split<T>(x: T[2]) -> T[2] { return [x[0] + x[1], x[0] - x[1]]; }
    algorithm level<T>(x: T[2^n]) -> T[2^n] { return x |> split @ 1; }

makes `haar` a program (idc.Program) whose algorithms are functions; without a name it is called `program`. What is wrong is
shown with its line. `haar.level.explain(n=4, T="f32")` shows the kernels in place (Entry.explain).
"""

from __future__ import annotations

from typing import Any, Optional

from .errors import CompileError
from .program import Program, compile


def cell(name: str, text: str, namespace: dict[str, Any]) -> Optional[Program]:
    """The program of a cell, put into `namespace` under its name.

    >>> own = {}
    >>> cell("twice", "func f<T>(x: T) -> T { return x + x; } algorithm all<T>(x: T[N]) -> T[N] { return x |> f; }", own)
    <idc program twice: all>
    >>> own["twice"].all([1.0, 2.0])
    array([2., 4.])
    """
    name = name.strip() or "program"
    if not name.isidentifier():
        raise ValueError(f"'{name}' is no name for a program")
    namespace[name] = program = compile(text, name)
    return program


def load_ipython_extension(shell) -> None:
    """Called by `%load_ext idc.language`."""

    def idc(line: str, text: str):
        try:
            return cell(line, text, shell.user_ns)
        except CompileError as error:
            print(error)  # the compiler's own text, with line and caret, in place of a traceback
            return None

    shell.register_magic_function(idc, magic_kind="cell", magic_name="idc")
