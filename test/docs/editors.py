"""Checks editors/vscode/syntaxes/id.tmLanguage.json against the grammar and the front end of the tree given as argument."""

import json
import os
import re
import sys


def patterns(node):
    """Every regular expression of the grammar with the scopes that it gives."""
    if isinstance(node, list):
        for part in node:
            yield from patterns(part)
    elif isinstance(node, dict):
        for key in "match", "begin", "end":
            if isinstance(node.get(key), str):
                yield node[key]
        for part in node.values():
            yield from patterns(part)


def includes(node):
    if isinstance(node, list):
        for part in node:
            yield from includes(part)
    elif isinstance(node, dict):
        if "include" in node:
            yield node["include"][1:]
        for part in node.values():
            yield from includes(part)


def read(root, *path):
    return open(os.path.join(root, *path), encoding="utf-8").read()


def main(root):
    colours = json.loads(read(root, "editors", "vscode", "syntaxes", "id.tmLanguage.json"))
    expressions = [re.compile(pattern) for pattern in patterns(colours)]
    print(len(expressions), "patterns")
    missing = [name for name in includes(colours) if name not in colours["repository"]]

    grammar = re.sub(r"//.*", "", read(root, "compiler", "grammar", "Id.g4"))
    words = set(re.findall(r"'([a-z]+)'", grammar))
    expressions_source = read(root, "compiler", "frontend", "Expressions.cpp")
    table = re.search(r"\{\"select\".*?;", expressions_source, re.S)[0]
    words |= set(re.findall(r'\{"(\w+)", \{', table))
    words |= {"grid", "cluster", "team", "persistent", "dependent"}  # of launches, names in the grammar
    # Written where the language has them: words of schedules are coloured only there.
    contexts = {
        "schedule": "schedule f for x", "grid": "kernel grid", "cluster": "kernel cluster 4", "team": "kernel team 4",
        "persistent": "kernel persistent", "dependent": "kernel dependent", "ring": "ring 8", "delay": "delay 8", "kernel": "kernel grid", "plan": "plan latency",
        "load": "load {", "store": "store {", "steps": "steps 1", "order": "order [", "measured": "measured 2",
        "with": "with c = 1", "apart": "apart load", "join": "join 1", "runs": "runs 32", "staged": "staged {",
        "by": "by 2",
        "func": "func f", "node": "node f", "algorithm": "algorithm f", "type": "type R", "const": "const C",
    }  # fmt: skip
    for word in sorted(words):
        text = contexts.get(word, word + "(")
        generic = re.compile(r"\\b\[A-Za-z_\]")  # any call at all
        if not any(found for e in expressions if not generic.match(e.pattern) and (found := e.match(text))):
            missing.append(word)
    print("every word is coloured" if not missing else f"not coloured: {missing}")


main(sys.argv[1])
