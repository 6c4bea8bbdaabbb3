# SPDX-License-Identifier: GPL-2.0-or-later
# --format=json with -S, whose files end with whole records, and as a daemon with -D -o, which stap -F -o is.
#: scripts: _million.stp _quiet.stp
#: timeout: 120
#: records: no, it asks for records itself
. "$AREA/_common.sh"

# is_whole FILE...: one series of records, in the order of time, from meta to end.
is_whole() {
    cat "$@" | awk '
        !/^\{"v":1,"type":"[a-z]+","t":[0-9]+[,}].*\}$/ { print "no record: " $0; exit 1 }
        { match($0, /"t":[0-9]+/); t = substr($0, RSTART + 4, RLENGTH - 4) + 0; match($0, /"type":"[a-z]+"/); type = substr($0, RSTART + 8, RLENGTH - 9) }
        NR == 1 && type != "meta" { print "the first is " type; exit 1 }
        t < last { print "older: " $0; exit 1 }
        { last = t }
        END { if (type != "end") print "the last is " type }' >wrong
    [ ! -s wrong ] || fail "$*: $(cat wrong)"
}

"$STAPRUN" --format=json -o series -S 1 --limit MAXACTION_INTERRUPTIBLE=1000000 _million.ko n=20000
files=$(ls series.* | sort -t. -k2n)
[ "$(wc -w <<<"$files")" -gt 1 ] || fail "there is one file: $(ls -l series*)"
for file in $files; do
    [ "$(stat -c %s "$file")" -le 1048576 ] || fail "$file is too large"
    [ "$(tail -c 2 "$file")" = '}' ] || fail "$file ends within a record"
done
# shellcheck disable=SC2086 # a list of words
is_whole $files
# shellcheck disable=SC2086
is_equal 'printed lines' "$(cat $files | grep -c '"type":"print"')" 20001

"$STAPRUN" -D --format=json -o day _quiet.ko word=daemon >pid 2>err
eventually 30 grep -q '"text":"begin daemon 0\\n"' day
kill -TERM "$(cat pid)"
eventually 60 is_gone _quiet
is_whole day
rm series.*
