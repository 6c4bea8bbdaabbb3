# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts of stap++. They run on snapshots of a process, which need no kernel module. Sourced by run.sh.

# shellcheck disable=SC2016 # the dollars are those of scripts

# Writes a script and its library to a directory of their own.
sxx_script() {
    mkdir -p sxx/tapset/tools || return
    cat >sxx/tapset/tools/texts.sxx <<'END'
// Used by the script beside it.
function shout(text) {
    return text . "$^arg_mark :default(!)"
}
END
    cat >sxx/tool.sxx <<'END'
#!/usr/bin/env stap++
@use tools.texts

probe process.snapshot {
    if ($^pid_ok) {
        println(shout("process $^target of $^exec_path"))
        for (i = 0; i < $^arg_count; i++)
            println("line ", i, " $^arg_mark")
    }
    %( "$^arg_last :default()" != "" %? println("$^arg_last") %)
}
END
}

test_stapxx_scripts_run() {
    local status=0 program
    program=$(readlink -f "$(command -v sleep)")
    sxx_script || return
    sleep 1000 &
    # Until then it is a shell.
    patiently 60 eval '[ "$(readlink /proc/$!/exe)" = "$program" ]' || return
    run 0 "$stap" -I sxx/tapset -x $! --snapshot sxx/tool.sxx --arg count=2 && [ "$(cat out)" = "process $! of $program!
line 0 !
line 1 !" ] && SXX_PATH=/nowhere:$work/sxx/tapset run 0 "$stap" -x $! --snapshot sxx/tool.sxx --count 0 --mark=? --last end &&
        [ "$(cat out)" = "process $! of $program?
end" ] || status=1
    kill $!
    return $status
}

test_stapxx_by_its_name() {
    local status=0
    sxx_script && ln -s "$stap" sxx/stap++ || return
    sleep 1000 &
    cp sxx/tool.sxx sxx/tool.stp
    # Its libraries lie beside it.
    run 0 sxx/stap++ -x $! --dump-src sxx/tool.stp --arg count=1 && [ "$(head -n 2 out)" = '#!/usr/bin/env stap' ] &&
        prints '^        for \(i = 0; i < 1; i\+\+\)$' || status=1
    kill $!
    [ $status = 0 ] || return
    printf 'println("$^arg_a")' | run_with_input 0 sxx/stap++ --dump-src - --a=5 && [ "$(cat out)" = 'println("5")' ] || return
    printf '#!%s -v --dump-src\n$^arg_a :default(6)\n' "$work/sxx/stap++" >sxx/program && chmod 755 sxx/program || return
    run 0 sxx/program && [ "$(cat out)" = '#!/usr/bin/env stap
6' ]
}

# run_with_input STATUS COMMAND...: run with what comes in.
run_with_input() {
    local wanted=$1 status=0
    shift
    "$@" >out 2>err || status=$?
    [ "$status" -eq "$wanted" ]
}

test_stapxx_arguments() {
    sxx_script && run 0 "$stap" --args -I sxx/tapset sxx/tool.sxx || return
    [ "$(cat out)" = "$(printf '\t--arg count=VALUE\n\t--arg last=VALUE (default: )\n\t--arg mark=VALUE (default: !)')" ]
}

# The workers of a server, and a library that only one of them has mapped.
test_stapxx_processes_of_a_master() {
    local master children first list="" status=0
    bash -c 'sleep 1000 & sleep 1000 & wait' &
    master=$!
    patiently 60 eval '[ "$(pgrep -c -P $master)" = 2 ]' || status=1
    children=$(pgrep -P $master | sort -n)
    first=$(head -n 1 <<<"$children")
    for child in $children; do list="${list:+$list || }pid() == $child"; done
    run 0 "$stap" --sxx --dump-src --master=$master -e '$^pid_ok|$^target|$^exec_path' &&
        [ "$(cat out)" = "($list)|$(tr '\n' ' ' <<<"$children" | sed 's/ $//')|$(readlink /proc/$master/exe)" ] &&
        run 0 "$stap" --sxx --dump-src --sample-pid="$first" -e '$^libc_path' &&
        grep -qxF -- "$(cat out)" <(sed -n 's,^[^/]*\(/.*\),\1,p' "/proc/$first/maps") || status=1
    # shellcheck disable=SC2086 # several words
    kill $children $master
    return $status
}

# Messages are about what the user wrote: the line, the column below the token, the file of a library.
test_stapxx_messages() {
    mkdir -p sxx/tapset
    printf '#!x\n\nprobe begin {\n  a = "$^exec_path" . "x"; $^arg_what\n}\n' >sxx/wrong.sxx
    run 1 "$stap" -r "$release" -p2 --exec=/bin/ls sxx/wrong.sxx --what='println(1, b + "c")' && says 'sxx/wrong.sxx:4:28' &&
        says '  a = "$^exec_path" . "x"; $^arg_what' || { cat err; return 1; }
    printf 'function twice(n) {\n  return n * $^arg_factor :default(2) +* 1\n}\n' >sxx/tapset/twice.sxx
    run 1 "$stap" -r "$release" -p2 -I sxx/tapset --sxx -e '@use twice
probe begin { println(twice(1)) }' && says 'sxx/tapset/twice.sxx:2:40' && says '  return n * $^arg_factor :default(2) +* 1' || { cat err; return 1; }
    run 1 "$stap" --dump-src sxx/wrong.sxx && says 'sxx/wrong.sxx:4:28' && says 'at :4:8' && says 'help: -x PID, --master PID or --exec PATH sets it' &&
        says 'help: give it one: --arg what=VALUE'
}
