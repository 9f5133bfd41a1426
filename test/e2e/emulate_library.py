"""Runs every documented algorithm of the standard library in the emulator, against the direct evaluation.

Ends with the number of programs that agree and the names of those that the compiler refuses for constructs it does not
have yet; any other failure ends it with status 1.
"""

import os
import re
import subprocess
import sys

REFUSED = "cannot be compiled to kernels yet"
ALGORITHM = re.compile(r"///[^\n]*\nalgorithm (\w+)(?:<([^(]*)>)?\((.*?)\)\s*->", re.DOTALL)


def main():
    library = sys.argv[1]
    agree, refused, passed = 0, [], True
    for file in sorted(os.listdir(library)):
        if not file.endswith(".id"):
            continue
        with open(os.path.join(library, file)) as text:
            algorithms = ALGORITHM.findall(text.read())
        for name, variables, parameters in algorithms:
            command = ["idc", "run", file, "--entry", name, "--batch", "3", "--target", "emulate", "--verify"]
            for i, size in enumerate(sorted(set(re.findall(r"\^(\w)", parameters)))):
                command += ["--set", f"{size}={i + 2}"]
            for variable in variables.split(","):
                if variable and "=" not in variable:
                    command += ["--set", f"{variable.strip()}=f32"]
            run = subprocess.run(command, capture_output=True, text=True)
            if not run.returncode:
                agree += 1
            elif REFUSED in run.stderr:
                refused.append(name)
            else:
                passed = False
                print(" ".join(command), run.stdout + run.stderr, sep="\n")
    print(agree, "programs agree; refused:", ", ".join(refused) or "none")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
