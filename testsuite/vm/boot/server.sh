# SPDX-License-Identifier: GPL-2.0-or-later
# stap-server.service with a real systemd, all of its restrictions included: a compilation has its sandbox and its control group, what comes back runs on
# this kernel, the server's files are out of reach, the log is where it is said to be, and stopping leaves nothing.
#: long: a service manager boots
#: requires: program systemctl unshare nsenter journalctl bwrap curl openssl useradd
#: requires: config CONFIG_MEMCG=y CONFIG_USER_NS=y
#: timeout: 480
#: host: for part in translator tapsets server; do cmake --install "$BIN/.." --prefix usr --component $part >install.log 2>&1 || { cat install.log; exit 1; }; done
# Preparing a kernel takes minutes in an emulated guest. The host's preparation holds as long as all is in the same place.
#: host: case "$TREE" in /usr/*) ;; *) exit 0 ;; esac; mkdir -p state; bwrap --dev-bind / / --tmpfs /srv --bind usr /srv/usr --tmpfs /var/lib --bind state /var/lib/tapir-server /srv/usr/bin/stap-server --stap=/srv/usr/bin/stap --add-kernel="$TREE"
[ -d state ] || skip "the headers of this kernel are not below /usr, where the service could see them"
. "$AREA/_systemd.sh"
cp -a usr /srv/
cp -a /srv/usr/bin/stap-server /usr/bin/
useradd --system --user-group --home-dir /var/lib/tapir-server --no-create-home --shell /usr/sbin/nologin tapir-server
mkdir -p /var/lib/tapir-server /etc/tapir
cp -a state/. /var/lib/tapir-server/
chown -R tapir-server:tapir-server /var/lib/tapir-server
chmod 700 /var/lib/tapir-server
cp "$AREA/../../../systemd/stap-server.service" /etc/systemd/system/
# Keys are root's alone; what is read again upon a signal is for the server's user as well.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout /etc/tapir/server.key -out /etc/tapir/server.pem -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost 2>/dev/null
chmod 600 /etc/tapir/server.key
stap-server --new-token=ci >token
sed -n 2p token >/etc/tapir/tokens
token=$(sed -n 1p token)
echo '{"roles": {"all": {"compile": true, "guru": true}}, "clients": [{"token": "ci", "roles": ["all"]}]}' >/etc/tapir/policy.json
chmod 644 /etc/tapir/tokens /etc/tapir/policy.json
cat >/etc/tapir/server.conf <<'END'
certificate=/etc/tapir/server.pem
key=/etc/tapir/server.key
tokens=/etc/tapir/tokens
policy=/etc/tapir/policy.json
stap=/srv/usr/bin/stap
audit-log=/var/log/tapir/audit.log
time-limit=200
END
ip link set lo up
leave() {
    end_systemd
    rm -rf /etc/systemd/system/stap-server.service /etc/tapir /srv/usr /usr/bin/stap-server /var/lib/tapir-server /var/log/tapir
    userdel tapir-server
}
trap leave EXIT
start_systemd stap-server.service
tells stap-server '^listening on port 8443$'
told stap-server '^memory of compilations is limited by control groups in /sys/fs/cgroup/' || fail 'there is no limit for the memory of compilations'
is_equal 'its user' "$(ps -o user= -p "$(pgrep -o -x stap-server)")" tapir-server

# ask SCRIPT [ACCEPT]: the status, with the answer, the bytes of a module unless ACCEPT is another type, in the file `answer`.
ask() {
    printf '{"script": "%s", "options": ["-g", "-m", "asked"], "kernel": {"release": "%s"}}' "$1" "$R" >request
    curl -s --cacert /etc/tapir/server.pem -H "Authorization: Bearer $token" -H "Accept: ${2-application/octet-stream}" -o answer -w '%{http_code}' \
        --max-time 240 --data-binary @request https://localhost:8443/v1/modules
}
is_equal 'a module' "$(ask 'probe begin { println(6 * 7) exit() }')" 200
mv answer asked.ko
is_equal 'what it prints' "$("$STAPRUN" asked.ko)" 42
# Once more: found.
is_equal 'found' "$(ask 'probe begin { println(6 * 7) exit() }')" 200
cmp answer asked.ko || fail 'another module was found'
# The server's own files are not in the sandbox; its key is not even readable for its user.
is_equal 'a file of the server' "$(ask '%{\n#include \"/etc/tapir/server.key\"\n%}\nprobe begin {}' application/json)" 422
grep -q 'server.key' answer || fail "$(cat answer)"
! grep -q "$(sed -n 2p /etc/tapir/server.key | cut -c 1-20)" answer || fail 'the key can be read'
is_equal 'lines of the log' "$(grep -c 'token:ci' /var/log/tapir/audit.log)" 3
is_equal 'who may read the log' "$(stat -c '%a' /var/log/tapir/audit.log)" 600
# The server uses the policy that it has read again.
echo '{"roles": {}, "clients": []}' >/etc/tapir/policy.json
manage reload stap-server
eventually 30 eval '[ "$(ask "probe begin {}")" = 403 ]'
manage stop stap-server || fail 'it cannot be stopped'
is_equal 'result' "$(state stap-server Result)" success
is_equal 'left groups' "$(find /sys/fs/cgroup -name 'tapir-server*')" ''
! pgrep -u tapir-server || fail 'processes are left'
