# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's verifier takes each function of the runtime as BPF, but for those of _refused; and none takes it long.
#: requires: kernel 6.12
#: long: some hundred programs are verified
#: timeout: 1200
#: records: no, no session
loader=$BIN/bpf-load-functions object=$BIN/../lib/tapir_bpf.o
[ -e "$object" ] || skip 'the runtime for BPF was not built: no clang and LLVM of the version it needs'
[ -e /sys/kernel/btf/vmlinux ] || skip 'the kernel has no BTF'
"$loader" "$object" "$BIN/../lib/tapir_bpf_module.o" >functions 2>err || [ $? = 1 ] || skip "$(cat err)"
is_equal 'functions that call themselves' "$(awk -F'\t' '$2 == "refused" && $3 ~ /calls itself/ { print $1 }' functions | sort)" "$(sort "$AREA/_refused")"
# Kernels may have few frames for functions that call each other. Arrays are grown by the loader, which runs the runtime natively.
native='^(tapir_map_grow|tapir_globals_grow)$'
awk -F'\t' -v native="$native" '$2 == "refused" && $1 !~ native && $3 !~ /calls itself|too deep|combined stack size/' functions >others
[ ! -s others ] || fail "refused: $(cat others)"
deep=$(grep -c 'too deep\|combined stack size' functions || :)
loaded=$(awk -F'\t' '$2 == "loaded"' functions | wc -l)
[ "$loaded" -ge 300 ] || fail "only $loaded functions were loaded"
# The verifier gives up after 1,000,000 instructions. tapir_map_bytes() is the loader's, too.
awk -F'\t' '$2 == "loaded" && $1 != "tapir_map_bytes" && $5 > 300000' functions >longest
[ ! -s longest ] || fail "the verifier takes long: $(cat longest)"
echo "# $loaded loaded, $deep need more frames or stack than this kernel has"
