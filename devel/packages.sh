# SPDX-License-Identifier: GPL-2.0-or-later
# Debian packages that ./quickstart and ./check need, and a function that installs the missing ones. Sourced, not run.

TAPIR_BUILD_PACKAGES="build-essential cmake ninja-build flex bison pkg-config libelf-dev libdw-dev libbpf-dev libiberty-dev libzstd-dev zlib1g-dev
    libboost-dev libboost-program-options-dev libseccomp-dev libncurses-dev libssl-dev libarchive-dev libedit-dev nlohmann-json3-dev libcpp-httplib-dev libzydis-dev libkdumpfile-dev
    kmod"
TAPIR_GUEST_PACKAGES="qemu-system-x86"
# The build server is tested with a kernel whose headers are installed.
TAPIR_TEST_PACKAGES="ccache libgtest-dev libgmock-dev libbenchmark-dev clang clang-format libclang-rt-14-dev clang-19 llvm-19-dev busybox-static util-linux
    linux-headers-$(dpkg --print-architecture 2>/dev/null || echo amd64) gcc-aarch64-linux-gnu bubblewrap curl debuginfod gdb python3 python3-jsonschema strace dwz groff-base mandoc openssl
    libboost-context-dev openssh-client openssh-server lintian systemd universal-ctags golang-go tmux neovim systemtap-doc valgrind luajit php8.2-cli musl-tools zsh fish prometheus python3-prometheus-client"

# Pictures are looked at in a browser: only `./check all` does it, and it does without where these cannot be had.
declare -A TAPIR_PAGE_PACKAGES=([chromium]="chromium" [node]="nodejs" [npm]="npm")

# install_packages PACKAGE...: says what it is about to install, then does it; nothing to say when all are there.
install_packages() {
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    command -v apt-get >/dev/null || {
        echo "These packages (Debian's names) are needed and apt-get is not here to install them: ${missing[*]}" >&2
        return 1
    }
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || {
            echo "Installing packages needs root, and sudo is not here. As root: apt-get install ${missing[*]}" >&2
            return 1
        }
        as_root=(sudo)
    fi
    echo "Installing Debian packages: ${missing[*]}"
    "${as_root[@]}" apt-get update -qq || echo "apt-get update failed; trying with the package lists that are here" >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
        >"${TMPDIR:-/tmp}/tapir-apt.$$" 2>&1 || {
        cat "${TMPDIR:-/tmp}/tapir-apt.$$" >&2
        echo "The packages could not be installed." >&2
        return 1
    }
    rm -f "${TMPDIR:-/tmp}/tapir-apt.$$"
}
