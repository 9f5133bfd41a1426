"""The section "Measurements of tree programs" of the page of measurements: solvers and scans beside cuSPARSE and CUB."""
import collections
import json
import pathlib

from goals import Goal, goals_section
from page import figure, named, order, quotient

LIST = pathlib.Path(__file__).with_name("trees.json")
NAMES = {listed.get("name", listed["program"]) for listed in json.loads(LIST.read_text(encoding="utf-8"))}
PEERS = "cuSPARSE"  # the program of goals over all cases that cuSPARSE has a routine for and another goal is about
# What goals.csv may measure of tree programs: how a table names it, and whether less is better.
MEASURES = {
    "copy": ("time / copy's", True),
    "microseconds": ("µs, one at a time", True),
    "mean speedup": ("the better routine's time / idc's, geometric mean", False),
}


def judges(goal):
    """Whether a row of goals.csv is about a tree program."""
    return goal["program"] in NAMES or goal["program"] == PEERS


class Case:
    """What was measured of one program at one size."""

    def __init__(self):
        self.rows = {}  # by who

    def microseconds(self, who):
        return float(self.rows[who]["us"]) if who in self.rows else 0

    @property
    def peers(self):
        """The other libraries' routines, the fastest first."""
        return sorted((who for who in self.rows if who not in ("copy", "idc")), key=self.microseconds)

    def over_copy(self, who):
        return quotient(self.microseconds(who), self.microseconds("copy"))

    def speedup(self):
        return quotient(self.microseconds(self.peers[0]), self.microseconds("idc")) if self.peers else None

    def error(self, who):
        return f"{float(self.rows[who]['error']):.1e}" if who in self.rows and self.rows[who]["error"] else "–"


class Results:
    """Cases by program, type and size."""
    measures = MEASURES

    def __init__(self, rows, listed):
        self.cases = collections.defaultdict(Case)
        for row in rows:
            self.cases[row["program"], row["type"], row["n"]].rows[row["who"]] = row
        self.judged = [(goal["program"], goal["type"], size) for goal in listed if goal["program"] != PEERS
                       for size in Goal.expand(goal["sizes"])]

    def values(self, measure, program, element, sizes):
        """Pairs of a size and a number, None when it was not measured."""
        if program == PEERS:
            cases = [(" ".join(key), self.cases.get(key)) for key in self.judged if key[0].startswith("tridiagonal")]
        else:
            cases = [(size, self.cases.get((program, element, size))) for size in sizes]
        value = {"copy": lambda case: case.over_copy("idc"), "microseconds": lambda case: case.microseconds("idc") or None,
                 "mean speedup": Case.speedup}[measure]
        return [(size, value(case) if case else None) for size, case in cases]

    def groups(self):
        groups = collections.defaultdict(list)
        for (program, element, size), case in self.cases.items():
            groups[program, element].append((size, case))
        return [(key, sorted(cases, key=lambda case: order(case[0]))) for key, cases in sorted(groups.items())]


def introduction(rows):
    first = rows[0]
    yield (f"Measured {first['date']} on {first['gpu']}, driver {first['driver']}, CUDA {first['cuda']} "
           "(`test/benchmarks/trees`): tridiagonal systems with a and c uniform in [-1, 1], b in [3, 5], and sums of positive "
           "numbers; medians of 9 timings, all operations of a case alternating in one process. *copy* is a device-to-device "
           "copy of the bytes that a program reads and writes (20 for an equation in f32); idc and the other libraries' routines "
           "are times over it, the better routine first. What fits the cache was executed many times in one graph, each execution "
           "on data of its own that is not in the cache. Errors: ‖Ax − d‖ / ‖d‖ in double, and the largest relative "
           "error of a sum.\n")


def table(program, element, cases):
    yield f"\n### {program}, {element}\n"
    yield "| size | batch | copy µs | idc µs | idc | others | speedup | GB/s | error | others' |"
    yield "|--:|--:|--:|--:|--:|---|--:|--:|--:|---|"
    for size, case in cases:
        any_row = next(iter(case.rows.values()))
        idc = case.microseconds("idc")
        others = ", ".join(f"{figure(case.over_copy(who))} {who}" for who in case.peers) or "–"
        bandwidth = f"{int(any_row['bytes']) / idc * 1e-3:.0f}" if idc else "–"
        yield (f"| {named(size)} | {any_row['batch']} | {case.microseconds('copy'):.2f} | {idc:.2f} | "
               f"{figure(case.over_copy('idc'))} | {others} | {figure(case.speedup())} | {bandwidth} | {case.error('idc')} | "
               f"{', '.join(case.error(who) for who in case.peers) or '–'} |")


def section(rows, listed):
    """The lines of the section; `listed` are the rows of goals.csv that are about tree programs."""
    results = Results(rows, listed)
    yield from introduction(rows)
    yield from goals_section(
        [Goal(row, results) for row in listed], "### Goals of tree programs",
        "Sizes are exponents n of 2^n rows; of `tridiagonal_columns` rows × columns. `tridiagonal_one` is one system, "
        "`tridiagonal_latency` one and `tridiagonal_eight` eight with the latency plan, `exclusive_scan_one` one scan. "
        f"{PEERS}: over all cases of these goals that it has a routine for.")
    for (program, element), cases in results.groups():
        yield from table(program, element, cases)
