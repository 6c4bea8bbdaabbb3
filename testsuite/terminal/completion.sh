#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# completion.sh STAP: bash, zsh and fish in a tmux complete command lines of stap: text is typed, then Tab, then X, and the line has to be as
# completion.txt says. A shell that is not installed is left out, with a message. Status 77 where there is no tmux, or none of them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
stap=$(realpath "$1")
functions=$(realpath "$here/../../editors/shell")
. "$here/../patiently.sh"
command -v tmux >/dev/null || { echo 'needs tmux'; exit 77; }
work=$(mktemp -d)
export HOME=$work XDG_STATE_HOME= XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data LC_ALL=C.UTF-8 TAPIR_CACHE_DIR=$work/cache
export PATH=$(dirname "$stap"):$PATH
in_tmux() { tmux -u -S "$work/socket" -f /dev/null "$@"; }
finish() {
    in_tmux kill-server 2>/dev/null || :
    rm -rf "$work"
}
trap finish EXIT
mkdir -p "$work/here/folder" "$work/cache/kernels/9.9.9-test/boot" "$work/data"
touch "$work/here/saved.core" "$work/here/a script.stp"
printf '%s\n' "source '$functions/stap.bash'" "PS1='> '" >"$work/bashrc"
printf '%s\n' "fpath=('$functions' \$fpath)" 'autoload -U compinit' "compinit -u -D -d '$work/dump'" "PS1='> '" 'unsetopt prompt_sp' \
    >"$work/.zshrc"
printf '%s\n' "source '$functions/stap.fish'" 'set -g fish_autosuggestion_enabled 0' 'set -g fish_greeting' \
    'function fish_prompt; echo -n "> "; end' >"$work/init.fish"
cd "$work/here"

# last_line: the line that is being typed.
last_line() { in_tmux capture-pane -p -J -t "$shell" | sed -n '/^> /h;${x;s/ *$//;p}'; }
is_shown() { [ "$(last_line)" = "$1" ]; }
# awaits NAME LINE: until the line is that.
awaits() {
    if patiently 60 is_shown "$2"; then
        echo "ok - $shell: $1"
    else
        echo "not ok - $shell: $1"
        printf '# expected %s\n#    found %s\n' "$2" "$(last_line)"
        in_tmux capture-pane -p -t "$shell" | sed 's/^/# /'
        failed=yes
    fi
}

failed= tried=
# complete_in SHELL COMMAND...
complete_in() {
    shell=$1
    shift
    if ! command -v "$shell" >/dev/null; then
        echo "ok - $shell # SKIP no $shell here: apt-get install $shell"
        return
    fi
    tried=yes
    in_tmux new-session -d -s "$shell" -x 120 -y 40 "$@"
    patiently 60 is_shown '>' || { echo "not ok - $shell has no prompt"; failed=yes; return; }
    local typed line
    while IFS=$'\t' read -r typed line; do
        case $typed in '' | '#'*) continue ;; esac
        # The functions of this kernel.
        [[ $typed != *kernel.function* || -r /sys/kernel/btf/vmlinux ]] || continue
        in_tmux send-keys -t "$shell" -l -- "$typed"
        in_tmux send-keys -t "$shell" Tab
        in_tmux send-keys -t "$shell" -l X
        awaits "$typed" "> $line"
        in_tmux send-keys -t "$shell" C-u
        in_tmux send-keys -t "$shell" C-l
        patiently 60 is_shown '>' || { echo "not ok - $shell: the line is not left"; failed=yes; return; }
    done <"$here/completion.txt"
}
# All long options of --help are offered, and nothing else.
offered=$("$stap" --complete -- | cut -f1 | sed -n 's/^\(--[a-z-]*\).*/\1/p' | sort -u)
described=$("$stap" --help | sed -nE 's/^  (-[A-Za-z] \[ )?(--[a-z-]+).*/\2/p' | sort -u)
if [ "$offered" = "$described" ] && [ "$(wc -l <<<"$offered")" -gt 50 ]; then
    echo 'ok - all options of --help are offered'
else
    echo 'not ok - all options of --help are offered'
    diff <(cat <<<"$described") <(cat <<<"$offered") | sed 's/^/# /'
    failed=yes
fi
complete_in bash bash --noprofile --rcfile "$work/bashrc" -i
complete_in zsh env ZDOTDIR="$work" zsh -i
complete_in fish fish --no-config -C "source '$work/init.fish'"
[ -n "$tried" ] || exit 77
[ -z "$failed" ]
