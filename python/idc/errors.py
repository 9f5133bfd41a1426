"""What goes wrong, as exceptions and warnings."""

from __future__ import annotations

import os
import sys
import warnings


class Error(Exception):
    """A call that cannot be done: arguments that do not fit, a library that is not there, a failure of the runtime."""


class CompileError(Error):
    """A program or a request that is wrong.

    Its text is what the compiler prints: every message with its place, the line of the source and a caret.
    `diagnostics` has the messages one by one; `file`, `line` and `column` (from 1; 0 when there is none) are the place
    of the first, `text` is what it says, `source` the whole of its rendering.
    """

    def __init__(self, diagnostics: list["Diagnostic"]):
        super().__init__("".join(d.rendered for d in diagnostics).rstrip("\n"))
        first = diagnostics[0]
        self.diagnostics = diagnostics
        self.file, self.line, self.column = first.file, first.line, first.column
        self.text, self.source = first.text, first.rendered


class Diagnostic:
    """A message of the compiler: `severity` ("error", "note"), `file`, `line`, `column`, `text`, `rendered`."""

    def __init__(self, severity: str, file: str, line: int, column: int, text: str, rendered: str):
        self.severity, self.file, self.line, self.column = severity, file, line, column
        self.text, self.rendered = text, rendered

    def __repr__(self) -> str:
        return f"Diagnostic({self.rendered!r})"


class CopyWarning(UserWarning):
    """An array lay in memory in a way that compiled code cannot read, and was copied. Said once for each place."""


def warn_of_copy(message: str) -> None:
    """Warns at the caller's line, the first outside this package."""
    here, level, frame = os.path.dirname(__file__), 1, sys._getframe()
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == here:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, CopyWarning, level)
