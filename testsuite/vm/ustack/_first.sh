# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that run for the first time, started by names that stap cannot foresee.
rm -rf /var/cache/tapir/unwind
cat >run.sh <<'END'
#!/bin/bash
# No word of this is a program's name. run.sh FIRST LAST [ARGUMENT...]
which=fir
for ((i = $1; i <= $2; i++)); do "./${which}st$i" "${@:3}"; done
END
chmod +x run.sh
number() { sed -n "s/.*\"user_stacks\": {.*\"$1\": \([0-9]*\).*/\1/p" ledger.json; }
