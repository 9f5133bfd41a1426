"""Writes a folder with jobs.json and results.json: schedules that take what a target's file says, and others beside."""
import json
import math
import pathlib
import random
import sys

target, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
of = json.loads(target.read_text())["passes"]
chance = random.Random(7)
jobs, results = [], []
for program in range(30):
    for number in range(4):
        kernels, copies = [], 0
        for _ in range(chance.choice([1, 1, 2, 3])):
            runs, ranges, warps = chance.choice([1, 1, 1.1, 1.6, 3]), chance.randint(1, 8), chance.randint(4, 64)
            blocks, idle, asked = chance.randint(1, 16), chance.choice([0, 0, 1, 5]), chance.uniform(0.2, 1.6)
            cluster = chance.choice([1, 1, 1, 2, 4, 12])
            drawn = chance.choice([0, 1]) if cluster > 1 else 0
            kernels.append({"cost": 0, "runs": runs, "waits": 0, "ranges": ranges, "warps": warps, "blocks": blocks,
                            "idle": idle, "registers": asked, "blocks of a cluster": cluster, "drawn": drawn})
            unit = (ranges + of["accesses"]) * warps ** -of["hidden"] * (1 + of["alone"] / blocks)
            unit *= 1 + of["idle"] * idle / ranges
            unit *= max(1, asked) ** of["spilled"] * (1 + of["clusterDoubling"] * math.log2(cluster)) * of["drawn"] ** drawn
            waits = max(0.01, of["perUnit"] * (unit - of["free"]))
            copies += 1 + math.sqrt((of["runs"] * (runs - 1)) ** 2 + waits ** 2)
        name, group = f"f_n{program}-{number}", f"f_n{program}"
        jobs.append({"name": name, "group": group, "costs": [{"part": "steps 1..9", "unit": "copies", "kernels": kernels}]})
        results.append({"name": name, "group": group, "microseconds": 50 * copies, "copyMicroseconds": 50})
# A schedule of a table, one of another planner, and one that failed.
jobs += [{"name": "t-0", "group": "t"}, {"name": "b-0", "group": "b", "costs": [{"kernels": [{"runs": 1}]}]}]
results += [{"name": "t-0", "group": "t", "microseconds": 1, "copyMicroseconds": 1},
            {"name": "b-0", "group": "b", "microseconds": 1, "copyMicroseconds": 1},
            {"name": "f_n1-0", "group": "f_n1", "error": "its results differ"}]
folder.mkdir(parents=True, exist_ok=True)
(folder / "jobs.json").write_text(json.dumps({"jobs": jobs}))
(folder / "results.json").write_text(json.dumps({"results": results}))
