# SPDX-License-Identifier: GPL-2.0-or-later
# Modules that are not loaded, with the reason.
#: long: many modules that are not loaded
#: timeout: 180
#: scripts: _quiet.stp
#: host: "$BIN/stap" -r "$R" -p4 -m dummy "$AREA/_quiet.stp"
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

# A module's name may be one of the kernel's own.
if modprobe dummy 2>/dev/null; then
    refused "Couldn't insert module 'dummy.ko': the kernel has a module 'dummy' of its own loaded; translate the script again with another name (-m), or load it under a unique one (-R)" dummy.ko
    "$STAPRUN" -R -c true dummy.ko >out
    modprobe -r dummy
fi

# Where symbols have versions the kernel does not mind another release, as long as the rest and the versions fit; elsewhere release and
# build are compared beforehand, as a whole.
magic=$(modinfo -F vermagic ./_quiet.ko)
wrong=9$(echo "$R" | cut -c2-)
case $magic in
*' modversions '*)
    sed "s/vermagic=$R SMP/vermagic=$wrong XMP/" _quiet.ko >version.ko
    refused "Couldn't insert module 'version.ko': it was built for kernel $wrong ($wrong XMP${magic#"$R SMP"}), this kernel is $R; translate the script again with -r $R" version.ko
    grep -q '^kernel log: .*version magic' err || fail 'the kernel is not quoted'
    ;;
esac
sed "s/vermagic=$R SMP/vermagic=$R XMP/" _quiet.ko >version.ko
refused "Couldn't insert module 'version.ko': it was built for a kernel of another configuration ('$R XMP${magic#"$R SMP"}', this kernel wants '$magic'); install the headers of the running kernel and translate the script again" version.ko
sed "s/vermagic=$R/vermagic=$wrong/; s/ modversions / modversionz /" _quiet.ko >version.ko
refused "Couldn't insert module 'version.ko': it was built for kernel $wrong, this machine runs $R, and its symbols have no versions; translate the script again with -r $R" version.ko
build=$(modinfo -F tapir_kernel ./_quiet.ko)
is_equal 'the build the module was made for' "$build" "$(uname -v)"
other=${build/SMP/XMP}
sed "s/tapir_kernel=\(#[0-9]*\) SMP/tapir_kernel=\1 XMP/; s/ modversions / modversionz /" _quiet.ko >build.ko
refused "Couldn't insert module 'build.ko': it was built for another build of kernel $R: for '$other', this machine runs '$build'; without symbol versions a module fits the build it was made for only: install the headers of the running one and translate the script again" build.ko

# Symbol versions of another build of the kernel under the same name: the one of a symbol is changed.
if [[ $magic = *' modversions '* ]]; then
    python3 - <<'END'
data = bytearray(open('_quiet.ko', 'rb').read())
# An entry of __versions: 8 bytes with the version, 56 with the name.
starts = [i for i in range(len(data) - 64) if data[i + 8:i + 19] == b'relay_open\0' and data[i + 4:i + 8] == b'\0' * 4]
assert len(starts) == 1, starts
data[starts[0]] ^= 1
open('crc.ko', 'wb').write(data)
END
    refused "Couldn't insert module 'crc.ko': the kernel has other versions of symbols than the headers it was built with (relay_open): it is another build of $R; install the headers of the running one and translate the script again" crc.ko
    grep -q '^kernel log: .*disagrees about version of symbol relay_open' err || fail 'the kernel is not quoted'
    # One that no kernel has.
    sed 's/relay_open/relay_opem/g' _quiet.ko >unknown.ko
    refused "Couldn't insert module 'unknown.ko': it needs symbols that this kernel does not have (relay_opem); translate the script again with the headers of the running kernel" unknown.ko
fi

refused "Couldn't set 'none' to '1': the script has no such scalar global variable" _quiet.ko none=1
cp "$STAPRUN" _quiet.ko /dev/shm
chmod 755 /dev/shm/staprun
run setpriv --reuid 65534 --regid 65534 --clear-groups /dev/shm/staprun /dev/shm/_quiet.ko 2>err
is_equal 'exit status without rights' $status 1
is_equal 'message' "$(cat err)" "ERROR: Couldn't insert module '/dev/shm/_quiet.ko': permission denied: only root may load modules; run staprun as root"
rm /dev/shm/staprun /dev/shm/_quiet.ko
run setpriv --bounding-set -sys_module --inh-caps -sys_module "$STAPRUN" _quiet.ko 2>err
is_equal 'exit status without the capability' $status 1
is_equal 'message' "$(cat err)" "ERROR: Couldn't insert module '_quiet.ko': permission denied: this process may not load modules (in a container, or without the capability CAP_SYS_MODULE); run staprun on the host, or in a container that was given the capability"
