# Prints what zsh shows when the tabulator is pressed behind a command: complete.zsh FOLDER-OF-_idc COMMAND
zmodload zsh/zpty
zpty shell "TERM=dumb zsh -f -i"
zpty -w shell "PS1= PROMPT_EOL_MARK= LISTMAX=10000; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell "bindkey '^I' list-choices; print be''gin"
zpty -r shell output $'*begin*\n'
# What is typed before the list is there would keep it away: wait for it, and until nothing more comes.
zpty -w -n shell "$2"$'\t'
output= quiet=0
repeat 300; do
  if zpty -r -t shell piece; then
    output+=$piece quiet=0
  elif [[ $output == *$'\n'* ]] && (( ++quiet > 15 )); then
    break
  fi
  sleep 0.1
done
print -r -- "${output//$'\r'/}"
