# SPDX-License-Identifier: GPL-2.0-or-later
# Every tool whose probe points this kernel has, and that needs no program of its own: beside no load it ends well after its time, and says
# something, as text and as records; and, when it is signed for members of stapusr, to one of these. Six at once; the records are valid by the
# shipped schema.
#: host: "$STAP" run --check-all -r "$R" | sed -nE 's/^([^ ]+) +ok, .*/\1/p' >resolved
#: host: xargs -P 2 -I NAME sh -c '"$STAP" -w -p4 -r "$R" -m "tool_$(echo NAME | tr - _)" run NAME >NAME.made 2>&1 || echo NAME >>refused' <resolved
#: requires: program openssl setpriv python3
#: timeout: 1200
#: long: three sessions of each tool
#: records: no, it asks for records itself
. "$AREA/../trust/_common.sh"
tools=$(ls ./*.ko | wc -l)
[ $tools -ge 90 ] || fail "only $tools tools were built"
# Tools that want more words say so.
while read -r name; do
    grep -q 'needs a word\|which process?' $name.made || { cat $name.made; fail "$name was not built"; }
done < <(cat refused 2>/dev/null)
for module in *.ko; do sign --for=stapusr $module >/dev/null || fail "$module was not signed"; done
cp ./*.ko ./*.sig "$BIN/stap-report" $place
export STAPRUN place W
export -f become group
cat >session <<'E'
name=$(basename $1 .ko) kind=$2
case $kind in
member) cd $place/4001 && become user $place/staprun $place/$1 --duration 1 ;;
*) "$STAPRUN" $1 --format=$kind --duration 1 ;;
esac >$name.$kind 2>$name.$kind.err
echo $? >$W/$name.$kind.status
E
for kind in text json member; do
    ls ./*.ko | xargs -P 6 -I MODULE bash session MODULE $kind
    for module in *.ko; do
        name=${module%.ko}
        # Emulated processors have no counters of their own. The tool that asks for these says that, too.
        grep -q 'this machine has no performance event' $name.$kind.err && continue
        # A picture of few samples may be of no worth.
        case $(cat $name.$kind.status) in
        0) ;;
        3) grep -q 'quality' $name.$kind $name.$kind.err || fail "$name, $kind: status 3: $(cat $name.$kind.err)" ;;
        *) fail "$name, $kind: status $(cat $name.$kind.status): $(cat $name.$kind.err)" ;;
        esac
        grep -q . $name.$kind $name.$kind.err || fail "$name says nothing when there is nothing"
        # Modules of the kernel that are not loaded have no symbols yet; and emulated processors are slow.
        ! grep -v '^WARNING: \(.*was not loaded\|probes take\)' $name.$kind.err | grep -qE 'ERROR|WARNING' || fail "$name, $kind: $(cat $name.$kind.err)"
    done
done
is_equal 'records that end' "$(tail -qn 1 ./*.json | grep -c '"type":"end"')" "$(ls ./*.json | wc -l)"
RECORDS_ASKED=200 python3 "$AREA/../../check_records.py" "$AREA/../../../docs/output.schema.json" ./*.json >checked 2>err || fail "$(cat err)"
