"""Random programs of steps that take near and far elements of each other's results, longer than a block holds: the GPU's
kernels in the emulator give what the program says."""

import argparse
import pathlib
import random
import subprocess
import sys

FUNCS = """
func both(x: i32, y: i32) -> i32 { return 3 * x - y; }
func three(x: i32, y: i32, z: i32) -> i32 { return max(x, y) + 5 * z; }
func known(x: i32, y: i32, k: i64) -> i32 { return select(k % 3 == 0, x + y, x - 2 * y); }
func inside(x: i32, y: i32, is_inside: bool) -> i32 { return x + select(is_inside, y, 7); }
func halves(x: i32, y: i32, first: bool) -> i32 { return select(first, x, y); }
"""


def index(draw):
    """An index near k, mostly."""
    by = draw.choice([1, 1, 2, 3, 5, 17, 100, 400])
    return draw.choice([
        f"max(index() - {by}, 0)", f"min(index() + {by}, N - 1)", f"(index() - {by}) % N", f"(index() + {by}) % N",
        f"min(max(index() - {by}, 0) + {by // 2}, N - 1)", f"index() / {by} * {by}", f"(index() + N - {by}) % N",
        "N - 1 - index()" if draw.random() < 0.3 else f"max(min(index() + {by}, N - 2), 1)",
    ])


def program(draw):
    arguments = ["x", "w"][: draw.choice([1, 1, 2])]
    values, lines = list(arguments), []
    for number in range(draw.randint(3, 9)):
        # The last values more often, so that steps follow each other.
        take = lambda: values[-1] if draw.random() < 0.6 else draw.choice(values)
        near = lambda: f"{take()} |> gather({index(draw)})" if draw.random() < 0.8 else take()
        step = draw.choice([
            f"({take()}, {near()}) |> both", f"({take()}, {near()}, {near()}) |> three",
            f"({take()}, {near()}) |> known(index())", f"({take()}, {near()}) |> inside(index() >= {draw.randint(1, 9)})",
            f"({near()}, {near()}) |> halves(index() < N / {draw.randint(2, 5)})",
        ])
        lines.append(f"  let v{number} = {step};")
        values.append(f"v{number}")
    results = [values[-1]] + [value for value in values[len(arguments):-1] if draw.random() < 0.15]
    types = ", ".join(["i32[N]"] * len(results))
    header = f"algorithm near({', '.join(f'{a}: i32[N]' for a in arguments)}) -> ({types}) {{"
    returned = f"  return ({', '.join(results)});" if len(results) > 1 else f"  return {results[0]};"
    if len(results) == 1:
        header = header.replace("(i32[N])", "i32[N]")
    return "\n".join([FUNCS, header, *lines, returned, "}", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    failed = tiled = 0
    for number in range(options.count):
        draw = random.Random(f"{options.seed}/{number}")
        file = options.folder / f"near-{options.seed}-{number}.id"
        file.write_text(program(draw))
        size = draw.choice([16384, 16385, 16411, 20000, 32768, 50000])
        command = ["idc", "run", str(file), "--entry", "near", "--set", f"N={size}", "--target", "emulate", "--batch", "2",
                   "--verify", "--tolerance", "0", "--interleaving", draw.choice(["random", "greedy", "reverse"])]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            failed += 1
            print(" ".join(command), done.stdout, done.stderr, file.read_text(), sep="\n")
        stages = subprocess.run(["idc", "compile", str(file), "--entry", "near", "--set", f"N={size}", "--emit=stages"],
                                capture_output=True, text=True, check=False)
        tiled += "arith.andi" in stages.stdout
    print(f"{options.count} programs, {tiled} of them in tiles, {failed} failed")
    return 1 if failed or not tiled else 0


if __name__ == "__main__":
    sys.exit(main())
