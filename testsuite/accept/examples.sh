#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Passes 1 and 2 over every script below a directory, such as the examples of Debian's package systemtap-doc. Writes a table
# (script, does it parse, does it elaborate, group and name of the first thing it lacks), then the counts as "#" lines.
# What is lacking may be a probe point, alias, function, macro, target variable or option that does not exist yet; status 1 when
# a script fails for another reason.
#   examples.sh [-r RELEASE] [DIRECTORY]
# A file NAME.meta beside NAME.stp may say with which options and arguments: "test_check: stap -p4 NAME.stp ARGUMENT...".
set -u -o pipefail
stap_program=$(cd "$(dirname "$0")/../.." && pwd)/build/bin/stap
release=$(uname -r)
while getopts r: option; do
    case $option in
    r) release=$OPTARG ;;
    *) sed -n '3,8s/^# //p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
directory=$(cd "${1:-/usr/share/systemtap/examples}" && pwd) || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# stap ARGUMENT...: what the command of a .meta file runs. Everything may use guru mode; the pass is ours. Pass 1 does without the
# options that only later passes read.
stap() {
    local arguments=()
    while [ $# -gt 0 ]; do
        case $1 in
        -p[0-9]) ;;
        -[a-z]p[0-9]) arguments+=("${1%p?}") ;;
        --all-modules | --ldd) [ "$pass" -eq 1 ] || arguments+=("$1") ;;
        -d) if [ "$pass" -eq 1 ]; then shift; else arguments+=("$1"); fi ;;
        *) arguments+=("$1") ;;
        esac
        shift
    done
    "$stap_program" -g -r "$release" -p"$pass" "${arguments[@]}"
}

# translate SCRIPT: passes 1 to $pass, in the script's directory.
translate() {
    local name command
    name=$(basename "$1")
    command=$(cat "${1%.stp}.meta" "$(dirname "$1")"/*.meta 2>/dev/null | sed -n "s/^test_check: *\(stap .* ${name//./\\.}.*\)/\1/p" |
        head -n 1)
    [ -n "$command" ] || command="stap $name 'kernel.function(\"vfs_read\")' 'kernel.function(\"vfs_write\")' 1"
    command=${command/0x\`*\`/0x1000}  # an address of the running kernel
    (cd "$(dirname "$1")" && eval "$command") >/dev/null 2>"$work/err" </dev/null
}

# The group and the name of what the first error says, separated by a tab.
lacking() {
    awk '
    function quoted(text) { sub(/^[^\047]*\047/, "", text); sub(/\047.*/, "", text); return text }
    function answer(group, name) { if (!done) print group "\t" name; done = 1; exit }
    # The probe point that begins where the caret is, without its particulars.
    function point(text) {
        match(text, /^[A-Za-z0-9_.*]+(\(("[^"]*"|[0-9a-fx]+)\)[A-Za-z0-9_.*]*)*/)
        text = substr(text, 1, RLENGTH)
        gsub(/"[^"]*"/, "STRING", text)
        gsub(/\([0-9][0-9a-fx]*\)/, "(NUMBER)", text)
        return text
    }
    /no probes found/ { next }
    message == "" && /error: |^ERROR: |^Input file |option|^--/ && !/^WARNING/ { message = $0; at = $0 }
    message == "" { next }
    /^ +(at|saw): / { at = $0 }
    message ~ /unknown operator or macro/ && /^ +at: / { answer("macro", quoted(at)) }
    message ~ /unresolved function/ { sub(/.*unresolved function /, "", message); sub(/[ :(].*/, "", message); answer("function", message) }
    message ~ /target variable|unable to find (local|member)|cannot be read|there is no [$]return|debug information/ { answer("target variable", quoted(message)) }
    message ~ /option|--/ { match(message, /--?[a-zA-Z][a-z-]*/); answer("option", substr(message, RSTART, RLENGTH)) }
    message !~ /while resolving probe point|unknown operator or macro/ { exit }
    # The cause comes after the place.
    name != "" && /error: / {
        if (/no match/) answer("kernel function", quoted(substr($0, match($0, /: (string|identifier) [^:]*$/))))
        if (/source files in function patterns/) answer("probe kind", "function in a source file")
        if (/are not supported yet/) { sub(/ (is|are) not supported yet.*/, ""); sub(/.*: /, ""); answer("probe kind", $0) }
        exit
    }
    / source: / { source = $0 }
    /^[ \t]*\^/ && name == "" {
        name = point(substr(source, index($0, "^")))
        if (name == "") name = quoted(message)
    }
    END {
        if (name ~ /^(kernel|module|process|timer|perf|procfs|netfilter|java|python[23]|hotspot)([.(]|$)/) answer("probe kind", name)
        if (name != "") answer("alias", name)
        if (!done) print "other\t" message
    }' "$work/err"
}

scripts=0 parsed=0 lacks_macro=0 elaborated=0 wrong=0
while read -r script; do
    scripts=$((scripts + 1))
    shown=${script#"$directory"/}
    # Not scripts: a form to be filled in, and tapset files, which have no probe of their own.
    if grep -q 'probe X\.Y\.Z' "$script"; then
        printf '%s\ttemplate\t-\t-\t-\n' "$shown"
        continue
    fi
    pass=1
    if translate "$script"; then
        parses=yes parsed=$((parsed + 1))
    else
        parses=no
        IFS=$'\t' read -r group name < <(lacking)
        [ "$group" = macro ] && parses="macro" lacks_macro=$((lacks_macro + 1))
    fi
    pass=2
    group=- name=- elaborates=no
    if [[ $script == */tapset/* ]]; then
        elaborates=tapset
    elif translate "$script"; then
        elaborates=yes elaborated=$((elaborated + 1))
    else
        IFS=$'\t' read -r group name < <(lacking)
    fi
    case $parses-$group in no-* | *-other) wrong=$((wrong + 1)) ;; esac
    printf '%s\t%s\t%s\t%s\t%s\n' "$shown" "$parses" "$elaborates" "$group" "$name"
done < <(find "$directory" -name "*.stp" | LC_ALL=C sort) >"$work/table"
cat "$work/table"
echo "# $scripts scripts, $parsed parse, $lacks_macro more but for a macro of the library, $elaborated elaborate, $wrong wrong"
cut -f 4 "$work/table" | LC_ALL=C sort | uniq -c | sed -n "s,^ *\([0-9]*\) \([a-z].*\),# lacks first: \2 \1,p"
[ "$wrong" -eq 0 ] && [ "$scripts" -gt 0 ]
