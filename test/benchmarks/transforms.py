"""The section "Measurements" of the page of measurements: transforms beside cuFFT, and its plot."""
import collections
import pathlib
import sys

from goals import Goal, goals_section
from page import figure, mean, named, order, quotient, read

# Times of VkFFT: the better of its own choice and of coalescing to 64 bytes.
VKFFT = pathlib.Path(__file__).resolve().parent / "vkfft.csv"

# What goals.csv may measure of transforms: how a table names it, and whether less is better.
MEASURES = {
    "copy": ("time / copy's", True),
    "fft": ("time / fft's of the same length", True),
    "microseconds": ("µs, one transform at a time", True),
    "speedup": ("cuFFT's time / idc's", False),
    "mean speedup": ("cuFFT's time / idc's, geometric mean", False),
    "alone speedup": ("cuFFT's time / idc's, one transform at a time", False),
}


class Results:
    """Rows of both files by program, type and size."""
    measures = MEASURES

    def __init__(self, rows, latency):
        def keyed(rows):
            return {(row["program"], row["type"], row["n"]): row for row in rows}

        self.rows, self.latency = keyed(rows), keyed(latency)
        self.fft = {(row["type"], int(row["elements"])): row for row in rows if row["program"] == "fft"}

    def groups(self):
        """Pairs of (program, type) and rows in the order of their sizes."""
        groups = collections.defaultdict(list)
        for (program, element, _), row in self.rows.items():
            groups[program, element].append(row)
        return [(key, sorted(rows, key=lambda row: order(row["n"]))) for key, rows in sorted(groups.items())]

    def value(self, measure, program, element, size):
        """A number, or None when it was not measured."""
        if measure in ("microseconds", "alone speedup"):
            row = self.latency.get((program, element, size))
            if row is None:
                return None
            idc = float(row["idc_us"])
            return idc if measure == "microseconds" else quotient(float(row["cufft_us"]), idc)
        row = self.rows.get((program, element, size))
        if row is None:
            return None
        idc = float(row["idc_ms"])
        if measure == "copy":
            return quotient(idc, float(row["memcpy_ms"]))
        if measure == "fft":
            peer = self.fft.get((element, int(row["elements"])))
            return quotient(idc, float(peer["idc_ms"])) if peer else None
        return quotient(float(row["cufft_ms"]), idc)

    def values(self, measure, program, element, sizes):
        return [(size, self.value(measure, program, element, size)) for size in sizes]


def introduction(rows, plotted):
    first = rows[0]
    yield (f"Measured {first['date']} on {first['gpu']}, driver {first['driver']}, CUDA {first['cuda']}, "
           f"cuFFT {first['cufft']}: as many problems as fill 1 GiB (2^27 complex f32 numbers), at least one; out of "
           "place, random data; medians of 9 timings with the three operations alternating in one process "
           "(`test/benchmarks/run`). *copy* is a device-to-device copy of the same bytes; the columns cuFFT and idc are "
           "times over it, so 1.00 would be the speed of the copy. GB/s counts the input read once and the output "
           "written once.\n")
    if plotted:
        yield ("VkFFT 1.3.4 in the plot was measured on another day on the same kind of GPU, with the better of two settings "
               "(`test/benchmarks/vkfft.csv`).\n")
        yield f"![Time over a copy against n, lower is better: idc, cuFFT and VkFFT in single and double precision]({plotted})\n"


def cufft_section(results, goals):
    yield "\n### Against cuFFT\n"
    yield "| program | sizes | cuFFT's time / idc's, geometric mean | least | at |"
    yield "|---|---|--:|--:|--:|"
    chosen = {(goal.program, goal.type): goal.sizes for goal in goals if goal.measure == "mean speedup"}
    for (program, element), rows in results.groups():
        found = [(value, row["n"]) for row in rows if row["n"] in chosen.get((program, element), [row["n"]])
                 and (value := results.value("speedup", program, element, row["n"])) is not None]
        if found:
            least, size = min(found)
            ends = [named(found[0][1])] + ([named(found[-1][1])] if len(found) > 1 else [])
            yield (f"| {program} {element} | {' … '.join(ends)} | {figure(mean([value for value, _ in found]))} | "
                   f"{figure(least)} | {named(size)} |")


def table(results, program, element, rows):
    yield f"\n### {program}, {element}\n"
    over_fft = [results.value("fft", program, element, row["n"]) if program != "fft" else None for row in rows]
    last, last_values = ("idc/fft", over_fft) if any(over_fft) else ("workspace MiB", None)
    yield f"| size | copy ms | cuFFT | idc | idc/cuFFT | GB/s | {last} |"
    yield "|--:|--:|--:|--:|--:|--:|--:|"
    for i, row in enumerate(rows):
        copy, cufft, idc = (float(row[name]) for name in ("memcpy_ms", "cufft_ms", "idc_ms"))
        shown = figure(last_values[i]) if last_values else f"{int(row['workspace_bytes']) / 2**20:.0f}"
        yield (f"| {named(row['n'])} | {copy:.3f} | {figure(quotient(cufft, copy))} | {figure(quotient(idc, copy))} | "
               f"{figure(quotient(idc, cufft))} | {2 * int(row['bytes']) / idc * 1e-6:.0f} | {shown} |")


def latency_section(rows):
    first = rows[0]
    yield "\n### One transform at a time\n"
    yield (f"Measured {first['date']} on {first['gpu']}, driver {first['driver']}, CUDA {first['cuda']}, "
           f"cuFFT {first['cufft']}: microseconds of one transform, one of 64 dependent ones in a graph; medians of 15 "
           "(`test/benchmarks/latency`).\n")
    programs = sorted({(row["program"], row["type"]) for row in rows})
    times = {(row["program"], row["type"], int(row["n"])): row for row in rows}
    yield "| n | " + " | ".join(f"{program} {real}, idc | cuFFT | idc/cuFFT" for program, real in programs) + " |"
    yield "|--:" * (1 + 3 * len(programs)) + "|"
    for n in sorted({n for _, _, n in times}):
        cells = []
        for program, real in programs:
            row = times.get((program, real, n))
            idc, cufft = (float(row["idc_us"]), float(row["cufft_us"])) if row else (0, 0)
            cells += [f"{idc:.2f}" if idc else "–", f"{cufft:.2f}" if cufft else "–", figure(quotient(idc, cufft))]
        yield f"| {n} | " + " | ".join(cells) + " |"


def section(rows, latency, listed, plotted=None):
    """The lines of the section; `listed` are the rows of goals.csv that are about transforms."""
    results = Results(rows, latency)
    goals = [Goal(row, results) for row in listed]
    yield from introduction(rows, plotted)
    yield from goals_section(goals, "### Goals", "Sizes are exponents n of 2^n, or the lengths of several dimensions; "
                             "`fft_any` has lengths, `ternary` powers of 3.")
    yield from cufft_section(results, goals)
    for (program, element), group in results.groups():
        yield from table(results, program, element, group)
    if latency:
        yield from latency_section(latency)


def plotted_libraries(rows, element):
    """Names, colours and points (n, time over a copy) of what the plot shows of one element type."""
    gpu = rows[0]["gpu"]
    chosen = [row for row in rows if row["program"] == "fft" and row["type"] == element]
    # VkFFT is no part of this benchmark; its times were taken on the same kind of GPU on another day.
    others = [row for row in read(VKFFT) if row["gpu"] == gpu and row["type"] == element]
    for name, column, colour, marker, measured in (
            ("VkFFT", "vkfft_ms", "#009e73", "^", others), ("cuFFT", "cufft_ms", "#d55e00", "s", chosen),
            ("idc", "idc_ms", "#0072b2", "o", chosen)):
        points = sorted((int(row["n"]), float(row[column]) / float(row["memcpy_ms"])) for row in measured)
        if points:
            yield name, colour, marker, points


def plot(rows, path):
    """Time over a copy against n, of the one-dimensional transforms that cuFFT has, too."""
    try:
        import matplotlib
        matplotlib.use("svg")
        from matplotlib import pyplot
    except ImportError:
        sys.exit("report: the plot needs matplotlib, Debian's package python3-matplotlib")
    pyplot.rcParams.update({"svg.hashsalt": "idc", "svg.fonttype": "none", "font.size": 10})  # the same file from the same results
    figure_, panels = pyplot.subplots(1, 2, figsize=(9, 4.2), layout="constrained", sharey=True)
    figure_.suptitle(f"Fourier transforms of $2^n$ complex numbers, 1 GiB of them at a time, on one {rows[0]['gpu']}")
    for axes, element, title in zip(panels, ("f32", "f64"), ("single precision", "double precision")):
        for name, colour, marker, points in plotted_libraries(rows, element):
            axes.plot(*zip(*points), color=colour, marker=marker, markersize=4, linewidth=1.4, label=f"{name}, {element}")
        axes.axhline(1, color="#808080", linewidth=0.8)
        axes.set(title=title, xlabel="n", ylim=(0, None))
        axes.xaxis.set_major_locator(matplotlib.ticker.MultipleLocator(4))
        axes.grid(color="#e0e0e0", linewidth=0.6)
        axes.set_axisbelow(True)
        if axes.lines[1:]:
            axes.legend(frameon=False)
    panels[0].set_ylabel("time / time of a copy (lower is better)")
    figure_.savefig(path, metadata={"Date": None})
