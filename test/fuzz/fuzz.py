#!/usr/bin/env python3
"""Damages programs and gives them to idc: whatever the text, it answers with a result or with diagnostics.

    fuzz.py [--idc IDC] [--seed N] [--count N | --seconds S] [--save FOLDER] FILE.id…

Each input is one of the files with a few edits of its tokens, numbers and lines, or a splice of two files, with random
`--set`s, and goes through one command of idc: check, format, compile for a GPU or a CPU, run on the CPU, in the
emulator or by direct evaluation. A finding is a process that crashes (sanitizers included), takes more than 20 s of CPU
time or 2 GB, fails without a message, reports an internal error or a fault of its own kernels. Findings are reduced line
by line and token by token while they stay the same kind, and saved with the command that shows them. The inputs depend on
the seed and the files alone. The exit status is 1 when there was a finding.
"""

import argparse
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CPU_SECONDS = 20
MEMORY = 2 << 30
SANITIZED = 77  # the exit status of a process that a sanitizer ended

TOKEN = re.compile(r'"[^"\n]*"|//[^\n]*|/\*.*?\*/|\s+|\d+\.\d+|\d+|\w+|\|>|\.\.|->|[<>=!&|]{2}|.', re.S)
NUMBERS = ["0", "1", "2", "3", "4", "5", "7", "8", "12", "31", "32", "63", "64", "100", "257", "4096", "65537", "104729",
           "1048576", "2147483648", "998244353", "9223372036854775807", "18446744073709551616", "1" + "0" * 40]  # fmt: skip
PIECES = ["digit(1)", "digits(2, 1)", "index()", "omega(8, index())", "|> reverse(n, 1)", "|> unshuffle(n, 1)",
          "|> complement(1)", "@ 1", "@ n", "@ (2, 1)", "^ 2", "^ -1", "mod<5>", "complex<f32>", "f16", "bf16", "i32",
          "u64", "bool", "T[2^12]", "[2^n]", "[3^n]", "[1]", "2^n", "for i in 1..n {", "}", "if n == 0 {", "return x;",
          "let y = x;", "select(true, x, x)", "x[0]", "-", "/", "%", "<<", "(x, x)"]  # fmt: skip


def tokens(text):
    return TOKEN.findall(text)


def solid(words):
    """Places of what is neither blank nor comment."""
    return [i for i, word in enumerate(words) if not word.isspace() and not word.startswith(("//", "/*"))]


class Mutator:
    def __init__(self, rng, texts):
        self.rng, self.texts = rng, texts
        self.wrong = [text for text in texts if "error: " in text]
        self.right = [text for text in texts if "error: " not in text]

    def edit(self, words):
        rng = self.rng
        places = solid(words)
        if not places:
            return
        at = rng.choice(places)
        names = [i for i in places if re.match(r"[A-Za-z_]", words[i])]
        numbers = [i for i in places if words[i].isdigit()]
        kind = rng.randrange(9)
        if kind == 0:
            del words[at : at + rng.choice([1, 1, 2, 5])]
        elif kind == 1:
            words[at:at] = words[at : at + rng.choice([1, 3, 10, 40])]
        elif kind == 2:
            words[at] = words[rng.choice(places)]
        elif kind == 3 and names:
            words[rng.choice(names)] = words[rng.choice(names)]
        elif kind == 4 or kind == 5:
            if numbers:
                words[rng.choice(numbers)] = rng.choice(NUMBERS)
        elif kind == 6:
            words.insert(at, " " + rng.choice(PIECES) + " ")
        elif kind == 7:
            other = rng.choice(places)
            words[at], words[other] = words[other], words[at]
        else:
            words[at] = rng.choice(PIECES)

    def edit_lines(self, text):
        rng = self.rng
        lines = text.split("\n")
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        kind = rng.randrange(3)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(other, lines[at])
        else:
            lines[at], lines[other] = lines[other], lines[at]
        return "\n".join(lines)

    def splice(self, text):
        """Adds another program and calls something of it."""
        other = self.rng.choice(self.texts)
        called = re.findall(r"\b(?:func|node|algorithm)\s+(\w+)", other)
        words = tokens(text)
        stages = [i for i in range(2, len(words)) if words[i - 2] == "|>" and words[i].isidentifier()]
        if called and stages:
            words[self.rng.choice(stages)] = self.rng.choice(called)
        return "".join(words) + "\n" + other

    def program(self):
        # Programs that are right to begin with reach further than those that are wrong.
        text = self.rng.choice(self.wrong if self.wrong and self.rng.random() < 0.2 else self.right)
        if self.rng.random() < 0.2:
            text = self.splice(text)
        if self.rng.random() < 0.1:
            text = self.edit_lines(text)
        words = tokens(text)
        for _ in range(self.rng.choice([0, 1, 1, 1, 1, 2, 3])):
            self.edit(words)
        return "".join(words)

    def settings(self, text, entry, runs):
        """Values for what the signature of the entry leaves open, a few of them wrong. What runs is small: a program of
        three dimensions is interpreted for minutes else, and rightly so."""
        rng = self.rng
        signature = re.search(r"\balgorithm\s+" + entry + r"\b\s*(<[^(]*>)?\s*\(([^)]*)", text)
        if not signature:
            return []
        result = {}
        lengths = " ".join(re.findall(r"\[([^\]]*)\]", signature[2]))
        for name in sorted(set(re.findall(r"[A-Za-z_]\w*", lengths))):
            if not re.search(r"\b" + name + r"\s*:", lengths) or rng.random() < 0.1:
                usual = rng.random() < 0.9
                large = [] if runs else [8, 10, 13]
                result[name] = rng.choice([0, 1, 2, 3, 4, 5, 6] + large if usual else [-1, 30, 62, 10**9])
        for name in re.findall(r"[A-Za-z_]\w*", re.sub(r"=[^,>]*(<[^>]*>)?", "", signature[1] or "")):
            result[name] = rng.choice(["f32", "f64", "i32", "f32", "u64", "f16", "bool", "complex<f32>", "mod<17>"])
        for name in list(result):
            if rng.random() < 0.02:
                del result[name]
        return [f"--set={name}={result[name]}" for name in sorted(result)]

    def command(self, text):
        rng = self.rng
        entries = re.findall(r"\balgorithm\s+(\w+)", text)
        if not entries or rng.random() < 0.05:
            return rng.choice([["check"], ["format"]])
        entry = rng.choice(entries)
        kind = rng.choice(
            [["compile", "--emit=ptx"]] * 8
            + [["compile", "--emit=ptx", "--arch=sm_80"], ["compile", "--target=cpu", "--emit=llvm"]] * 2
            + [["run", "--target=cpu", "--batch=2"]] * 2
            + [["run", "--target=emulate", "--batch=2"]] * 3
            + [["run", "--target=reference"], ["check"], ["compile", "--print-schedule"]]
        )
        return kind + ["--entry=" + entry] + self.settings(text, entry, kind[0] == "run")


class Runner:
    def __init__(self, idc, folder):
        idc = shutil.which(idc) or sys.exit(f"fuzz.py: there is no {idc}")
        self.idc, self.path = idc, os.path.join(folder, "input.id")
        self.environment = dict(os.environ)
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
            old = self.environment.get(name)
            self.environment[name] = (old + ":" if old else "") + f"exitcode={SANITIZED}"
        # Sanitizers reserve terabytes of addresses; what they really use is measured afterwards.
        with open(idc, "rb") as file:
            self.sanitized = b"__asan_init" in file.read()

    def limits(self):
        seconds = CPU_SECONDS * (4 if self.sanitized else 1)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if not self.sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (2 * MEMORY, 2 * MEMORY))

    def run(self, text, command):
        """What is wrong in one word, or None; and what the process printed."""
        with open(self.path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                [self.idc, command[0], self.path] + command[1:],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=output,
                env=self.environment, preexec_fn=self.limits)  # fmt: skip
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = code = os.waitstatus_to_exitcode(status)
            output.seek(0)
            message = output.read().decode("utf-8", "replace")
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            return "hang", message
        if code < 0 or code == SANITIZED or code >= 128:
            return "crash", message
        if usage.ru_maxrss * 1024 > MEMORY * (3 if self.sanitized else 1):
            return "memory", message
        if "internal error" in message or "LLVM ERROR" in message:
            return "internal", message
        if "emulate" in " ".join(command) and re.search(r"\b(race|out of bounds|uninitiali[sz]ed|misaligned)\b", message):
            return "fault", message
        if code not in (0, 1):
            return "status", message
        if code == 1 and "error:" not in message:
            return "silent", message
        return None, message

    def reduce(self, text, command, kind, deadline):
        """Removes lines, then tokens, while the finding stays."""
        for split, join in ((lambda t: t.splitlines(True), "".join), (tokens, "".join)):
            parts = split(text)
            size = max(1, len(parts) // 2)
            while time.monotonic() < deadline:
                at = 0
                while at < len(parts) and time.monotonic() < deadline:
                    shorter = parts[:at] + parts[at + size :]
                    if self.run(join(shorter), command)[0] == kind:
                        parts = shorter
                    else:
                        at += size
                if size == 1:
                    break
                size //= 2
            text = join(parts)
        return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--idc", default="idc")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--save", default="fuzz-findings")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()

    texts = []
    for path in sorted(options.files):
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            texts.append(file.read())
    end = time.monotonic() + options.seconds
    counts, kinds = {}, {}
    executions = 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options.idc, folder)
        while executions < options.count if options.count else time.monotonic() < end:
            mutator = Mutator(random.Random(f"{options.seed} {executions}"), texts)
            text = mutator.program()
            command = mutator.command(text)
            kind, message = runner.run(text, command)
            executions += 1
            counts[command[0]] = counts.get(command[0], 0) + 1
            if kind is None:
                outcome = "rejected" if "error" in message else "accepted"
                counts[outcome] = counts.get(outcome, 0) + 1
                continue
            kinds[kind] = kinds.get(kind, 0) + 1
            text = runner.reduce(text, command, kind, time.monotonic() + 60)
            message = runner.run(text, command)[1]
            os.makedirs(options.save, exist_ok=True)
            path = os.path.join(options.save, f"{kind}-{options.seed}-{executions}.id")
            with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(f"// idc {' '.join(command[:1] + ['%s'] + command[1:])}\n{text}")
            print(f"{kind}: {path}: idc {' '.join(command)}\n{message[:1500]}", flush=True)
    print(f"{executions} executions:", ", ".join(f"{n} {name}" for name, n in sorted(counts.items())))
    print("findings:", ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())) or "none")
    sys.exit(1 if kinds else 0)


if __name__ == "__main__":
    main()
