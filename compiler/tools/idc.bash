# Completion of idc for bash: its commands, and the options that their --help names.
_idc() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$(idc --help | sed -n 's/^  \([a-z]*\) *- .*/\1/p') --help --version" -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(idc "$command" --help | sed -n 's/^  \(--*[a-zA-Z-]*\).*/\1/p')" -- "$word")
  fi
}
complete -o default -o nospace -F _idc idc
