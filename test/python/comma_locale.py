"""Programs compile in an application whose locale writes numbers with a comma: comma_locale.py NAME-OF-THE-LOCALE"""

import locale
import sys

import numpy as np

import idc

locale.setlocale(locale.LC_ALL, sys.argv[1])
assert locale.localeconv()["decimal_point"] == ","
squares = idc.compile("""
func weighted<T>(x: T) -> T { return x * x * T(0.375); }
algorithm squares<T = f64>(x: T[2^n]) -> T[2^n] { return x |> weighted; }
""").squares
x = np.arange(8.0)
np.testing.assert_array_equal(squares(x), 0.375 * x * x)
np.testing.assert_array_equal(squares.vjp(x, gradient=np.ones(8)), 0.75 * x)
assert locale.localeconv()["decimal_point"] == ","  # is left alone
