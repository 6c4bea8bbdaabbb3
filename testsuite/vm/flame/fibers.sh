# SPDX-License-Identifier: GPL-2.0-or-later
# Programs whose time is in fibers, of PHP and of Boost.Context: at least 98 % of the samples have complete stacks, some hundreds of them within a fiber.
#: host: ! [ -e /usr/include/boost/context/fiber.hpp ] || g++ -O2 -g -o fibers "$AREA/_fibers.cc" -lboost_context
#: host: "$STAP" -p4 -r "$R" -m oncpu -c /bin/true run oncpu >/dev/null
#: timeout: 200
#: long: seconds of samples of an emulated processor
#: records: no, it makes pictures
pictures=0
# picture NAME PATTERN COMMAND: PATTERN matches a stack within a fiber, from its beginning.
picture() {
    local name=$1 status=0 complete all within
    "$STAPRUN" oncpu.ko -o $name.folded -c "$3" >$name.out 2>$name.err || status=$?
    [ $status = 0 ] || { cat $name.out $name.err; fail "$name: status $status"; }
    grep '^# quality' $name.folded
    complete=$(sed -n 's/^# quality: [> ]*\([0-9]*\)[0-9.]* % complete.*/\1/p' $name.folded)
    [ "${complete:-0}" -ge 98 ] || { cat $name.err; fail "$name: only ${complete:-0} % of the samples are complete"; }
    read -r all within <<<"$(awk -v pattern="$2" '!/^#/ { all += $NF; if ($0 ~ pattern) within += $NF } END { print all + 0, within + 0 }' $name.folded)"
    [ "$within" -ge 200 ] || { grep -v '^#' $name.folded | head -n 5; fail "$name: $within of $all samples in a fiber"; }
    pictures=$((pictures + 1))
}
[ ! -x /usr/bin/php8.2 ] || picture php '^make_fcontext;' "/usr/bin/php8.2 -n $AREA/_fibers.php 3"
[ ! -e fibers ] || picture boost '^make_fcontext;.*;spin' './fibers 3'
[ $pictures -gt 0 ] || skip 'there are neither PHP 8.2 nor Boost.Context'
