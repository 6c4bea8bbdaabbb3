# SPDX-License-Identifier: GPL-2.0-or-later
# examples/python-imports.stp with Debian's Python: marks with semaphores, in several interpreters at once.
#: requires: file /usr/bin/python3
#: host: "$STAP" -p4 -r "$R" -m python_imports "$AREA/../../../examples/python-imports.stp" /usr/bin/python3 >/dev/null
#: timeout: 200
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
cat >work.sh <<'END'
for i in 1 2 3; do PYTHONPATH=modules /usr/bin/python3 -S -E -c 'import sys; sys.path.insert(0, "modules"); exec(open("program.py").read())' >done.$i & done
wait
END
"$STAPRUN" python_imports.ko --ledger ledger.json -c "bash $W/work.sh" >out 2>err || { cat out err; fail 'the run'; }
cat out err
is_equal 'messages' "$(cat err)" ''
is_equal 'interpreters' "$(cat done.* | wc -l)" 3
is_equal 'a module of the program' "$(row out 2 outer_tapir)" 3
is_equal 'a module that it imports' "$(row out 2 inner_tapir)" 3
is_equal 'a module that is not there' "$(row out 2 'no_such_tapir (not found)')" 3
[ "$(row out 1 outer_tapir)" -ge "$(row out 1 inner_tapir)" ] || fail 'a module took less time than one that it imports'
read -r collections freed < <(sed -n 's/^\([0-9]*\) garbage collections freed \([0-9]*\) objects$/\1 \2/p' out)
[ "$collections" -ge 21 ] && [ "$freed" -ge 21 ] || fail "garbage collections: $collections, objects: $freed"
