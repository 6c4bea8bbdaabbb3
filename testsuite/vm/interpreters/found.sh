# SPDX-License-Identifier: GPL-2.0-or-later
# An interpreter is found in any place and under any name. A session reports once that it does not know one.
#: requires: file /usr/bin/python3.11
#: host: sed 's/STACK/py_stack/' "$AREA/_compare.stp" >compare.stp
#: host: "$STAP" -p4 -r "$R" -m compare -D MAXSTRINGLEN=6000 compare.stp >/dev/null
#: host: cc -rdynamic -o python3.15 "$AREA/_claims.c"
#: host: cc -D_PyRuntime=nothing -o pypy3 "$AREA/_claims.c"
#: host: cc -D_PyRuntime=nothing -o snake "$AREA/_claims.c"
#: host: cc -D_PyRuntime=nothing -o pythonic "$AREA/_claims.c"
#: host: cc -rdynamic -DPy_Version=Py_Venture -o python_shop "$AREA/_claims.c"
#: host: sed 's/STACK/lua_stack/' "$AREA/_compare.stp" >lua.stp
#: host: "$STAP" -p4 -r "$R" -m lua lua.stp >/dev/null
#: host: cc -rdynamic -D_PyRuntime=lua_newstate -DPy_Version=lua_ident -o lua5.3 "$AREA/_claims.c"
#: timeout: 300
#: long: compares 240 stacks of three interpreters
. "$AREA/_compare.sh"

# Copied, and under a name that tells nothing.
mkdir -p opt/app
cp /usr/bin/python3.11 opt/app/worker
compare env PYTHONHOME=/usr "$PWD/opt/app/worker" "$AREA/_python.py"
# An environment that has its own copy.
/usr/bin/python3.11 -m venv --copies --without-pip environment
compare "$PWD/environment/bin/python" "$AREA/_python.py"
# In a container: another root, whose files are those of an overlay.
mkdir -p lower upper work container
mount -t tmpfs none upper
mkdir upper/data upper/work
mount -t overlay none -o "lowerdir=/,upperdir=$PWD/upper/data,workdir=$PWD/upper/work" container || skip 'no overlay'
cp "$AREA/_python.py" container/script.py
# Nothing tells before which file that is: it is known soon after it was first run.
cat >contained <<END
chroot $PWD/container /usr/bin/python3.11 -c pass
sleep 3
exec chroot $PWD/container /usr/bin/python3.11 /script.py \$1
END
compare sh "$PWD/contained"
umount container

# met PROGRAM TEXT [MODULE]: what a session says of a program that it met.
met() {
    local language=Python
    [ "${3-}" != lua ] || language=Lua
    "$STAPRUN" "${3:-compare}.ko" -c "sh -c 'exec $1 >/dev/null'" >out 2>err || { cat err; fail "status $?"; }
    is_equal "of $1" "$(cat err)" "${2:+WARNING: frames of $language are missing: $PWD/${1##*/} $2}"
    is_equal 'stacks' "$(tail -n 1 out)" 'same 0, differ 20'
}
known='Known are CPython 3.9 to 3.13 with its lock (GIL)'
met ./python3.15 "is Python 3.15. $known"
met ./pypy3 "has no _PyRuntime. $known"
# One symbol makes no Python, of no version.
met ./python_shop "has no _PyEval_EvalFrameDefault. $known"
met ./lua5.3 'has no luaJIT_setmode. Known are LuaJIT 2.1 with GC64' lua
# Neither the name of an interpreter nor what one has.
met ./snake ''
met ./pythonic ''
met ./pythonic '' lua
