# Prints what zsh shows when the tabulator is pressed behind a command: complete.zsh FOLDER-OF-_idc COMMAND
zmodload zsh/zpty
zpty shell "TERM=dumb zsh -f -i"
zpty -w shell "PS1= PROMPT_EOL_MARK= LISTMAX=10000; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell "bindkey '^I' list-choices; print be''gin"
zpty -r shell output '*begin*'
zpty -w -n shell "$2"$'\t\x15print "e"nd\n'
zpty -r shell output $'*\nend*'
print -r -- "${output//$'\r'/}"
