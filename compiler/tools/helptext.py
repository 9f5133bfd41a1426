"""What idc's --help says, as data: for the manual page and the completions of shells."""

import re
import subprocess

# Options whose values idc lists when it is given another one.
LISTED = ("--arch", "--emit", "--interleaving", "--plan", "--target")


def help_of(*command):
    return subprocess.run([*command, "--help"], check=True, capture_output=True, text=True).stdout


def commands(idc):
    """(name, description) of every command."""
    overview = help_of(idc).split("SUBCOMMANDS:")[1].split("OPTIONS:")[0]
    return re.findall(r"^  (\w+)\s+- (.*)$", overview, re.MULTILINE)


def options(idc, command):
    """(option with its value's name, description) of the options that are idc's own."""
    section = help_of(idc, command).split("idc options:\n", 1)
    lines = section[1].splitlines() if len(section) == 2 else []
    return [match.groups() for line in lines if (match := re.match(r"  (-\S.*?)\s+- (.*)", line))]


def takes_file(idc, command):
    return "FILE.id" in help_of(idc, command)


def values(idc, command, option, known):
    """The values that there are of an option; none for one whose values nobody can list. `known` are the options that
    the command has."""
    if option not in LISTED:
        return []
    asked = [idc, command, "fft.id", option + "=?"]
    if "--entry" in known:
        asked += ["--entry=fft", "--set=n=4"]
    found = re.search(r"known are ([^:;\n]*)", subprocess.run(asked, capture_output=True, text=True).stderr)
    return [word for word in re.split(r"[\s,]+", found[1]) if word not in ("", "and")] if found else []
