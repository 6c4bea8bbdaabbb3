# SPDX-License-Identifier: GPL-2.0-or-later
# Functions in C that Python calls are boxes, with the share of the time that the program itself has counted.
#: requires: file /usr/bin/python3.11
#: host: "$STAP" -p4 -r "$R" -m builtins -D MAXSTRINGLEN=4096 -c "/usr/bin/python3.11 $AREA/_builtins.py" run interpreted >/dev/null
#: timeout: 200
#: long: three seconds of an emulated processor
#: records: also
"$STAPRUN" builtins.ko --record builtins.tapir -c "/usr/bin/python3.11 $AREA/_builtins.py" >said 2>err || { cat err; fail "status $?"; }
"$BIN/stap-report" --accept-partial builtins.tapir -o builtins.folded 2>/dev/null
cat said
all=$(awk '{ sum += $2 } END { print sum }' said)
# is_box FUNCTION BOX: nearly all of the function's time is below this box, and no other function's is.
is_box() {
    awk -v function_="$1" -v box="$2" -v counted="$(awk -v f="$1" '$1 == f { print $2 }' said)" -v all="$all" '
        /^#/ { next }
        {
            stack = ";" $0
            sub(/ [0-9]+$/, ";", stack)
            if (stack !~ /;by_[a-z]* \(_builtins\.py\);/) next
            sum += $NF
            inside = index(stack, ";" function_ " (_builtins.py);")
            has = box != "" && index(stack, ";" box ";")
            if (inside) own += $NF
            if (inside && has) boxed += $NF
            if (!inside && has) astray += $NF
        }
        END {
            printf "%s: %.1f %% of the samples, %.1f %% of the time; %d of %d below %s, %d elsewhere\n", function_, 100 * own / sum, 100 * counted / all, boxed, own, box, astray
            bad = own / sum - counted / all
            exit !(bad < 0.08 && bad > -0.08 && astray + 0 == 0 && (box == "" || boxed >= 0.9 * own))
        }' builtins.folded || fail "$1 is not below $2"
}
is_box by_regex Pattern.sub
is_box by_json Scanner.__call__
is_box by_sorting sorted
is_box by_itself ''
