# SPDX-License-Identifier: GPL-2.0-or-later
# Tools with --format=json beside a load: what they print is valid by the shipped schema, in the order of time. Those that need a server,
# an interpreter or a core file are left out.
#: host: gcc -O1 -g -pthread -o truth "$AREA/../flame/_truth.c"
#: host: gcc -O1 -g -o requests "$AREA/../flame/_requests.c"
#: host: for t in "$AREA"/../../../tools/*/*.stp; do n=$(basename $t .stp); case $n in crash | deadlock | heap* | jemalloc | listwalk | mounts | ngx-* | pg-* | py* | redis | sockets | sqlite | stacks) [ $n = heapgrow ] || continue ;; esac; set -- -c "$W/truth" $t; [ $n != stackcount ] || set -- "$@" syscall.write; [ $n != slowrequest ] || set -- "$@" spin_half; [ $n != nginx-cpu ] || set -- -c "$W/requests" $t "$W/requests"; "$STAP" -p4 -r "$R" -DMAXSTRINGLEN=4096 -m ${n//-/_} "$@" >/dev/null || exit; done
#: requires: program python3
#: timeout: 600
#: long: a module for each tool, and Python is slow in a guest
#: records: also
python3 -c 'import jsonschema' || skip 'needs python3-jsonschema'
[ "$(ls ./*.ko | wc -l)" -ge 22 ] || fail "these are too few tools: $(ls ./*.ko)"
for module in *.ko; do
    status=0
    load='./truth cpu'
    [ $module != nginx_cpu.ko ] || load=./requests
    "$STAPRUN" --format=json $module -c "$load" >${module%.ko}.json 2>err || status=$?
    # Emulated processors have no counters. The records tell that, too.
    if [ $module = cycles.ko ] && grep -q 'this machine has no performance event' err; then status=0; fi
    is_equal "exit status of $module: $(cat err)" $status 0
done
python3 "$AREA/../../check_records.py" "$AREA/../../../docs/output.schema.json" ./*.json >checked 2>err || fail "$(cat err)"
is_equal 'files that were checked' "$(grep -c '^end' checked)" "$(ls ./*.json | wc -l)"
grep -q '^row {.*"table": "programs"' checked || fail 'readsizes has no rows'
