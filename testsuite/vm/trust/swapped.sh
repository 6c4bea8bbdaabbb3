# SPDX-License-Identifier: GPL-2.0-or-later
# The file of a module changes all the time, under its name and in place, while its owner has it inserted: the one without a signature never runs. And what
# root inserts is what the log says of it. ROUNDS sessions (8) each.
#: long: random inputs, many of them
#: timeout: 600
#: host: "$STAP" -p4 -r "$R" -m swapped -e 'probe begin { println("signed") exit() }' >/dev/null && mv swapped.ko signed.ko
#: host: "$STAP" -p4 -r "$R" -m swapped -e 'probe begin { println("without a signature") exit() }' >/dev/null && mv swapped.ko plain.ko
#: requires: program openssl setpriv python3
. "$AREA/_common.sh"
home=$place/4001
cp signed.ko $home/swapped.ko
sign --for=stapusr $home/swapped.ko
cp $home/swapped.ko.sig $place/sig
chown 4001:4001 $home/*

# swap WAY...: as the user, until killed.
swap() {
    exec python3 - "$home" signed.ko plain.ko "$@" <<'PYTHON'
import os, random, sys, time
home, ways = sys.argv[1], sys.argv[4:]
os.setgroups([])
os.setresgid(4001, 4001, 4001)
os.setresuid(4001, 4001, 4001)
images = [open(name, 'rb').read() for name in sys.argv[2:4]]
target, other = home + '/swapped.ko', home + '/other.ko'
while True:
    image = random.choice(images)
    if random.choice(ways) == 'rename':
        with open(other, 'wb') as out:
            out.write(image)
        os.rename(other, target)
    else:
        with open(target, 'r+b') as out:
            out.write(image)
            out.truncate()
    open(home + '/swapping', 'w').close()
    time.sleep(random.random() / 50)
PYTHON
}

rounds=${ROUNDS:-8}
swap rename write &
swapper=$!
eventually 60 test -e $home/swapping
admitted=0 refused=0
for ((round = 0; round < rounds || !admitted || !refused; round++)); do
    run become user $place/staprun $home/swapped.ko >$place/out 2>$place/err </dev/null
    case $status:$(cat $place/out) in
    0:signed) admitted=$((admitted + 1)) ;;
    1:) refused=$((refused + 1)) ;;
    *) fail "status $status, '$(cat $place/out)', '$(cat $place/err)'" ;;
    esac
done
kill -KILL $swapper
wait_for $swapper
echo "admitted $admitted, refused $refused"
good=$(sha256sum signed.ko | cut -d ' ' -f 1) plain=$(sha256sum plain.ko | cut -d ' ' -f 1)
! grep "decision=allowed.*$plain" $place/log || fail 'it was allowed'

# Root may run both. A module that is only renamed is always whole.
rm $home/swapping
: >$place/results
swap rename &
swapper=$!
eventually 60 test -e $home/swapping
ran() { grep -c "^0:$1\$" $place/results; }
for ((round = 0; round < rounds || $(ran signed) == 0 || $(ran 'without a signature') == 0; round++)); do
    run "$STAPRUN" $home/swapped.ko >$place/out 2>$place/err </dev/null
    echo "$status:$(cat $place/out)" >>$place/results
done
kill -KILL $swapper
wait_for $swapper
for what in "signed $good" "without a signature $plain"; do
    is_equal "how often the log has '${what% *}'" "$(grep -c "event=insert decision=allowed uid=0 .*sha256=\"${what##* }\"" $place/log)" "$(ran "${what% *}")"
done
