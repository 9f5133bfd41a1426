"""The cases of the GPU check that the CPU target judges: every program of the standard library, and test/gpu/programs.

The library's programs come from test/unit/stdlib/library.json, the list that the tests on the CPU use; what it says of
them is described in test/unit/stdlib/Programs.h.
"""
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = ROOT / "test" / "unit" / "stdlib" / "library.json"
OWN = ROOT / "test" / "gpu" / "programs"

# Exponents: a problem has 2^bits elements, as nearly as the program has such sizes.
SMALL, SMALL_BATCH = (1, 5, 10, 14), 5  # also against the direct evaluation of the program
OTHER_TYPE = (4, 9)                     # of the second type (for prime fields: 5 and 14, of the large field)
LARGE, LARGE_BATCH = (17, 20, 24), 1
ROUNDOFF = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24, "f64": 2.0**-53}
OWN_PROGRAMS = [("mixed", "n", (3, 6, 9, 12, 14, 16)), ("sort", "n", (1, 2, 5, 8, 11, 14)), ("ternary", "n", (1, 3, 6, 8)),
                ("allreduce", "n", (1, 4, 8, 12, 16))]


def word(text):
    return "".join(c if c.isalnum() else "_" for c in text)


def sizes_for(program, bits):
    """As LibraryProgram::sizesFor."""
    names = program.get("sizes", ["n"])
    lengths = program.get("lengths", []) + program.get("largeLengths", [])
    left = bits // program.get("digitBits", 1)
    sizes = {}
    for i, name in enumerate(names):
        share = left // (len(names) - i)
        left -= share
        sizes[name] = max((length for length in lengths if length <= 2**share), default=min(lengths)) if lengths else share
    return sizes


def tolerance(program, element):
    """Both sides are within the program's accuracy, which grows with the size; 1e-6 where nothing is rounded."""
    real = element.removeprefix("complex<").removesuffix(">")
    return 4 * program.get("accuracy", 16) * ROUNDOFF[real] if real in ROUNDOFF else 1e-6


class Case:
    """One program at one size, type and batch."""

    def __init__(self, file, entry, variables, element, sizes, bits, batch, limit, distributions, scalars):
        self.file, self.entry, self.element, self.sizes, self.bits = file, entry, element, sizes, bits
        self.batch, self.tolerance, self.distributions = batch, limit, distributions
        self.verify = batch > 1
        self.name = f"{entry}-{word(element)}-" + "".join(f"{name}{size}" for name, size in sizes.items())
        self.settings = [f"--set={name}={element}" for name in variables]
        self.settings += [f"--set={name}={size}" for name, size in sizes.items()]
        self.inputs = [f"--random={name}={text}" for name, text in distributions.items()]
        self.inputs += [f"--scalar={name}={value}" for name, value in scalars.items()]

    def described(self):
        """What the machine with the GPU has to know."""
        return {"name": self.name, "program": self.entry, "type": self.element, "bits": self.bits, "sizes": self.sizes,
                "batch": self.batch, "tolerance": self.tolerance, "inputs": self.inputs, "file": str(self.file),
                "settings": self.settings}


def library_cases(program, types):
    def case(element, bits, batch):
        return Case(ROOT.joinpath("stdlib", program["file"]).relative_to(ROOT), program["name"],
                    program.get("variables", ["T"]), element, sizes_for(program, bits), bits, batch,
                    tolerance(program, element), program.get("random", {}), program.get("scalars", {}))

    def most_bits(element):
        """A prime field has roots of unity of few orders only."""
        if "roots" not in program or not element.startswith("mod<"):
            return 62
        order = int(element[4:-1]) - 1
        return (order & -order).bit_length() - 1 - program["roots"]

    wanted = [(types[0], bits, SMALL_BATCH) for bits in SMALL] + [(types[1], bits, SMALL_BATCH) for bits in OTHER_TYPE]
    wanted += [(types[0], min(bits, program.get("largest", 24)), LARGE_BATCH) for bits in LARGE]
    return [case(element, min(bits, most_bits(element)), batch) for element, bits, batch in wanted]


def cases():
    listed = json.loads(LIST.read_text())
    found = []
    for entry, size, numbers in OWN_PROGRAMS:
        for element in ("f32", "f64"):
            for n in numbers:
                found.append(Case((OWN / f"{entry}.id").relative_to(ROOT), entry, ["T"], element, {size: n}, n, SMALL_BATCH,
                                  tolerance({}, element), {}, {}))
    for program in listed["programs"]:
        found += library_cases(program, listed["types"][program["types"]])
    unique = {}
    for case in found: # a size of few digits may come twice
        unique.setdefault(case.name, case)
    return list(unique.values())
