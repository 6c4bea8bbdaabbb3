# SPDX-License-Identifier: GPL-2.0-or-later
# tools/runtimes/pyimports.stp with Debian's Python: marks with semaphores, in several interpreters at once.
#: requires: file /usr/bin/python3
#: host: "$STAP" -p4 -r "$R" -m pyimports run pyimports /usr/bin/python3 >/dev/null
#: timeout: 200
#: long: Python is slow in a guest
#: records: also
. "$AREA/_lib.sh"
mkdir modules
echo 'import inner_tapir' >modules/outer_tapir.py
echo 'value = 42' >modules/inner_tapir.py
cat >program.py <<'END'
import gc
gc.disable()
import outer_tapir
try:
    import no_such_tapir
except ImportError:
    pass
for i in range(7):
    a = []
    a.append(a)
    del a
    gc.collect(0)
import os
print("done", flush=True)
os._exit(0)
END
cat >slow.py <<'END'
import sys
sys.path.insert(0, "modules")
import slow_tapir
END
echo 'import time; time.sleep(2)' >modules/slow_tapir.py
cat >work.sh <<'END'
for i in 1 2 3; do PYTHONPATH=modules /usr/bin/python3 -S -E -c 'import sys; sys.path.insert(0, "modules"); exec(open("program.py").read())' >done.$i & done
wait
END
traced "bash $W/work.sh" pyimports hist=1
is_equal 'messages' "$(cat err)" ''
is_equal 'interpreters' "$(cat done.* | wc -l)" 3
is_equal 'a module of the program' "$(row imports 2 outer_tapir)" 3
is_equal 'a module that it imports' "$(row imports 2 inner_tapir)" 3
is_equal 'a module that is not there' "$(row imports 3 no_such_tapir)" 3
is_equal 'modules that are there' "$(row imports 3 outer_tapir)" 0
[ "$(row imports 1 outer_tapir)" -ge "$(row imports 1 inner_tapir)" ] || fail 'a module took less time than one that it imports'
IFS=$'\t' read -r collections freed _ < <(rows collections)
[ "$collections" -ge 21 ] && [ "$freed" -ge 21 ] || fail "garbage collections: $collections, objects: $freed"
is_equal 'collections in the histogram' "$(rows -)" "$collections"
traced "/usr/bin/python3 -S -E slow.py" pyimports min=1500000
is_equal 'a module that takes long' "$(row imports 2 slow_tapir)" 1
all_took imports 1 1500000
traced "/usr/bin/python3 -S -E slow.py" pyimports rows=1
is_equal 'the module that takes most' "$(rows imports | cut -f 2-)" "$(printf '1\t0\tslow_tapir')"
