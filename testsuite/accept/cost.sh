# SPDX-License-Identifier: GPL-2.0-or-later
# stap --cost: without root, kernel headers or a compiler; what it prints for programs; and instructions that a guest counts. Sourced by run.sh.

test_cost_of_a_script() {
    run 0 "$stap" -r "$release" --cost -e 'global n probe kernel.function("vfs_read") { n++ } probe begin { println("x") }' || return
    prints '^ +1 +46 +1 +47 +ftrace  kernel\.function\("vfs_read"\)$' && prints '^ +1 +0 +[0-9]+ +[0-9]+ +once  begin$' &&
        prints '^Assumed \(--assume\): stacks of 20 frames in programs and 8 in the kernel, ' && [ ! -s err ]
}

# Rates that the script says, and rates of a file.
test_cost_a_second() {
    local script='global n probe kernel.function("vfs_read") { n++ } probe timer.us(200) { n++ }'
    echo 'kernel.function("vfs_read") 1000' >rates
    run 0 "$stap" -r "$release" --cost --rates=rates --assume=ips=1e6 -e "$script" || return
    # 47 instructions a hit.
    prints ' 1,000 +47,000 +4\.7 % +ftrace ' && prints ' 5,000 +[0-9,]+ +[0-9.]+ % +timer interrupt ' || return
    echo 'kernel.function("vfs_write") 5' >rates
    run 0 "$stap" -r "$release" --cost --rates=rates -e "$script" &&
        prints "^The script has no probe at 'kernel.function\(\"vfs_write\"\)', for which there is a rate\.$" || return
    echo nothing >rates
    run 1 "$stap" -r "$release" --cost --rates=rates -e "$script" && says "Cannot use rates 'rates': line 1 has no rate" || return
    run 1 "$stap" -r "$release" --cost --rates=missing -e "$script" && says "Cannot read rates 'missing': No such file or directory"
}

test_cost_for_programs() {
    run 0 "$stap" -r "$release" --cost --format=json offcpu --min=1ms || return
    python3 - out "$here/../../docs/cost.schema.json" <<'EOF'
import json, sys
import jsonschema
report, schema = (json.load(open(path)) for path in sys.argv[1:])
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.validate(report, schema)
assert report["script"] == "offcpu", report["script"]
assert len(report["probes"]) >= 3
for row in report["probes"]:
    assert row["per_hit"]["typical"] in range(row["around"] + row["handler"]["typical"] - 1, row["around"] + row["handler"]["typical"] + 2)
EOF
}

# 90 frames more are at least 20 instructions each (a frame of a chain takes some 30).
test_cost_with_assumptions() {
    local deep shallow
    cost() { run 0 "$stap" -r "$release" --cost --format=json "--assume=frames=$1" oncpu && python3 -c 'import json; print(sum(p["per_hit"]["typical"] for p in json.load(open("out"))["probes"] if "hits_per_second" in p))'; }
    deep=$(cost 100) && shallow=$(cost 10) && [ "$deep" -gt $((shallow + 90 * 20)) ] || { echo "# $deep, $shallow"; return 1; }
    run 1 "$stap" -r "$release" --cost --assume=frames oncpu && says "Invalid assumption 'frames' (--assume)"
}

test_cost_needs_no_headers() {
    run 0 env PATH=/usr/bin "$stap" -r "$release" --cost wakeup && prints 'kernel\.trace\("sched:sched_waking"\)$' || return
    run 1 "$stap" --cost wakeups && says "There is no tool 'wakeups' (similar: wakeup)"
}

# Half of a minute of guest; testsuite/bench/cost/run.sh --check compares all.
test_cost_is_what_a_guest_counts() {
    local bench=$here/../bench/cost words=() name
    for name in entry_arguments map_pairs return_clock trace_name call_text mark_sample stack_both stackcount-call readsizes; do words+=(--only "$name"); done
    run 0 "$bench/run.sh" --check "${words[@]}" "$release" || { cat out; return 1; }
    prints '^9 scripts, 9 within 30 %$' || { cat out; return 1; }
}
