"""Compares `idc run --target reference` with evaluate.py on random programs, and on files given.

Programs that evaluate.py does not understand are counted; --least says how many it has to understand."""
import argparse
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

import evaluate


def storage(type):
    """numpy's name of a type's elements, struct's letter."""
    if type == "bool":
        return "|b1", "?"
    if type in evaluate.REALS:
        return ("<f4", "f") if type == "f32" else ("<f8", "d")
    if type in evaluate.PARTS:  # two numbers
        return ("<c8", "f") if type == "complex<f32>" else ("<c16", "d")
    if type in evaluate.INTEGERS:
        bits, signed = evaluate.INTEGERS[type]
    else:
        bits, signed = (32 if type[1] < 1 << 32 else 64), False
    letter = "i" if bits == 32 else "q"
    return f"<{'i' if signed else 'u'}{bits // 8}", letter if signed else letter.upper()


def write_array(path, type, batch, values):
    descr, letter = storage(type)
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({batch}, {len(values) // batch}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        if type in evaluate.PARTS:
            values = [part for value in values for part in (value.real, value.imag)]
        file.write(struct.pack(f"<{len(values)}{letter}", *values))


def read_array(path, type):
    with open(path, "rb") as file:
        data = file.read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    letter = storage(type)[1]
    values = struct.unpack(f"<{(len(data) - start) // struct.calcsize(letter)}{letter}", data[start:])
    if type in evaluate.PARTS:
        return [complex(*pair) for pair in zip(values[::2], values[1::2])]
    return list(values)


def agree(type, actual, wanted):
    if type not in evaluate.REALS and type not in evaluate.PARTS:
        return actual == wanted
    # Far more than rounding, far less than what another meaning gives.
    return len(actual) == len(wanted) and all(abs(a - w) <= 1e-3 * (1 + abs(w)) for a, w in zip(actual, wanted))


def draw(type, generator):
    if type == "bool":
        return generator.random() < 0.5
    if type in evaluate.REALS:
        return generator.uniform(-1, 1)
    if type in evaluate.PARTS:
        return complex(generator.uniform(-1, 1), generator.uniform(-1, 1))
    if type in evaluate.INTEGERS:
        return evaluate.wrapped(type, generator.choice((generator.getrandbits(64), generator.randrange(-4, 5))))
    return generator.choice((generator.randrange(type[1]), generator.randrange(min(3, type[1])), type[1] - 1))


def compare(options, text, entry, folder, generator):
    """None, or what differs; raises Unsupported."""
    evaluator = evaluate.Evaluator(text)
    inputs = evaluator.inputs(entry)
    evaluate.need(all(type not in evaluator.program["type"] for type, _ in inputs), "records")
    batch = 2
    data = [[[draw(type, generator) for _ in range(elements)] for type, elements in inputs] for _ in range(batch)]
    expected = [evaluator.run_entry(entry, problem) for problem in data]
    program = os.path.join(folder, "program.id")
    with open(program, "w", encoding="utf-8") as file:
        file.write(text)
    command = [options.idc, "run", program, "--entry", entry, "--target", options.target, "--batch", str(batch)]
    for i, (type, _) in enumerate(inputs):
        path = os.path.join(folder, f"x{i}.npy")
        write_array(path, type, batch, [v for problem in data for v in problem[i]])
        command += ["--input", path]
    outputs = [os.path.join(folder, f"y{i}.npy") for i in range(len(expected[0]))]
    for path in outputs:
        command += ["--output", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return " ".join(command) + "\n" + done.stdout + done.stderr
    for i, path in enumerate(outputs):
        type = expected[0][i][0]
        wanted = [v for problem in expected for v in problem[i][1]]
        actual = read_array(path, type)
        if not agree(type, actual, wanted):
            return f"result {i}:\n{actual}\ninstead of\n{wanted}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--idc", default="idc")
    parser.add_argument("--random", default="idc-random")
    parser.add_argument("--target", default="reference")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=0, help="random programs")
    parser.add_argument("--least", type=int, default=0, help="programs that must have been compared")
    parser.add_argument("files", nargs="*", help="programs with the entry f")
    options = parser.parse_args()
    programs = [open(path, encoding="utf-8").read() for path in options.files]
    if options.count:
        printed = subprocess.run([options.random, "--print", "--seed", options.seed, "--count", str(options.count)],
                                 capture_output=True, text=True, check=True).stdout
        programs += re.split(r"^// program .*\n", printed, flags=re.M)[1:]
    generator = random.Random(int(options.seed))
    compared = failed = 0
    missing = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(programs):
            try:
                difference = compare(options, text, "f", folder, generator)
            except evaluate.Unsupported as reason:
                missing[str(reason)] = missing.get(str(reason), 0) + 1
                continue
            compared += 1
            if difference:
                failed += 1
                print(f"// program {number} of seed {options.seed}\n{text}\n{difference}")
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(missing.items(), key=lambda m: -m[1])[:8])
    print(f"{compared} programs compared, {failed} differ; not understood: {reasons}")
    return 1 if failed or compared < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
