"""Writes the completion of idc for a shell, from what idc itself says: completion.py IDC bash|zsh|fish"""

import re
import sys
from typing import NamedTuple

import helptext

# The algorithms of a program, from what `idc list` prints: its declarations are the lines with an indent of two.
NAMES = r"s/^  \([A-Za-z_][A-Za-z_0-9]*\)[<(].*/\1/p"


class Option(NamedTuple):
    name: str
    value: str  # what its value is called; "" where it takes none
    optional: bool  # the value may be left out
    values: list  # those that there are, where idc lists them
    several: bool  # of these, with commas
    about: str

    @property
    def names_algorithm(self):
        return self.name == "--entry"

    @property
    def names_folder(self):
        return self.value == "FOLDER"

    @property
    def names_file(self):
        return self.names_folder or self.value in ("FILE", "PREFIX") or "." in self.value


class Command(NamedTuple):
    name: str
    about: str
    takes_file: bool
    options: list


HELP = Command("help", "show how a command is used", False, [])


def described(idc):
    for command, about in helptext.commands(idc):
        texts = helptext.options(idc, command)
        known = [re.match(r"-+[\w-]+", text)[0] for text, _ in texts]
        options = []
        for name, (text, meaning) in zip(known, texts):
            value = re.search(r"<(.*)>", text)
            values = helptext.values(idc, command, name, known)
            several = command == "compile" and name in ("--arch", "--emit", "--target")
            options.append(Option(name, value[1] if value else "", "[=" in text, values, several, meaning))
        yield Command(command, about, helptext.takes_file(idc, command), options)


def bash(commands):
    names = " ".join(command.name for command in commands)
    print(f"""# Completion of idc for bash, written by compiler/tools/completion.py.
# The algorithms of the program that the command names. Words are as they were typed: xargs takes quotes away.
_idc_entries() {{
  local word
  for word in "${{COMP_WORDS[@]:2}}"; do
    if [[ $word == *.id || $word == *.id[\\'\\"] ]]; then
      word=$(xargs printf %s <<<"${{word/#\\~\\//$HOME/}}" 2>/dev/null)
      "${{COMP_WORDS[0]/#\\~\\//$HOME/}}" list "$word" 2>/dev/null | sed -n '{NAMES}'
      return
    fi
  done
}}
_idc() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} words='' several='' head=''
  # Bash takes '=' for a word of its own.
  if [[ $word == '=' ]]; then word=''; elif [[ $before == '=' ]]; then before=${{COMP_WORDS[COMP_CWORD - 2]}}; fi
  if ((COMP_CWORD == 1)); then
    words='{names} help --help --version'
  else
    case "${{COMP_WORDS[1]}} $before" in""")
    for command in commands:
        for option in command.options:
            if option.names_algorithm:
                print(f"    '{command.name} {option.name}') words=$(_idc_entries) ;;")
            elif option.values:
                several = " several=1" if option.several else ""
                print(f"    '{command.name} {option.name}') words='{' '.join(option.values)}'{several} ;;")
    print("    *) case \"${COMP_WORDS[1]} $word\" in")
    for command in commands:
        print(f"      '{command.name} -'*) words='{' '.join(option.name for option in command.options)} --help' ;;")
    print(f"""      'help '*) words='{names}' ;;
      esac ;;
    esac
  fi
  if [[ $several && $word == *,* ]]; then head=${{word%,*}},; fi
  mapfile -t COMPREPLY < <(compgen -P "$head" -W "$words" -- "${{word#"$head"}}")
}}
complete -o default -F _idc idc""")


def zsh(commands):
    def text(words):
        return words.replace("'", r"'\''").replace("[", r"\[").replace("]", r"\]")

    def value(option):
        if option.names_algorithm:
            return "_idc_entries"
        if option.values:
            words = " ".join(option.values)
            return f"_values -s , {option.value} {words}" if option.several else f"({words})"
        return "_files -/" if option.names_folder else "_files" if option.names_file else " "

    print(f"""#compdef idc
# Completion of idc for zsh, written by compiler/tools/completion.py.
# The algorithms of the program that the command names.
_idc_entries() {{
  local word
  for word in $words; do
    if [[ ${{(Q)word}} == *.id ]]; then
      compadd -- ${{(f)"$("${{(Q)words[1]/#\\~\\//$HOME/}}" list "${{(Q)word/#\\~\\//$HOME/}}" 2>/dev/null |
        sed -n '{NAMES}')"}}
      return
    fi
  done
}}
local -a commands=(""")
    for command in [*commands, HELP]:
        print(f"  '{command.name}:{text(command.about)}'")
    print(")\nif ((CURRENT == 2)); then\n  _describe 'command' commands\n  return\nfi\ncase $words[2] in")
    for command in commands:
        print(f"{command.name})\n  _arguments \\")
        for option in command.options:
            equals = "=-" if option.optional else "=" if option.name.startswith("--") else "+"
            given = (":" * (1 + option.optional)) + f"value:{value(option)}" if option.value else ""
            print(f"    '*{option.name}{equals if option.value else ''}[{text(option.about)}]{given}' \\")
        print("    '1:command:' \\")
        print("    '*:program:_files -g \"*.id\"' ;;" if command.takes_file else "    '*: :' ;;")
    print("help) _describe 'command' commands ;;\nesac")


def fish(commands):
    def text(words):
        return words.replace("\\", r"\\").replace("'", r"\'")

    print(f"""# Completion of idc for fish, written by compiler/tools/completion.py.
function __idc_command -d 'Whether the command is this one; without a name, whether there is none yet'
    set -l words (commandline -opc)
    test "$words[2]" = "$argv[1]"
end
function __idc_entries -d 'The algorithms of the program that the command names'
    set -l words (commandline -op)
    for word in $words
        if string match -q '*.id' -- $word
            $words[1] list (string replace -r '^~/' "$HOME/" -- $word) 2>/dev/null | sed -n '{text(NAMES)}'
            return
        end
    end
end""")
    for command in [*commands, HELP]:
        print(f"complete -c idc -n __idc_command -f -a {command.name} -d '{text(command.about)}'")
    for command in commands:
        print(f"complete -c idc -n '__idc_command help' -f -a {command.name} -d '{text(command.about)}'")
        for option in command.options:
            kind = "-l" if option.name.startswith("--") else "-s"
            words = " ".join(option.values)
            given = ""
            if option.names_algorithm:
                given = " -x -a '(__idc_entries)'"
            elif option.several:
                given = f" -x -a '(__fish_complete_list , \"string join \\n {words}\")'"
            elif option.values:
                given = f" -x -a '{words}'"
            elif option.names_folder:
                given = " -x -a '(__fish_complete_directories)'"
            elif option.value and not option.optional:
                given = " -r" if option.names_file else " -x"
            print(f"complete -c idc -n '__idc_command {command.name}' {kind} {option.name.lstrip('-')}{given} "
                  f"-d '{text(option.about)}'")


if __name__ == "__main__":
    {"bash": bash, "zsh": zsh, "fish": fish}[sys.argv[2]](list(described(sys.argv[1])))
