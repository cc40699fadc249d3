# SPDX-License-Identifier: GPL-2.0-only
# Completion for fish: the program itself says what may follow.

function __intel_speed_select_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found ($words[1] --complete -- $words[2..-1] "$current" 2>/dev/null)

    if set -q found[1]
        printf '%s\n' $found
        return
    end
    switch $words[-1]
        case -o --out --simulate
            __fish_complete_path "$current"
        case --simulate-state
            __fish_complete_directories "$current"
    end
end

for command in intel-speed-select isst
    complete -c $command -f -a '(__intel_speed_select_candidates)'
end
