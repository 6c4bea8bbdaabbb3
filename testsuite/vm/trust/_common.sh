# SPDX-License-Identifier: GPL-2.0-or-later
# The setting that the cases of this folder share: groups, users who are in them, a set-user-ID staprun, a signer and a trust store.
. "$AREA/../staprun/_common.sh"

place=/run/tapir-trust
mkdir -p $place
mount -t tmpfs -o mode=755 none $place
cp "$STAPRUN" $place/staprun
chown 0:0 $place/staprun
chmod 4755 $place/staprun
add_group() { grep -q "^$1:" /etc/group || echo "$1:x:$2:" >>/etc/group; }
add_group stapusr 15601
add_group stapsys 15602
add_group stapdev 15603
group() { grep "^$1:" /etc/group | cut -d: -f3; }

# become NAME COMMAND...: as one of these users, who have a folder each.
become() {
    local name=$1 uid groups
    shift
    case $name in
    user) uid=4001 groups=$(group stapusr) ;;
    other) uid=4002 groups=$(group stapusr) ;;
    system) uid=4003 groups=$(group stapusr),$(group stapsys) ;;
    developer) uid=4004 groups=$(group stapusr),$(group stapdev) ;;
    stranger) uid=4005 groups=4005 ;;
    esac
    setpriv --reuid=$uid --regid=$uid --groups="$groups" --inh-caps=-all -- "$@"
}
for uid in 4001 4002 4003 4004 4005; do
    mkdir -p $place/$uid
    chown $uid:$uid $place/$uid
done

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $place/key.pem -out $place/signer.pem -days 30 \
    -subj '/CN=Guest signer' -addext extendedKeyUsage=codeSigning -addext keyUsage=digitalSignature \
    -addext basicConstraints=critical,CA:FALSE 2>/dev/null
rm -rf /etc/tapir/trust
"$BIN/stap-sign" --trust=$place/signer.pem
sign() { "$BIN/stap-sign" --key=$place/key.pem --certificate=$place/signer.pem "$@"; }

# The system's log, as far as a datagram socket is one.
rm -f /dev/log
python3 - $place/log <<'END' &
import os, socket, sys
log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
log.bind('/dev/log')
os.chmod('/dev/log', 0o666)
with open(sys.argv[1], 'ab', buffering=0) as out:
    while True:
        out.write(log.recv(65536).rstrip(b'\0\n') + b'\n')
END
eventually 60 test -S /dev/log

# logged PATTERN: the log has such a line by now.
logged() {
    eventually 10 grep -Eq "$1" $place/log || fail "not in the log: $1"
}

# refuses USER TEXT ARGUMENT...: staprun ends with status 1, its first line on stderr begins with that.
refuses() {
    local name=$1 text=$2
    shift 2
    run become "$name" $place/staprun "$@" >$place/out 2>$place/err </dev/null
    is_equal "exit status of $name's $*" $status 1
    case $(head -n 1 $place/err) in
    "ERROR: $text"*) ;;
    *) fail "$name's $*: '$(head -n 1 $place/err)', expected '$text'" ;;
    esac
    is_equal "output of $name's $*" "$(cat $place/out)" ""
}

# prints USER TEXT ARGUMENT...: staprun succeeds, its output is that.
prints() {
    local name=$1 text=$2
    shift 2
    run become "$name" $place/staprun "$@" >$place/out 2>$place/err </dev/null
    is_equal "exit status of $name's $*, which says '$(cat $place/err)'" $status 0
    is_equal "output of $name's $*" "$(cat $place/out)" "$text"
}
