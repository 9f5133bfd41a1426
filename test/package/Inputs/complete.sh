# Prints how bash would complete the last of the words after the name of the script with the completions.
source "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_idc
printf '%s\n' "${COMPREPLY[@]}"
