# SPDX-License-Identifier: GPL-2.0-or-later
# Modules that are not loaded, with the reason.
#: timeout: 180
#: scripts: _quiet.stp
. "$AREA/_common.sh"
refused() { # the reason, the arguments
    local reason=$1
    shift
    run "$STAPRUN" "$@" >out 2>err
    is_equal "exit status of $*" $status 1
    is_equal 'message' "$(head -n 1 err)" "ERROR: $reason"
    is_gone _quiet || fail 'the module is there'
}
other=/lib/modules/$R/kernel/drivers/net/dummy.ko
[ ! -e "$other" ] || refused "Couldn't insert module '$other': not a module made by Tapir (no tapir_abi in .modinfo)" "$other"
refused "Couldn't read module 'missing.ko': No such file or directory" missing.ko
refused "Couldn't insert module '/bin/true': not a kernel module: ELF type is not relocatable" /bin/true
head -c 1000 _quiet.ko >cut.ko
refused "Couldn't insert module 'cut.ko': damaged: section headers lie outside the file" cut.ko
sed 's/tapir_abi=/tapir_abj=/' _quiet.ko >foreign.ko
refused "Couldn't insert module 'foreign.ko': not a module made by Tapir (no tapir_abi in .modinfo)" foreign.ko

# A kernel with symbol versions does not mind another release as long as the rest and the versions fit.
magic=$(modinfo -F vermagic ./_quiet.ko)
wrong=9$(echo "$R" | cut -c2-)
sed "s/vermagic=$R SMP/vermagic=$wrong XMP/" _quiet.ko >version.ko
refused "Couldn't insert module 'version.ko': it was built for kernel $wrong ($wrong XMP${magic#"$R SMP"}), this kernel is $R; translate the script again with -r $R" version.ko
grep -q '^kernel log: .*version magic' err || fail 'the kernel is not quoted'
sed "s/vermagic=$R SMP/vermagic=$R XMP/" _quiet.ko >version.ko
refused "Couldn't insert module 'version.ko': the kernel says it does not fit (module built for '$R XMP${magic#"$R SMP"}', kernel $R); translate the script again" version.ko

refused "Couldn't set 'none' to '1': the script has no such scalar global variable" _quiet.ko none=1
cp "$STAPRUN" _quiet.ko /dev/shm
chmod 755 /dev/shm/staprun
run setpriv --reuid 65534 --regid 65534 --clear-groups /dev/shm/staprun /dev/shm/_quiet.ko 2>err
is_equal 'exit status without rights' $status 1
is_equal 'message' "$(cat err)" "ERROR: Couldn't insert module '/dev/shm/_quiet.ko': permission denied: only root may load modules"
rm /dev/shm/staprun /dev/shm/_quiet.ko
