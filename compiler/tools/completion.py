"""Writes the completion of idc for a shell, from what idc itself says: completion.py IDC bash|zsh|fish"""

import re
import sys

import helptext


def plain(text):
    """Without what the shells' strings give a meaning to."""
    return re.sub(r"['\"`\\\[\]:$]", "", text)


def described(idc):
    """For each command: its name, description, whether it takes a program, and its options as (name, whether a value
    follows, values, description)."""
    for command, about in helptext.commands(idc):
        options = []
        for text, meaning in helptext.options(idc, command):
            name = re.match(r"-+[\w-]+", text)[0]
            options.append((name, "<" in text, helptext.values(idc, command, name), meaning))
        yield command, about, helptext.takes_file(idc, command), options


def bash(table):
    print("# Completion of idc for bash, written by compiler/tools/completion.py.")
    print("_idc() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=''")
    # Bash takes '=' for a word of its own.
    print("  if [[ $word == '=' ]]; then word=''; elif [[ $before == '=' ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi")
    print("  if ((COMP_CWORD == 1)); then")
    print(f"    words='{' '.join(command for command, *_ in table)} help --help --version'")
    print("  else\n    case \"${COMP_WORDS[1]} $before\" in")
    for command, _, _, options in table:
        for name, _, values, _ in options:
            if values:
                print(f"    '{command} {name}') words='{' '.join(values)}' ;;")
    print("    *) case \"${COMP_WORDS[1]} $word\" in")
    for command, _, _, options in table:
        print(f"      '{command} -'*) words='{' '.join(name for name, *_ in options)} --help' ;;")
    print(f"      'help '*) words='{' '.join(command for command, *_ in table)}' ;;")
    print("      esac ;;\n    esac\n  fi")
    print("  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}")
    print("complete -o default -F _idc idc")


def zsh(table):
    print("#compdef idc\n# Completion of idc for zsh, written by compiler/tools/completion.py.")
    print("local -a commands=(")
    for command, about, *_ in table:
        print(f"  '{command}:{plain(about)}'")
    print("  'help:show how a command is used'\n)")
    print("if ((CURRENT == 2)); then\n  _describe 'command' commands\n  return\nfi\ncase $words[2] in")
    for command, _, file, options in table:
        print(f"{command})\n  _arguments -s \\")
        for name, value, values, meaning in options:
            given = f":value:({' '.join(values)})" if values else ":value:_files" if value else ""
            equals = "=" if value and name.startswith("--") else "+" if value else ""
            print(f"    '*{name}{equals}[{plain(meaning)}]{given}' \\")
        print("    '1:command:' \\")
        print("    '*:program:_files -g \"*.id\"' ;;" if file else "    '*: :' ;;")
    print("help) _describe 'command' commands ;;\nesac")


def fish(table):
    print("# Completion of idc for fish, written by compiler/tools/completion.py.")
    for command, about, *_ in [*table, ("help", "show how a command is used")]:
        print(f"complete -c idc -n __fish_use_subcommand -f -a {command} -d '{plain(about)}'")
    for command, _, _, options in table:
        print(f"complete -c idc -n '__fish_seen_subcommand_from help' -f -a {command}")
        for name, value, values, meaning in options:
            kind = "-l" if name.startswith("--") else "-s" if len(name) == 2 else "-o"
            given = f" -x -a '{' '.join(values)}'" if values else " -r" if value else ""
            print(f"complete -c idc -n '__fish_seen_subcommand_from {command}' {kind} {name.lstrip('-')}{given} "
                  f"-d '{plain(meaning)}'")


if __name__ == "__main__":
    {"bash": bash, "zsh": zsh, "fish": fish}[sys.argv[2]](list(described(sys.argv[1])))
