// SPDX-License-Identifier: GPL-2.0-or-later
#include "bundle/bundle.h"

#include "common/quoting.h"

namespace tapir::bundle {
namespace {

std::string words_of(const std::vector<std::string> &words) {
    std::string text;
    for (const std::string &word : words)
        text += shell_quoted(word) + " ";
    return text;
}

constexpr const char *kChecks = R"sh(
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1
fail() {
    printf 'ERROR: %s\n' "$1" >&2
    exit 1
}
for file in $files; do
    [ -f "$here/$file" ] || fail "'$here/$file' is missing: unpack the bundle again, all of it."
done
if command -v sha256sum >/dev/null 2>&1; then
    (cd -- "$here" && sha256sum -c SHA256SUMS) >/dev/null 2>&1 ||
        fail "The files in '$here' are not those that were bundled (see SHA256SUMS): unpack the bundle again."
fi
running=$(uname -m)
[ "$running" = "$arch" ] ||
    fail "The module is for machines of type $arch, and this one is $running: make a bundle on a machine of its type."
running=$(uname -r)
[ "$running" = "$release" ] ||
    fail "The module is for the kernel $release, and this one is $running: make a bundle for it with 'stap -p4 --bundle -r $running'."
# The release may be that of two kernels: distributions rebuild.
notes=$({ { od -An -v -tx1 /sys/kernel/notes || hexdump -v -e '1/1 "%02x"' /sys/kernel/notes; } | tr -d ' \n'; } 2>/dev/null)
case $build_id:$notes in
:* | *: | *474e5500"$build_id"*) ;;
*) fail "The module is for another build of the kernel $release (build-id $build_id): make a bundle for this one with 'stap -p4 --bundle'." ;;
esac
[ -x "$here/staprun" ] ||
    fail "'$here/staprun' may not be executed: unpack the bundle with its permissions, on a file system without 'noexec'."
)sh";

}  // namespace

std::string run_script(const Contents &contents) {
    std::string files = "staprun " + contents.name + ".ko SHA256SUMS metadata.json";
    if (!contents.signature.empty()) files += " " + contents.name + ".ko.sig";
    return "#!/bin/sh\n"
           "# Runs the module beside this file, which was made by Tapir. Words are passed on: NAME=VALUE sets a global "
           "variable of the\n"
           "# script; options are those of ./staprun --help.\n"
           "set -u\n"
           "files=" +
           shell_quoted(files) + "\narch=" + shell_quoted(contents.arch) +
           "\nrelease=" + shell_quoted(contents.release) + "\nbuild_id=" + shell_quoted(contents.build_id) + kChecks +
           "exec \"$here/staprun\" " + words_of(contents.options) + "\"$here/" + contents.name + ".ko\" " +
           words_of(contents.globals) + "\"$@\"\n";
}

}  // namespace tapir::bundle
