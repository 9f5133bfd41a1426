"""Random programs of rows, columns and what they are contracted to, of integers, more than the blocks of a cluster hold:
the GPU's kernels in the emulator give what the program says."""

import argparse
import pathlib
import random
import subprocess
import sys

FUNCS = """
node total<T>(x: T[r]) -> T { let s = x[0]; for i in 1..r-1 { s = s + x[i]; } return s; }
node largest<T>(x: T[r]) -> T { let s = x[0]; for i in 1..r-1 { s = max(s, x[i]); } return s; }
algorithm sum<T>(x: T[L]) -> T[1] { for i in 1..digit_count() { x = x |> total @ 1; } return x; }
algorithm top<T>(x: T[L]) -> T[1] { for i in digit_count() downto 1 { x = x |> largest @ i; } return x; }
func both<T>(x: T, y: T) -> T { return 3 * x - y; }
func three<T>(x: T, y: T, z: T) -> T { return max(x, y) + 5 * z; }
func squared<T>(x: T) -> T { return x * x; }
func known<T>(x: T, y: T, k: i32) -> T { return select(k % 3 == 0, x + y, x - 2 * y); }
node turned<T>(x: T[r]) -> T[r] { let y = x; for i in 0..r-1 { y[i] = x[(i + 1) % r] - x[i]; } return y; }
"""


def program(draw):
    full, rows, columns = ["x"], ["v"], ["w"]  # values of all elements, of one for each row, and for each column
    lines = []

    def take(of=None):
        of = full if of is None else of
        return of[-1] if draw.random() < 0.6 else draw.choice(of)

    for number in range(draw.randint(3, 9)):
        name = f"v{number}"
        kind = draw.choice(["rows", "rows", "columns", "full", "full", "full", "small"])
        if kind == "rows":
            lines.append(f"  let {name} = {take()} |> {draw.choice(['sum', 'top', 'total', 'largest'])} @ x;")
            rows.append(name)
        elif kind == "columns":
            lines.append(f"  let {name} = {take()} |> {draw.choice(['sum', 'top'])} @ y;")
            columns.append(name)
        elif kind == "small":
            of = draw.choice([rows, columns])
            lines.append(f"  let {name} = ({take(of)}, {take(of)}) |> both;")
            of.append(name)
        else:
            other = lambda: take(draw.choice([full, rows, rows, columns]))
            step = draw.choice([
                f"({take()}, {other()}) |> both", f"({take()}, {other()}, {other()}) |> three", f"{take()} |> squared",
                f"({take()}, {other()}) |> known(digits(x))", f"{take()} |> turned @ 1",
                f"({take()}, {take()} |> gather((index() + 1) % N) @ x) |> both",
            ])
            lines.append(f"  let {name} = {step};")
            full.append(name)
    results = [(full[-1], "T[y: M][x: N]")]
    results += [(value, "T[y: M]") for value in rows[1:] if draw.random() < 0.3]
    results += [(value, "T[x: N]") for value in columns[1:] if draw.random() < 0.2]
    types, names = ", ".join(kind for _, kind in results), ", ".join(value for value, _ in results)
    header = "algorithm rows<T>(x: T[y: M][x: N], v: T[y: M], w: T[x: N]) -> "
    header += f"({types}) {{" if len(results) > 1 else f"{types} {{"
    returned = f"  return ({names});" if len(results) > 1 else f"  return {names};"
    return "\n".join([FUNCS, header, *lines, returned, "}", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for number in range(options.count):
        draw = random.Random(f"{options.seed}/{number}")
        file = options.folder / f"rows-{options.seed}-{number}.id"
        file.write_text(program(draw))
        rows, columns = draw.choice([(8192, 16), (4096, 48), (1024, 150), (512, 300), (200, 768), (3000, 50), (1024, 128),
                                     (160, 1000), (64, 2100), (10000, 13)])
        command = ["idc", "run", str(file), "--entry", "rows", "--set", f"M={rows}", "--set", f"N={columns}",
                   "--set", f"T={draw.choice(['i32', 'u8', 'i16', 'i64'])}", "--target", "emulate", "--verify",
                   "--arch", draw.choice(["sm_90", "sm_90", "sm_75", "sm_86"]), "--tolerance", "0",
                   "--interleaving", draw.choice(["random", "greedy", "reverse"])]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            failed += 1
            print(" ".join(command), done.stdout, done.stderr, file.read_text(), sep="\n")
    print(f"{options.count} programs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
