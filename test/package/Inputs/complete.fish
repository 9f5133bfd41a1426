# Prints how fish would complete a command: complete.fish SCRIPT-WITH-THE-COMPLETIONS COMMAND
source $argv[1]
complete -C $argv[2]
