"""Sizes of a program from the shapes of arrays: lengths that are expressions, like 2^n or N / 2 + 1, solved for a name.

An expression is what idc_result_description() says: a number, a name, or [operator or function, argument, ...].
"""

from __future__ import annotations

from typing import Optional, Union

Expression = Union[int, str, list]


def value(expression: Expression, known: dict[str, int]) -> Optional[int]:
    """The value, as the language computes it; None when it has names that are not known, or other functions."""
    if isinstance(expression, int):
        return expression
    if isinstance(expression, str):
        return known.get(expression)
    operands = [value(operand, known) for operand in expression[1:]]
    if any(operand is None for operand in operands):
        return None
    a, b = (operands + [0, 0])[:2]
    operator = expression[0]
    if operator == "-" and len(operands) == 1:
        return -a
    if operator in ("/", "%") and b == 0:
        return None
    if operator == "^" and b < 0:
        return None
    functions = {
        "+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a // b, "%": lambda: a % b,
        "^": lambda: a**b, "min": lambda: min(operands), "max": lambda: max(operands),
        "log2_ceil": lambda: max(a - 1, 0).bit_length(),
    }  # fmt: skip
    return functions[operator]() if operator in functions else None


def names(expression: Expression) -> set[str]:
    if isinstance(expression, str):
        return {expression}
    return set().union(*map(names, expression[1:])) if isinstance(expression, list) else set()


class NoSize(Exception):
    """No value of a name makes an expression the length that an array has."""


def _inverse(expression: Expression, result: int, known: dict[str, int]) -> Optional[tuple[str, int]]:
    """The one unknown name and the one value that it has; None when there are several values or no rule."""
    if isinstance(expression, str):
        return expression, result
    if not isinstance(expression, list) or len(expression) != 3:
        return None
    operator, left, right = expression
    a, b = value(left, known), value(right, known)
    if (a is None) == (b is None):
        return None
    if operator == "+":
        return _inverse(right, result - a, known) if b is None else _inverse(left, result - b, known)
    if operator == "-":
        return _inverse(right, a - result, known) if b is None else _inverse(left, result + b, known)
    if operator == "*":
        factor, unknown = (a, right) if b is None else (b, left)
        if factor and result % factor:
            raise NoSize
        return _inverse(unknown, result // factor, known) if factor else None
    if operator == "/" and b == 1:
        return _inverse(left, result, known)
    if operator == "^" and b is None and a > 1 and result > 0:
        exponent = 0
        while a**exponent < result:
            exponent += 1
        if a**exponent != result:
            raise NoSize
        return _inverse(right, exponent, known)
    if operator == "^" and a is None and b > 0 and result >= 0:
        root = round(result ** (1.0 / b))
        if root**b != result:
            raise NoSize
        return _inverse(left, root, known)
    return None


def solve(lengths: list[tuple[Expression, int]], known: dict[str, int]) -> None:
    """Adds to `known` the names that the lengths, pairs of an expression and its value, decide. Raises NoSize with a
    length that no value makes, and its expression."""
    found = True
    while found:
        found = False
        for expression, length in lengths:
            if len(names(expression) - known.keys()) == 1:
                try:
                    solution = _inverse(expression, length, known)
                except NoSize:
                    raise NoSize(length, text(expression)) from None
                if solution:
                    known[solution[0]] = solution[1]
                    found = True


def text(expression: Expression) -> str:
    """As in the language."""
    if not isinstance(expression, list):
        return str(expression)
    operator, operands = expression[0], [text(operand) for operand in expression[1:]]
    if operator.isidentifier():
        return f"{operator}({', '.join(operands)})"
    if len(operands) == 1:
        return f"{operator}{operands[0]}"
    operands = [f"({o})" if isinstance(e, list) else o for e, o in zip(expression[1:], operands)]
    return (operator if operator == "^" else f" {operator} ").join(operands)
