# SPDX-License-Identifier: GPL-2.0-or-later
# Tools with --format=json beside a load: what they print is valid by the shipped schema, in the order of time. Not those that need a
# server, an interpreter or a core file, nor those of the other cases of this folder.
#: host: gcc -O1 -g -pthread -o truth "$AREA/../flame/_truth.c"
#: host: gcc -O1 -g -o requests "$AREA/../flame/_requests.c"
#: host: for n in alloc biostacks cycles filebytes filelatency funccount heapgrow interpreted klocks leak locks netbytes; do set -- -c "$W/truth" "$AREA"/../../../tools/*/$n.stp; "$STAP" -p4 -r "$R" -DMAXSTRINGLEN=4096 -m $n "$@" >/dev/null || exit; done
#: host: for n in offcpu offwake oncpu pagefaults readsizes strace threads wakeup wallclock; do set -- -c "$W/truth" "$AREA"/../../../tools/*/$n.stp; "$STAP" -p4 -r "$R" -DMAXSTRINGLEN=4096 -m $n "$@" >/dev/null || exit; done
#: host: for n in slowrequest:spin_half stackcount:syscall.write; do set -- -c "$W/truth" "$AREA"/../../../tools/*/${n%:*}.stp ${n#*:}; "$STAP" -p4 -r "$R" -DMAXSTRINGLEN=4096 -m ${n%:*} "$@" >/dev/null || exit; done
#: host: "$STAP" -p4 -r "$R" -DMAXSTRINGLEN=4096 -m nginx_cpu -c "$W/requests" "$AREA"/../../../tools/*/nginx-cpu.stp "$W/requests" >/dev/null
#: requires: program python3
#: timeout: 600
#: long: a module for each tool, and Python is slow in a guest
#: records: also
[ -n "${RECORDS:-}" ] || python3 -c 'import jsonschema' || skip 'needs python3-jsonschema'
is_equal tools "$(ls ./*.ko | wc -l)" 24
for module in *.ko; do
    status=0
    load='./truth cpu'
    [ $module != nginx_cpu.ko ] || load=./requests
    "$STAPRUN" --format=json $module -c "$load" >${module%.ko}.json 2>err || status=$?
    # Emulated processors have no counters. The records tell that, too.
    if [ $module = cycles.ko ] && grep -q 'this machine has no performance event' err; then status=0; fi
    is_equal "exit status of $module: $(cat err)" $status 0
done
is_equal 'files that end' "$(tail -qn 1 ./*.json | grep -c '"type":"end"')" "$(ls ./*.ko | wc -l)"
grep -q '"type":"row".*"table":"programs"' readsizes.json || fail 'readsizes has no rows'
# With --records the host checks the same, which takes it a fraction of the time.
[ -n "${RECORDS:-}" ] && exit
python3 "$AREA/../../check_records.py" "$AREA/../../../docs/output.schema.json" ./*.json >checked 2>err || fail "$(cat err)"
