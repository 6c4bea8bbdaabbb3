# SPDX-License-Identifier: GPL-2.0-or-later
# Debug files and programs by build-id. Sourced by run.sh.
# Tags: TooMany.

# A program, stripped, and its debug file; a package with both, and one more program that is not stripped.
make_debug_files() {
    [ ! -e debug-package.deb ] || return 0
    mkdir -p tree/usr/bin tree/usr/lib/debug tree/DEBIAN
    echo 'static int inner(int n) { return n * 2; } int main(int n, char **v) { return inner(n) + (v == 0); }' >program.c
    gcc -g -O0 -o whole program.c
    gcc -g -O1 -o tree/usr/bin/other program.c
    objcopy --only-keep-debug whole tree/usr/lib/debug/program.debug
    strip -o tree/usr/bin/program whole
    echo 'no ELF file' >tree/usr/bin/script
    printf 'Package: debug-package\nVersion: 1\nArchitecture: all\nMaintainer: T <t@example.org>\nDescription: test\n' >tree/DEBIAN/control
    dpkg-deb -Zgzip --root-owner-group -b tree debug-package.deb >/dev/null
    run_to_file debug.log "$server" --state="$work/state" --stap="$served" --add-debug=debug-package.deb || { cat debug.log; return 1; }
    equal "$(tail -n 1 debug.log)" "added 3 files"
}
id_of() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }

test_debug_files_are_served_by_build_id() {
    make_debug_files
    local id
    id=$(id_of whole)
    equal "$(as debugger -D headers "$url/buildid/$id/debuginfo")" 200
    cmp body tree/usr/lib/debug/program.debug
    local digest
    digest=$(sha256sum body | cut -d' ' -f1)
    has "X-Tapir-SHA256: $digest" headers
    has "X-Debuginfod-Size: $(stat -c %s body)" headers
    equal "$(as debugger "$url/buildid/$id/executable")" 200
    cmp body tree/usr/bin/program
    # Both at once.
    for kind in debuginfo executable; do
        equal "$(as debugger "$url/buildid/$(id_of tree/usr/bin/other)/$kind")" 200
        cmp body tree/usr/bin/other
    done
    tail -n 1 audit.log >audit.tail
    has "event=debug-file decision=allowed client=\"certificate:CN=debugger\"" audit.tail
    has "target=\"/buildid/$(id_of tree/usr/bin/other)/executable\"" audit.tail
    # The signature is for these bytes.
    sed -n 's/\r//;s/^X-Tapir-Signature: //p' headers | base64 -d >debug.sig
    openssl cms -verify -in debug.sig -inform DER -CAfile ca.pem -purpose any -binary -out manifest 2>err ||
        openssl cms -verify -in debug.sig -inform PEM -CAfile ca.pem -purpose any -binary -out manifest 2>>err || { cat err; return 1; }
    has "sha256: $digest" manifest
    has "name: debuginfo" manifest
    has "release: $id" manifest
    has "abi: 0" manifest
    has "uses: debug-file" manifest
}

test_sections_are_served_alone() {
    make_debug_files
    local id section file offset size
    id=$(id_of whole)
    for section in .symtab .strtab .eh_frame; do
        # Its place in the file, as readelf has it; only the unwind table is still in the stripped program.
        file=tree/usr/lib/debug/program.debug
        [ $section != .eh_frame ] || file=tree/usr/bin/program
        read -r offset size < <(readelf -SW $file | sed 's/^ *\[ *[0-9]*\]//' | awk -v name=$section '$1 == name { print $4, $5 }')
        tail -c +$((0x$offset + 1)) $file | head -c $((0x$size)) >section
        [ -s section ]
        equal "$(as debugger "$url/buildid/$id/section/$section")" 200
        cmp body section
    done
    equal "$(as debugger "$url/buildid/$id/section/.nosuch")" 404
    refused not-found
}

test_debug_files_need_the_right() {
    make_debug_files
    local id
    id=$(id_of whole)
    equal "$(as engineer "$url/buildid/$id/debuginfo")" 403
    refused forbidden
    equal "$(ask "$url/buildid/$id/debuginfo")" 401
    refused unauthenticated
    equal "$(as debugger "$url/buildid/00112233445566778899/debuginfo")" 404
    refused not-found
    for bad in "$id" "$id/source/x" "../etc/passwd" "$id/../$id/debuginfo" "${id^^}/debuginfo" "abc/debuginfo"; do
        equal "$(as debugger --path-as-is "$url/buildid/$bad")" 400
        refused bad-request
    done
    equal "$(as debugger -X POST -d x "$url/buildid/$id/debuginfo")" 405
    refused bad-method
    # The right to debug files is none to compile.
    equal "$(post debugger "$(request 'probe begin { }')")" 403
}

test_debug_files_are_bounded() {
    make_debug_files
    local id status
    id=$(id_of whole)
    head -c 3000000 /dev/zero >zeros
    objcopy --add-section .zeros=zeros tree/usr/bin/other large
    state=$work/debug-state
    mkdir -p "$state"
    run_to_file debug.log "$server" --state="$state" --stap="$served" --add-debug=tree/usr/lib --add-debug=large || { cat debug.log; return 1; }
    start_server --debug-file-mb=2 --debug-mb-per-minute=1 --debug-files-per-minute=9
    equal "$(as debugger "$url/buildid/$(id_of large)/debuginfo")" 413
    refused too-large
    # In a minute: two, if one begins meanwhile.
    for _ in $(seq 25); do
        status=$(as debugger -D headers "$url/buildid/$id/debuginfo")
        [ "$status" = 200 ] || break
    done
    equal "$status" 429
    has "Retry-After: 60" headers
    refused too-many
}

# A file that cannot be used is named.
test_debug_files_that_are_none_are_refused() {
    local what
    for what in "$work/policy.json" /nonexistent "$work/sets"; do
        fails run_to_file debug.log "$server" --state="$work/state" --stap="$served" --add-debug="$what"
        has "$what" debug.log
    done
}

# list_debugged [NAME=VALUE...]: the function that stap lists in the stripped program, with more settings.
list_debugged() {
    printf '%s\n' "url=$url" ca=ca.pem certificate=debugger.pem key=debugger.key "$@" >client.conf
    DEBUGINFOD_URLS=$url DEBUGINFOD_CACHE_PATH=$work/debug-cache TAPIR_CLIENT_CONFIG=$work/client.conf \
        "$bin/stap" -L 'process("./tree/usr/bin/program").function("inner")' >out 2>err </dev/null || true
}

test_debug_files_count_with_the_servers_signature() {
    make_debug_files
    local cached
    cached=debug-cache/$(id_of whole)/debuginfo
    list_debugged signers=forged.pem
    equal "$(cat out)" ""
    has "the file is refused: its signer 'CN=signer' is not trusted on this machine" err
    [ ! -e "$cached" ]
    list_debugged signers=/nonexistent
    has "/nonexistent: No such file or directory" err
    [ ! -e "$cached" ]
    list_debugged signers=ca.pem
    has 'function("inner@' out
    has '$n:int' out
    [ -s "$cached" ]
}
