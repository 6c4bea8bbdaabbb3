# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of stap in bash. "stap --complete" knows the words; this function parts the line and quotes them.

# _stap_part LINE: the words of a line in _stap_words, without their quotes. The last one is also in _stap_raw as it was typed, and
# _stap_quote has the quote that is open in it.
_stap_part() {
    local line=$1 char word= raw= begun= i
    _stap_words=() _stap_quote=
    for ((i = 0; i < ${#line}; i++)); do
        char=${line:i:1}
        case $_stap_quote$char in
        [[:space:]])
            [ -z "$begun" ] || _stap_words+=("$word")
            word= raw= begun=
            continue
            ;;
        \'\' | \"\") _stap_quote= ;;
        \' | \") _stap_quote=$char ;;
        \\ | \"\\)
            raw+=$char
            i=$((i + 1)) char=${line:i:1}
            # Within double quotes it stays before most characters.
            [[ $_stap_quote && $char != [\"\\\$\`] ]] && word+=\\
            word+=$char
            ;;
        *) word+=$char ;;
        esac
        begun=yes raw+=$char
    done
    _stap_words+=("$word")
    _stap_raw=$raw
}

_stap() {
    local _stap_words _stap_quote _stap_raw fill prefix line word cut typed
    COMPREPLY=()
    _stap_part "${COMP_LINE:0:COMP_POINT}"
    typed=${_stap_words[${#_stap_words[@]} - 1]}
    # readline replaces a part of the word, which begins behind a quote, or behind a character such as "=".
    cut=${_stap_raw%"$2"}
    local all=("${_stap_words[@]}")
    _stap_part "$cut"
    cut=${_stap_words[${#_stap_words[@]} - 1]}
    _stap_part "${COMP_LINE:0:COMP_POINT}"
    local found=()
    while IFS= read -r line; do
        found+=("$line")
    done < <("${1/#\~/$HOME}" --complete "${all[@]:1}" 2>/dev/null)
    [ ${#found[@]} -gt 0 ] || return
    IFS=$'\t' read -r fill prefix <<<"${found[0]}"
    local words=()
    for line in "${found[@]:1}"; do
        words+=("${line%%$'\t'*}")
    done
    local value=${typed#"$prefix"} option=
    case $fill in
    files) option=-f ;;
    directories) option=-d ;;
    commands) option=-c ;;
    hosts) option="-A hostname" ;;
    esac
    if [ -n "$option" ]; then
        [ ${#words[@]} -gt 0 ] || compopt -o filenames
        while IFS= read -r word; do
            words+=("$prefix$word")
        done < <(compgen $option -- "$value")
    fi
    for word in "${words[@]}"; do
        word=${word:${#cut}}
        case $_stap_quote in
        \") word=${word//[\\]/\\\\} word=${word//\"/\\\"} word=${word//\$/\\\$} word=${word//\`/\\\`} ;;
        \') ;;
        *) [ "$(compopt 2>/dev/null | grep -c -- '-o filenames')" = 1 ] || printf -v word %q "$word" ;;
        esac
        COMPREPLY+=("$word")
    done
    if [ "$fill" = open ] || [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:] ]]; then
        compopt -o nospace
    fi
    # A script goes on: readline would close the quote behind the only word.
    if [ "$fill" = open ] && [ ${#COMPREPLY[@]} -eq 1 ]; then
        COMPREPLY+=("${COMPREPLY[0]}...")
    fi
}
complete -F _stap stap
