# SPDX-License-Identifier: GPL-2.0-or-later
# For the cases that run every tool beside no load: those whose probe points this kernel has, and that need no program of their own. Sourced.
# The case's `host:` lines have built them: NAME.ko is there, or NAME.made says why not.

tools=$(ls ./*.ko | wc -l)
[ $tools -ge 90 ] || fail "only $tools tools were built"
# Tools that want more words say so.
while read -r name; do
    grep -q 'needs a word\|which process?' $name.made || { cat $name.made; fail "$name was not built"; }
done < <(cat refused 2>/dev/null)

# beside_no_load SUFFIX FUNCTION: FUNCTION NAME.ko of each tool, six at once. Each ends well, and says something in NAME.SUFFIX or
# NAME.SUFFIX.err.
beside_no_load() {
    local suffix=$1 module name
    export STAPRUN W
    export -f "$2"
    cat >session <<END
name=\$(basename \$1 .ko) status=0
($2 \$1) >\$name.$suffix 2>\$name.$suffix.err || status=\$?
echo \$status >\$name.$suffix.status
END
    ls ./*.ko | xargs -P 6 -I MODULE bash session MODULE
    for module in *.ko; do
        name=${module%.ko}
        # Emulated processors have no counters of their own. The tool that asks for these says that, too.
        grep -q 'this machine has no performance event' $name.$suffix.err && continue
        # A picture of few samples may be of no worth.
        case $(cat $name.$suffix.status) in
        0) ;;
        3) grep -q 'quality' $name.$suffix $name.$suffix.err || fail "$name: status 3: $(cat $name.$suffix.err)" ;;
        *) fail "$name: status $(cat $name.$suffix.status): $(cat $name.$suffix.err)" ;;
        esac
        grep -q . $name.$suffix $name.$suffix.err || fail "$name says nothing when there is nothing"
        # Modules of the kernel that are not loaded have no symbols yet; and emulated processors are slow.
        ! grep -v '^WARNING: \(.*was not loaded\|probes take\)' $name.$suffix.err | grep -qE 'ERROR|WARNING' || fail "$name: $(cat $name.$suffix.err)"
    done
}
