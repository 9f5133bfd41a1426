"""Random programs of steps that take near and far elements of each other's results, longer than a block holds, or in rows
and columns: the GPU's kernels in the emulator give what the program says."""

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


# Of rows and columns.
PLANES = """
algorithm halved(x: i32[L]) -> i32[L / 2] { return x |> gather(L / 2, 2 * index()); }
algorithm doubled(x: i32[L]) -> i32[2 * L] { return x |> gather(2 * L, index() / 2); }
algorithm coarse(x: i32[y: P][x: Q]) -> i32[y: P][x: Q] { return x |> halved @ y |> doubled @ y; }
"""


def index(draw, length="N", farthest=400):
    """An index near k, mostly."""
    by = draw.choice([by for by in [1, 1, 2, 3, 5, 17, 100, 400] if by <= farthest])
    index = draw.choice([
        f"max(index() - {by}, 0)", f"min(index() + {by}, N - 1)", f"(index() - {by}) % N", f"(index() + {by}) % N",
        f"min(max(index() - {by}, 0) + {by // 2}, N - 1)", f"index() / {by} * {by}", f"(index() + N - {by}) % N",
        "N - 1 - index()" if draw.random() < 0.3 else f"max(min(index() + {by}, N - 2), 1)",
    ])
    return index.replace("N", length)


def program(draw, planes):
    arguments = ["x", "w"][: draw.choice([1, 1, 2])]
    values, lines = list(arguments), []

    # The last values more often, so that steps follow each other.
    def take():
        return values[-1] if draw.random() < 0.6 else draw.choice(values)

    def near():
        if draw.random() < 0.2:
            return take()
        if not planes:
            return f"{take()} |> gather({index(draw)})"
        if draw.random() < 0.1:
            return f"coarse({take()})"
        length, dimension = draw.choice([("M", "y"), ("N", "x")])
        return f"{take()} |> gather({index(draw, length, 17)}) @ {dimension}"

    for number in range(draw.randint(3, 9)):
        step = draw.choice([
            f"({take()}, {near()}) |> both", f"({take()}, {near()}, {near()}) |> three",
            f"({take()}, {near()}) |> known(index())", f"({take()}, {near()}) |> inside(index() >= {draw.randint(1, 9)})",
            f"({near()}, {near()}) |> halves(index() < N / {draw.randint(2, 5)})",
        ])
        lines.append(f"  let v{number} = {step};")
        values.append(f"v{number}")
    results = [values[-1]] + [value for value in values[len(arguments):-1] if draw.random() < 0.15]
    kind = "i32[y: M][x: N]" if planes else "i32[N]"
    types = ", ".join([kind] * len(results))
    header = f"algorithm near({', '.join(f'{a}: {kind}' for a in arguments)}) -> "
    header += f"({types}) {{" if len(results) > 1 else f"{kind} {{"
    returned = f"  return ({', '.join(results)});" if len(results) > 1 else f"  return {results[0]};"
    return "\n".join([FUNCS, PLANES if planes else "", header, *lines, returned, "}", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--planes", action="store_true", help="of rows and columns")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    failed = tiled = 0
    for number in range(options.count):
        draw = random.Random(f"{options.seed}/{number}")
        file = options.folder / f"near-{options.seed}-{number}.id"
        file.write_text(program(draw, options.planes))
        if options.planes:
            rows, columns = draw.choice([(128, 160), (64, 512), (100, 200), (256, 128), (34, 1000), (256, 66)])
            sizes = ["--set", f"M={rows}", "--set", f"N={columns}"]
        else:
            sizes = ["--set", f"N={draw.choice([16384, 16385, 16411, 20000, 32768, 50000])}"]
        command = ["idc", "run", str(file), "--entry", "near", *sizes, "--target", "emulate", "--batch", "2", "--verify", "--tolerance", "0", "--interleaving", draw.choice(["random", "greedy", "reverse"])]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            failed += 1
            print(" ".join(command), done.stdout, done.stderr, file.read_text(), sep="\n")
        stages = subprocess.run(["idc", "compile", str(file), "--entry", "near", *sizes, "--emit=stages"],
                                capture_output=True, text=True, check=False)
        tiled += "arith.andi" in stages.stdout
    print(f"{options.count} programs, {tiled} of them in tiles, {failed} failed")
    return 1 if failed or not (tiled or options.planes) else 0


if __name__ == "__main__":
    sys.exit(main())
