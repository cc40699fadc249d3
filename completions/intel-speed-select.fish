# SPDX-License-Identifier: GPL-2.0-only
# Completion for fish: the program itself says what may follow.

function __intel_speed_select_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct | string replace -ra '["\'\\\\]' '')
    set -l option (string match -r '^--[^=]*=' -- "$current")
    set -l value (string replace -- "$option" '' "$current")

    # Variables that are set for the command stand before it.
    while string match -qr '^\w+=' -- $words[1]
        set -e words[1]
    end
    set words[1] (string replace -r '^~/' $HOME/ -- $words[1])
    command -q $words[1]; or return
    set -l found (command $words[1] --complete -- $words[2..-1] "$current" 2>/dev/null)
    set -l paths
    switch "$found[1]"
        case \tfile
            set paths (__fish_complete_path "$value")
        case \tdirectory
            set paths (__fish_complete_directories "$value")
    end
    string match -v \t'*' -- $found
    for path in $paths
        echo -- "$option"$path
    end
end

complete -c intel-speed-select -c isst -f -k -a '(__intel_speed_select_candidates)'
