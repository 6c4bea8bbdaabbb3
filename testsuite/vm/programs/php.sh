# SPDX-License-Identifier: GPL-2.0-or-later
# tools/runtimes/phpreq.stp with Debian's PHP-FPM, against its own log of requests; phpcalls.stp and
# phpexc.stp with its interpreter.
#: requires: program python3
#: long: a whole program of others is installed and run
#: host: "$AREA/_unpack.sh" php8.2-fpm php8.2-cli
#: host: [ -e missing ] || "$STAP" -p4 -r "$R" -m phpreq run phpreq "$W/root/usr/sbin/php-fpm8.2" >/dev/null
#: host: for t in phpcalls phpexc; do [ -e missing ] || "$STAP" -p4 -r "$R" -m $t run $t "$W/root/usr/bin/php8.2" >/dev/null || exit 1; done
#: timeout: 300
#: records: also
. "$AREA/_lib.sh"
echo '<?php for ($i = 0; $i < 1000; $i++) { } echo "fast";' >fast.php
echo '<?php usleep(400000); echo "slow";' >slow.php
cat >fpm.conf <<END
[global]
error_log = $W/fpm.log
pid = $W/fpm.pid
daemonize = no
[birds]
user = root
group = root
listen = 127.0.0.1:9009
pm = static
pm.max_children = 2
access.log = $W/access.log
access.format = "%m %s %f %{milliseconds}d"
END
cat >work.sh <<END
php-fpm8.2 -n -R -y $W/fpm.conf &
until grep -q 'ready to handle' $W/fpm.log 2>/dev/null; do
    kill -0 \$! || exit 1
    sleep 0.2
done
for client in 1 2; do
    python3 $AREA/_fastcgi.py 9009 $W/fast.php $W/slow.php $W/fast.php $W/fast.php &
    clients="\${clients:-} \$!"
done
wait \$clients
kill -QUIT \$(cat $W/fpm.pid)
wait
END
traced "bash $W/work.sh" phpreq each=1 hist=1
is_equal 'requests that PHP saw' "$(wc -l <access.log)" 8
is_equal 'requests, by method, path and script' "$(rows one | cut -f 5- | tr '\t' ' ' | sort)" \
    "$(awk '{ path = $3; sub(/.*\//, "/", path); print $1, path, $3 }' access.log | sort)"
is_equal 'requests of a script' "$(row scripts 1 "$W/fast.php")" 6
is_equal 'requests in histograms' "$(rows - | awk '{ sum += $NF } END { print sum }')" 8
# Both have the time of the same requests, which PHP rounds to milliseconds.
paste -d ' ' <(rows one | awk -F '\t' '$7 ~ /slow/ { print $3, $4 }') <(awk '$3 ~ /slow/ { print $4 }' access.log) |
    awk '{ print; if ($1 < 400000 || $2 > $1) exit 1 }' || fail 'slow requests'
rm access.log fpm.log
traced "bash $W/work.sh" phpreq min=400000
is_equal 'slow requests' "$(row scripts 1 "$W/slow.php")" 2
all_took scripts 3 400000
traced "bash -c 'env USE_ZEND_DTRACE=1 php8.2 -n $AREA/_php.php calls >said'" phpcalls file=_php.php
is_equal 'calls of PHP' "$(rows functions | cut -f 1,5 | tr '\t' ' ' | grep "$(cut -d ' ' -f 2 said)" | sort)" "$(sort said)"
traced "bash -c 'php8.2 -n $AREA/_php.php throws >said'" phpexc
is_equal 'exceptions of PHP' "$(rows exceptions | cut -f 1,4,5 | tr '\t' ' ' | sort)" "$(sort said)"
for tool in phpreq phpcalls phpexc; do
    traced 'sleep 0.2' $tool
    grep -q 'no request\|no function\|no exception' out || fail "$tool says nothing when there is nothing"
done
