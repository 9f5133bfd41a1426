"""Whether the roots of unity on standard input, as idc-roots prints them, are correctly rounded: by mpmath.

As f64, and as f32, to which f64 is rounded once more.
"""

import struct
import sys

import mpmath


def nearest(x):
    """The double next to a number of many digits; Python divides integers with one rounding."""
    sign, mantissa, exponent, _ = x._mpf_
    value = mantissa / (1 << -exponent) if exponent < 0 else float(mantissa << exponent)
    return -value if sign else value


def as_f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def main():
    mpmath.mp.prec = 200
    count = wrong = 0
    for line in sys.stdin:
        order, exponent, real, imaginary = line.split()
        turns = mpmath.mpf(2 * int(exponent)) / int(order)
        exact = mpmath.cospi(turns), -mpmath.sinpi(turns)
        got, expected = [float.fromhex(real), float.fromhex(imaginary)], [nearest(x) for x in exact]
        with mpmath.workprec(24):
            expected_f32 = [float(+x) for x in exact]
        count += 1
        if got != expected or [as_f32(x) for x in got] != expected_f32 or "-0x0p" in line:
            wrong += 1
            print("wrong:", line.rstrip(), "expected", *(x.hex() for x in expected))
    print(count, "roots,", wrong, "wrong")


main()
