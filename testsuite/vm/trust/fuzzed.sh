# SPDX-License-Identifier: GPL-2.0-or-later
# Random words, variables, descriptors, limits and signals of a caller against a set-user-ID staprun; ROUNDS of them (30), the
# same every time; SEED=N makes others.
#: long: random inputs, many of them
#: timeout: 900
#: scripts: _hello.stp
#: host: "$STAP" -p4 -r "$R" -m plain -e 'probe begin { println("the unsigned module runs") exit() }' >/dev/null
#: requires: program openssl setpriv python3
. "$AREA/_common.sh"
cp _hello.ko plain.ko $place
sign --for=stapusr $place/_hello.ko
python3 "$AREA/_fuzz.py" $place/staprun $place/_hello.ko $place/plain.ko "$(group stapusr)" $place/log "${ROUNDS:-30}" "${SEED:-1}"
is_gone _hello || fail 'the module is there'
