"""The programs whose kernels test/gpu/prepare compiles for gpu-check, gpu-latency, gpu-bench, gpu-trees and gpu-accuracy.

The first two know fft, ifft and hadamard, and the former fft2d and fft3d, by the names of the files (Kernel.h). gpu-bench
measures these and the programs of test/benchmarks/programs.json: for each an entry, its file, the types, ranges of the
sizes (several sizes go through their ranges together), and the transform that the result is compared with: "fourier",
"hadamard", or none.

gpu-trees measures those of test/benchmarks/trees.json, which says for each, too: what its result has to be ("tridiagonal":
the solutions of systems, "sums": exclusive ones); a batch, or the logarithm of the elements of all problems; which sizes
are the logarithms of the rows of a system (of the length of a scan), of the distance between its rows, and of the systems
that share coefficients; a plan, and a name of its own where the same entry is measured in several ways.
gpu-accuracy takes the solvers of test/benchmarks/accuracy.json.
"""
import dataclasses
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTS = {folder: ROOT / "test" / "benchmarks" / name
         for folder, name in (("benchmarks", "programs.json"), ("trees", "trees.json"), ("accuracy", "accuracy.json"))}


@dataclasses.dataclass(frozen=True)
class Program:
    """An entry of the standard library, the names of its sizes, and tuples of their values."""
    file: str
    names: tuple
    sizes: tuple


def cubes(dimensions, first, last):
    return tuple((n,) * dimensions for n in range(first, last + 1))


PROGRAMS = {
    "fft": Program("fft.id", ("n",), cubes(1, 1, 28)),
    "ifft": Program("fft.id", ("n",), cubes(1, 1, 28)),
    "hadamard": Program("hadamard.id", ("n",), cubes(1, 1, 28)),
    "fft2d": Program("fft.id", ("m", "n"), cubes(2, 4, 12) + ((5, 9), (9, 5))),
    "fft3d": Program("fft.id", ("l", "m", "n"), cubes(3, 3, 8) + ((3, 5, 7),)),
}
LATENCY = {"fft": 26, "ifft": 26, "hadamard": 26}  # the largest n that is timed alone


@dataclasses.dataclass(frozen=True)
class Kernel:
    """FOLDER/NAME.fatbin and .json below build/gpu, from these arguments of `idc compile`."""
    folder: str
    name: str
    arguments: tuple
    bits: int  # about the logarithm of the elements


def settings(values):
    return tuple(argument for name, value in values.items() for argument in ("--set", f"{name}={value}"))


def kernels(programs, types, exponents):
    """Of the check and of gpu-latency; `exponents` are those allowed for a dimension."""
    found = []
    for entry in programs:
        program = PROGRAMS[entry]
        for sizes in program.sizes:
            if not set(sizes) <= set(exponents):
                continue
            for real in types:
                name = f"{entry}-{real}-n" + "x".join(f"{n:02d}" for n in sizes)
                source = (str(ROOT / "stdlib" / program.file), "--entry", entry,
                          *settings(dict(zip(program.names, sizes), T=real)))
                found.append(Kernel("kernels", name, (*source, "--plan", "throughput"), sum(sizes)))
                if sum(sizes) <= LATENCY.get(entry, 0):
                    found.append(Kernel("latency", name, (*source, "--plan", "latency"), sum(sizes)))
    return found


def numbers(text):
    """"1..3,8" is 1, 2, 3, 8."""
    result = []
    for part in text.split(","):
        first, _, last = part.partition("..")
        result += range(int(first), int(last or first) + 1)
    return result


def listed_kernels(folder):
    """The entries of the folder's list, each with the values of its sizes, its kernel and the beginning of a description."""
    for listed in json.loads(LISTS[folder].read_text()):
        names, program = list(listed["sizes"]), listed.get("name", listed["program"])
        for sizes in zip(*(numbers(listed["sizes"][name]) for name in names), strict=True):
            described = {"program": program, "type": listed["settings"]["T"], "size": "x".join(map(str, sizes))}
            described["name"] = re.sub(r"[^\w-]+", "_", "-".join((program, described["type"], described["size"])))
            values = dict(zip(names, sizes))
            plan = ("--plan", listed["plan"]) if "plan" in listed else ()
            arguments = (str(ROOT / listed["file"]), "--entry", listed["program"],
                         *settings({**listed["settings"], **values}), *plan)
            yield listed, values, Kernel(folder, described["name"], arguments, max(sizes)), described


def benchmarks():
    """Pairs of a kernel and what gpu-bench has to know of it."""
    return [(kernel, {**described, "transform": listed["transform"]})
            for listed, _, kernel, described in listed_kernels("benchmarks")]


def trees():
    """Pairs of a kernel and what gpu-trees has to know of it."""
    found = []
    for listed, values, kernel, described in listed_kernels("trees"):
        # The fields that name a size: its power of 2.
        layout = {field: 2 ** values[listed[field]] if field in listed else 1 for field in ("rows", "stride", "shared")}
        batch = listed["batch"] if "batch" in listed else 2 ** (listed["elements"] - sum(values.values()))
        found.append((kernel, {**described, **layout, "checks": listed["checks"], "batch": batch,
                               "periodic": listed.get("periodic", False)}))
    return found


def accuracy():
    """Pairs of a kernel and what gpu-accuracy has to know of it."""
    return [(kernel, described) for _, _, kernel, described in listed_kernels("accuracy")]
