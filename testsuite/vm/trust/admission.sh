# SPDX-License-Identifier: GPL-2.0-or-later
# Which modules whom a set-user-ID staprun lets insert.
# Tags: KernelName.
#: long: some thirty modules are signed and run, or refused
#: timeout: 300
#: scripts: _hello.stp _functions.stp
#: host: "$STAP" -p4 -r "$R" -m loop "$AREA/_hello.stp" >/dev/null
#: requires: program openssl setpriv python3
. "$AREA/_common.sh"
cp _hello.ko _functions.ko $place
module=$place/_hello.ko

# A stranger is refused, with or without a module.
refuses stranger 'only root and members of the group stapusr can run scripts here.' $module
logged 'event=insert decision=refused uid=4005 gid=4005 class=nobody module="/run/tapir-trust/_hello.ko" tag="not-a-member"'

refuses user "Couldn't insert module '$module': members of stapusr run modules that a signer trusted on this machine has signed, or that the administrator keeps in /lib/modules/$R/tapir; this one has no signature" $module
logged 'event=insert decision=refused uid=4001 gid=4001 class=stapusr module="_hello" sha256="[0-9a-f]{64}" kernel="[^"]*" tag="not-signed"'

sign --for=stapusr $module
prints user hello $module
prints user other $module word=other
logged 'event=insert decision=allowed uid=4001 gid=4001 class=stapusr module="_hello" sha256="[0-9a-f]{64}" signer="CN=Guest signer" .* tag="signed"'
logged 'event=end decision=done uid=4001 .* reason="exit status 0"'

sign --for=stapsys $module
refuses user "Couldn't insert module '$module': it was signed for members of stapsys, and you are not one" $module
prints system hello $module
prints system hello -R $module

# Symbols of the kernel are looked up for members, who see no addresses themselves.
echo 1 >/proc/sys/kernel/kptr_restrict
sign --for=stapusr $place/_functions.ko
prints user "$(cat /etc/hostname)" -c 'cat /etc/hostname' -o $place/4001/functions $place/_functions.ko
is_equal 'output file' "$(tail -n 1 $place/4001/functions)" hits
is_equal 'who owns the output' "$(stat -c %u $place/4001/functions)" 4001

# Changed afterwards; another module's signature; another kernel's; a signer who is distrusted.
sign --for=stapusr $module
cp $module $place/changed.ko
cp $module.sig $place/changed.ko.sig
printf x | dd of=$place/changed.ko bs=1 seek=4000 conv=notrunc status=none
refuses user "Couldn't insert module '$place/changed.ko': it is not the file that was signed" $place/changed.ko
logged 'decision=refused .* signer="CN=Guest signer" .* tag="digest-mismatch"'
cp $module $place/replayed.ko
cp $place/_functions.ko.sig $place/replayed.ko.sig
refuses user "Couldn't insert module '$place/replayed.ko': it is not the file that was signed" $place/replayed.ko
chmod 777 /etc/tapir/trust
refuses user "Couldn't insert module '$module': the trust store cannot be used: '/etc/tapir/trust' can be written by others" $module
chmod 755 /etc/tapir/trust
prints user hello $module
"$BIN/stap-sign" --revoke=$module
refuses user "Couldn't insert module '$module': it has been revoked on this machine" $module
rm /etc/tapir/trust/revoked
"$BIN/stap-sign" --revoke=$place/signer.pem
refuses user "Couldn't insert module '$module': the certificate of its signer 'CN=Guest signer', or of its authority, has been revoked" $module
rm /etc/tapir/trust/*
refuses user "Couldn't insert module '$module': the trust store '/etc/tapir/trust' has no certificate" $module

# Developers run their own.
rm $module.sig
cp $module $place/4004/own.ko
chown 4004:4004 $place/4004/own.ko
prints developer hello $place/4004/own.ko
cp $module $place/4002/foreign.ko
chown 4002:4002 $place/4002/foreign.ko
refuses developer "Couldn't insert module '$place/4002/foreign.ko': it belongs to another user, or others can write it" $place/4002/foreign.ko

# A module that the administrator keeps for users needs no signature, as long as no other user can write there.
folder=/lib/modules/$R/tapir
mkdir -p "$folder"
cp $module "$folder/_hello.ko"
prints user hello _hello
chmod 777 "$folder"
refuses user "Couldn't insert module '$folder/_hello.ko': members of stapusr run modules" _hello
grep -q "is not approved: '[^']*/tapir' can be written by others" $place/err || fail 'the reason is not given'
rm -r "$folder"

# A module cannot take the name of one of the kernel's own.
list=/lib/modules/$R/modules.dep made=
grep -qs '/loop\.ko' "$list" "/lib/modules/$R/modules.builtin" || [ -e "$list" ] || { made=$list && echo kernel/drivers/block/loop.ko: >"$made"; }
cp loop.ko $place/4004/loop.ko
chown 4004:4004 $place/4004/loop.ko
refuses developer "Couldn't insert module '$place/4004/loop.ko': a module of the kernel has the name 'loop'" $place/4004/loop.ko
logged 'event=insert decision=refused uid=4004 .* module="loop" .*tag="kernel-name"'
prints developer hello -R $place/4004/loop.ko
[ -z "$made" ] || rm "$made"

# Files that are none.
ln -s $module $place/4001/link.ko
refuses user "Couldn't read module '$place/4001/link.ko': it is a symbolic link, which is not followed here" $place/4001/link.ko
mkfifo $place/4001/pipe.ko
refuses user "Couldn't read module '$place/4001/pipe.ko': it is not a regular file" $place/4001/pipe.ko
refuses user "Couldn't read module '/dev/zero': it is not a regular file" /dev/zero
truncate -s 300M $place/4001/huge.ko
refuses user "Couldn't read module '$place/4001/huge.ko': File too large" $place/4001/huge.ko
cp $module $place/secret.ko
chmod 600 $place/secret.ko
refuses user "Couldn't read module '$place/secret.ko': Permission denied" $place/secret.ko
for name in 4001/link 4001/pipe 4001/huge secret; do
    logged "event=insert decision=refused uid=4001 .* module=\"$place/$name.ko\" .*tag=\"not-readable\" reason="
done
logged 'event=insert decision=refused uid=4001 .* module="/dev/zero" .*tag="not-readable" reason="it is not a regular file"'
is_gone _hello || fail 'the module is there'
