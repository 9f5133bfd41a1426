"""Says which programs of the page that `idc doc` writes lack shapes, source, cost or accuracy.

usage: library_facts.py PAGE

Cost and accuracy may be those of the whole file, said once above its programs.
"""
import re
import sys

FACTS = {
    "shapes": r"^    \w+.*\(.*\) -> ",
    "source": r"^\[\S+:\d+\]\(\S+#L\d+\)",
    "cost": r"\bCost:|^On sm_90 with .* bytes",
    "accuracy": r"\bAccuracy:",
}

page = open(sys.argv[1], encoding="utf-8").read()
programs, lacking = 0, 0
for file in re.split(r"^## ", page, flags=re.M)[1:]:
    comment, *entries = re.split(r"^### ", file, flags=re.M)
    for entry in entries:
        programs += 1
        absent = [fact for fact, pattern in FACTS.items() if not re.search(pattern, entry + comment, re.M)]
        if absent:
            lacking += 1
            print(f"{comment.splitlines()[0]}: {entry.splitlines()[0]} has no {' and no '.join(absent)}")
print(f"{programs} programs, {lacking} of them lack something")
sys.exit(lacking > 0 or programs == 0)
