# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of stap in fish. "stap --complete" knows the words.

function __stap_words
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    # A quote that is open is not a part of the word.
    if string match -qr '^[\'"]' -- $typed
        set typed (string sub -s 2 -- $typed | string replace -a '\\\\"' '"')
    else if set -l plain (string unescape -- $typed)
        set typed $plain
    end
    set -l found ($words[1] --complete $words[2..-1] "$typed" 2>/dev/null)
    test (count $found) -gt 0; or return
    set -l head (string split \t -- $found[1])
    printf '%s\n' $found[2..-1]
    # A script goes on: fish would close the quote behind the only word.
    if test "$head[1]" = open -a (count $found) -eq 2
        printf '%s...\n' (string split \t -- $found[2])[1]
    end
    set -l prefix "$head[2]"
    set -l value (string sub -s (math 1 + (string length -- "$prefix")) -- "$typed")
    set -l more
    switch $head[1]
        case files
            set more (__fish_complete_path "$value")
        case directories
            set more (__fish_complete_directories "$value" "")
        case commands
            set more (complete -C "$value")
        case hosts
            set more (__fish_print_hostnames)
    end
    for word in $more
        printf '%s%s\n' "$prefix" $word
    end
end

complete -c stap -f -k -a '(__stap_words)'
