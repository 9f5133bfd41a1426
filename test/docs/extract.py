"""Runs the examples of a page of documentation.

    extract.py PAGE.md FOLDER      (idc on the PATH; FOLDER receives the programs)

An example is a fenced block of the language `id`. Its lines that begin with //! say what to do with it:

    //! ENTRY n=3 T=f64: 0..3, 1 0 0 1 -> 2 4 6 8     run with these inputs, one list for each; these outputs come
    //! ENTRY n=3: random -> np.fft.fft(x)           the same with random input; NumPy computes the output
    //! ENTRY n=3 for sm_90                           it compiles to kernels for that machine
    //! ENTRY n=3 error: MESSAGE                      this is the first error
    //! error: MESSAGE                                the same without sizes
    //! file NAME.id                                  later examples of the page may import this one under this name

Every program runs by the direct evaluator, and through kernels for the CPU where the compiler makes them; a refusal that
ends in "yet" or speaks of what kernels need "so far" is counted, nothing else may fail. A number is written as in `3`, `-0.5`, `1/3`, `2-1i`, `inf`; `0..7` are
eight of them.
"""

import collections
import concurrent.futures
import fractions
import json
import os
import re
import subprocess
import sys

import numpy as np

DTYPES = {
    "bool": "?", "i8": "i1", "i16": "i2", "u8": "u1", "u16": "u2", "i32": "i4", "i64": "i8", "u32": "u4", "u64": "u8", "f16": "f2", "bf16": "f4", "f32": "f4", "f64": "f8",
    "complex<f32>": "c8", "complex<f64>": "c16",
}  # fmt: skip


class Wrong(Exception):
    """An example that does not do what the page says, or that cannot be understood."""


def split(text, separators=","):
    """The parts of `text` between separators outside brackets."""
    parts, depth, part = [], 0, ""
    for c in text:
        depth += (c in "([{<") - (c in ")]}>")
        if c in separators and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    return parts + [part.strip()] if part.strip() else parts


def number(word):
    if re.fullmatch(r"-?\d+/\d+", word):
        return float(fractions.Fraction(word))
    if word.endswith("i"):
        return complex(word[:-1] + "j")
    return int(word) if re.fullmatch(r"-?\d+", word) else float(word)


def numbers(text):
    values = []
    for word in text.split():
        run = re.fullmatch(r"(-?\d+)\.\.(-?\d+)", word)
        values += range(int(run[1]), int(run[2]) + 1) if run else [number(word)]
    return values


class Program:
    """The text of an example, as far as inputs must be made for it."""

    def __init__(self, text):
        self.text = text

    def entry(self, name):
        """Type variables with their defaults, and (name, type) of each parameter, sequences before scalars."""
        found = re.search(r"\balgorithm\s+" + name + r"\s*(<.*?>)?\s*\((.*?)\)\s*->", self.text, re.S)
        if not found:
            raise Wrong(f"the example has no algorithm {name}")
        generics = dict(
            (part + "=").replace(" ", "").split("=")[:2] for part in split((found[1] or "<>")[1:-1])
        )
        parameters = [[word.strip() for word in part.split(":", 1)] for part in split(found[2])]
        return generics, sorted(parameters, key=lambda p: "[" not in p[1])

    def dtype(self, spelling, types):
        """The NumPy type of an element's leaves."""
        spelling = re.sub(r"\[.*", "", spelling).replace(" ", "")
        spelling = re.sub(r"\b\w+\b", lambda m: types.get(m[0]) or m[0], spelling)
        if spelling.startswith("mod<"):
            modulus = spelling[4:-1]
            constant = re.search(r"\bconst\s+" + modulus + r"\s*=\s*(.*?);", self.text)
            value = eval((constant[1] if constant else modulus).replace("^", "**"))
            return "u4" if value <= 2**32 else "u8"
        if spelling in DTYPES:
            return DTYPES[spelling]
        record = re.match(r"(\w+)(?:<(.*)>)?$", spelling)
        found = re.search(r"\btype\s+" + record[1] + r"(?:<(.*?)>)?\s*=\s*\{\s*\w+\s*:\s*([^,}]*)", self.text)
        if not found:
            raise Wrong(f"no NumPy type for {spelling}")
        arguments = dict(zip(split(found[1] or ""), split(record[2] or "")))
        return self.dtype(found[2], arguments)


class Test:
    """One //! line."""

    def __init__(self, place, text, directive, path):
        self.place, self.program, self.directive, self.path = place, Program(text), directive, path
        self.kernels, self.refusal = False, None

    def run(self):
        static = re.fullmatch(r"error: (.*)", self.directive)
        named = re.match(r"(\w+)((?: \w+=\S+?)*?)(?: for (\w+)$| error: |: )", self.directive)
        if static:
            return self.expect_error([], static[1])
        if not named:
            raise Wrong(f"cannot read '{self.directive}'")
        settings = dict(word.split("=", 1) for word in named[2].split())
        flags = ["--entry", named[1]] + [word for item in named[2].split() for word in ("--set", item)]
        rest = self.directive[named.end() :]
        if named[3]:
            self.idc("compile", flags + ["--arch", named[3], "--emit=stages"])
        elif named[0].endswith(" error: "):
            self.expect_error(flags, rest)
        else:
            self.expect_values(named[1], settings, flags, rest)

    def idc(self, command, flags):
        arguments = ["idc", command, self.path] + flags
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Wrong(f"{' '.join(arguments)}\n{done.stderr}")
        return done

    def expect_error(self, flags, message):
        arguments = ["idc", "check", self.path, "--json"] + flags
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        messages = [found["message"] for found in json.loads(done.stdout or "[]")]
        if not messages or done.returncode != 1:
            raise Wrong(f"no error, but expected: {message}\n{done.stderr}")
        if messages[0] != message:
            raise Wrong(f"the error is: {messages[0]}\nexpected is:  {message}")

    def expect_values(self, entry, settings, flags, values):
        given, expected = [part.strip() for part in values.split("->", 1)]
        generics, parameters = self.program.entry(entry)
        types = {**generics, **{name: value for name, value in settings.items() if not value.lstrip("-").isdigit()}}
        names = {"np": np}
        words = split(given)
        if len(words) != len(parameters):
            raise Wrong(f"{entry} has {len(parameters)} inputs, but {len(words)} are given")
        for i, ((name, spelling), word) in enumerate(zip(parameters, words)):
            dtype = np.dtype(self.program.dtype(spelling, types))
            if "[" not in spelling:
                (value,) = numbers(word)
                names[name] = value
                text = f"{value.real},{value.imag}" if dtype.kind == "c" else str(value)
                flags = flags + ["--scalar", f"{name}={text}"]
                continue
            names[name] = np.array(numbers(word), dtype) if word != "random" else self.random(name, dtype, spelling, settings)
            np.save(f"{self.path}.{name}.npy", names[name])
            flags = flags + ["--input", f"{self.path}.{name}.npy"]
        try:
            wanted = [np.array(numbers(part)) for part in split(expected)]
        except ValueError:
            wanted = eval(expected, names)
            wanted = [np.ravel(part) for part in (wanted if isinstance(wanted, tuple) else (wanted,))]
        for target in "reference", "cpu":
            try:
                self.compare(target, flags, wanted)
            except Wrong as error:
                refusal = re.search(r"error: (.*) yet$|error: (.*) so far\b", str(error), re.M)
                if target != "cpu" or not refusal:
                    raise
                self.refusal = refusal[1] or refusal[2]
            else:
                self.kernels = target == "cpu"

    def random(self, name, dtype, spelling, settings):
        length = re.search(r"\[(.*)\]", spelling)[1].replace("^", "**").replace("][", ")*(")
        length = re.sub(r"\w+:", "", length)
        length = eval(f"({length})", {name: int(value) for name, value in settings.items() if value.isdigit()})
        source = np.random.default_rng(sum(map(ord, name)))
        if dtype.kind in "iu":
            return source.integers(0, 100, length).astype(dtype)
        values = source.standard_normal(length)
        return (values + 1j * source.standard_normal(length) if dtype.kind == "c" else values).astype(dtype)

    def compare(self, target, flags, wanted):
        files = [f"{self.path}.{target}.{i}.npy" for i in range(len(wanted))]
        self.idc("run", flags + ["--target", target] + [word for file in files for word in ("--output", file)])
        for file, values in zip(files, wanted):
            actual = np.load(file).ravel()
            exact = actual.dtype.kind in "iub"
            scale = np.max(np.abs(values[np.isfinite(values)]), initial=0)
            same = actual.shape == values.shape and (
                np.array_equal(actual, values)
                if exact
                else np.allclose(actual, values, rtol=1e-5, atol=1e-5 * scale, equal_nan=True)
            )
            if not same:
                raise Wrong(f"{target}: the output is {actual.tolist()}\nexpected is  {values.tolist()}")


def tests(page, folder):
    """The tests of a page, their programs written into the folder."""
    text = open(page, encoding="utf-8").read()
    for block in re.finditer(r"^( *)```id\n(.*?)^ *```", text, re.S | re.M):
        line = text.count("\n", 0, block.start()) + 2
        place = f"{page}:{line}"
        directives = [(i, found[1]) for i, row in enumerate(block[2].splitlines()) if (found := re.match(r" *//! (.*)", row))]
        path = os.path.join(folder, f"line{line}.id")
        for _, directive in directives:
            if directive.startswith("file "):
                path = os.path.join(folder, directive[5:])
        with open(path, "w", encoding="utf-8") as program:
            program.write(block[2])
        found = [(i, directive) for i, directive in directives if not directive.startswith("file ")]
        if not directives:
            yield Test(place, block[2], "says nothing about what it does", path)
        for number, (i, directive) in enumerate(found):
            own = path
            if number:  # runs at the same time as the others, with arrays of its own
                own = f"{path[:-3]}.{number}.id"
                with open(own, "w", encoding="utf-8") as program:
                    program.write(block[2])
            yield Test(f"{page}:{line + i}", block[2], directive, own)


def main(page, folder):
    os.makedirs(folder, exist_ok=True)
    everything = list(tests(page, folder))

    def run(test):
        try:
            test.run()
        except (Wrong, ValueError, SyntaxError, NameError) as error:
            return f"{test.place}: {test.directive}\n  " + str(error).strip().replace("\n", "\n  ")
        return None

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [failure for failure in pool.map(run, everything) if failure]
    for failure in failures:
        print(failure)
    print(f"{sum(test.kernels for test in everything)} through kernels for the CPU")
    refusals = collections.Counter(re.sub(r"'.*?'", "'…'", test.refusal) for test in everything if test.refusal)
    for refusal, count in refusals.most_common():
        print(f"no kernels yet for {count}: {refusal}")
    print(f"{os.path.basename(page)}: {len(everything) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures or not everything else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
