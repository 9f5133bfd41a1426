"""The goals of goals.csv, and what was reached of them."""
import pathlib

from page import figure, mean, named

GOALS = pathlib.Path(__file__).with_name("goals.csv")


class Goal:
    """A line of goals.csv, and what was reached of it."""

    def __init__(self, row, results):
        self.program, self.type, self.sizes_text = row["program"], row["type"], row["sizes"]
        self.measure, self.goal, self.wish = row["measure"], float(row["goal"]), row["wish"]
        self.name, self.less_is_better = results.measures[self.measure]
        self.sizes = self.expand(self.sizes_text)
        found = results.values(self.measure, self.program, self.type, self.sizes)
        self.absent = [size for size, value in found if value is None]
        self.values = [(size, value) for size, value in found if value is not None]
        if self.measure == "mean speedup" and self.values:
            self.values = [(self.sizes_text, mean([value for _, value in self.values]))]

    @staticmethod
    def expand(text):
        """The sizes that "1..3 8x8" means."""
        sizes = []
        for part in text.split():
            first, _, last = part.partition("..")
            sizes += map(str, range(int(first), int(last) + 1)) if last else [first]
        return sizes

    def meets(self, value, limit):
        """Compared as printed, with two digits after the point."""
        return round(value, 2) <= limit if self.less_is_better else round(value, 2) >= limit

    def missed(self):
        return [(size, value) for size, value in self.values if not self.meets(value, self.goal)]

    def where(self):
        return ", ".join(part.replace("..", " … ") if ".." in part else named(part) for part in self.sizes_text.split())

    def verdict(self):
        if not self.values:
            return "not measured"
        lacking = f", {len(self.absent)} not measured" if self.absent else ""
        if self.missed():
            return "**missed**" + lacking
        if self.wish and all(self.meets(value, float(self.wish)) for _, value in self.values):
            return "wish reached" + lacking
        return "reached" + lacking

    def reached(self):
        numbers = sorted({figure(value) for _, value in self.values}, key=float)
        return "–" if not numbers else numbers[0] if len(numbers) == 1 else f"{numbers[0]} – {numbers[-1]}"


def goals_section(goals, heading, note):
    yield f"{heading}\n"
    yield note
    yield "\n| program | sizes | measure | goal | wish | reached | |"
    yield "|---|---|---|--:|--:|--:|---|"
    for goal in goals:
        sign = "≤" if goal.less_is_better else "≥"
        yield (f"| {goal.program} {goal.type} | {goal.where()} | {goal.name} | {sign} {goal.goal:g} | {goal.wish or '–'} | "
               f"{goal.reached()} | {goal.verdict()} |")
    yield ""
    missed = [goal for goal in goals if goal.missed()]
    judged = [goal for goal in goals if goal.values]
    yield f"{len(judged) - len(missed)} of {len(judged)} goals reached." + (" Missed:\n" if missed else "")
    for goal in missed:
        at = ", ".join(figure(value) + (f" at {named(size)}" if len(goal.values) > 1 else "")
                       for size, value in goal.missed())
        yield f"- {goal.program} {goal.type}, {goal.where()}: {goal.name} {at}; the goal is {goal.goal:g}"
