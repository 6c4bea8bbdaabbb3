# SPDX-License-Identifier: GPL-2.0-or-later
# The commands of docs/server.md, as they stand there. Sourced by run.sh.

# The indented blocks that use curl, each followed by a line "--".
blocks_with_curl() {
    awk 'function finish() { if (block ~ /curl /) printf "%s--\n", block; block = "" }
        /^    / { block = block substr($0, 5) "\n"; next }
        { finish() }
        END { finish() }' "$1"
}

# Replaces the names in commands that stand for the reader's own machines and kernel.
reader() {
    curl() {
        local words=() word
        for word in "$@"; do
            word=${word//https:\/\/build.example.org:8443/$url}
            words+=("${word//6.1.0-??-amd64/$release}")
        done
        echo x >>asked
        command curl -sS --fail-with-body --max-time 400 "${words[@]}"
    }
    uname() { [ "$*" = -r ] && echo "$release"; }
    # The image of the kernel need not be installed where this is tried.
    tar() {
        local words=() word
        for word in "$@"; do [ "$word" = "boot/vmlinuz-$release" ] && [ ! -e "/$word" ] || words+=("$word"); done
        command tar "${words[@]}"
    }
    scp() { [ "$2" = root@host: ] && cp "$1" copied.ko; }
    ssh() { [ "$*" = "root@host ./staprun hello.ko" ] && cmp hello.ko copied.ko; }
}

test_commands_of_the_documentation() {
    local name block=() line count=0
    for name in anna:tracer keeper:keeper; do
        [ -e "${name%:*}.pem" ] || cp "${name#*:}.pem" "${name%:*}.pem"
        [ -e "${name%:*}.key" ] || cp "${name#*:}.key" "${name%:*}.key"
    done
    TOKEN=$(cat token.secret)
    reader
    rm -f asked
    blocks_with_curl "$here/../../docs/server.md" >blocks
    while IFS= read -r line; do
        if [ "$line" != -- ]; then
            block+=("$line")
            continue
        fi
        printf '%s\n' "${block[@]}"
        # With all output in one file; a failure anywhere ends the test.
        eval "$(printf '%s\n' "${block[@]}")" >shown || { cat shown; return 1; }
        if grep -q -- '-o hello.ko' <<<"${block[*]}"; then
            equal "$(head -c 4 hello.ko | tail -c 3)" ELF
            grep -aq '^name=hello$' <(tr '\0' '\n' <hello.ko)
        elif grep -q /v1/kernels/ <<<"${block[*]}"; then
            has '"result":"kernel"' shown
        else
            # The whole answer, and the events.
            equal "$(grep -c '"result":"module"' shown)" 2
            has '"event":"end"' shown
        fi
        count=$((count + 1))
        block=()
    done <blocks
    unset -f curl uname tar scp ssh
    equal "$count" 3
    equal "$(wc -l <asked)" 4
}
