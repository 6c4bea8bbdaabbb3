# SPDX-License-Identifier: GPL-2.0-or-later
# Gets kernels of other suites than this machine's. Sourced by run.sh, which sets CACHE and STATE.

# archives: SUITE URI ORIGIN of this machine's package sources; only those whose indexes were fetched are told.
archives() {
    apt-get indextargets --format '$(RELEASE) $(REPO_URI) $(ORIGIN)' 'Created-By: Packages' 'Component: main'
}

# suite_uri SUITE: where a suite is, from this machine's own sources: the archive itself, or that of security updates.
suite_uri() {
    local wanted='^[^-]*$'
    case $1 in *-security) wanted='-security$' ;; esac
    [ -n "$(archives)" ] || [ "$(id -u)" -ne 0 ] || apt-get -qq update >&2
    archives | awk -v wanted="$wanted" '$3 == "Debian" && $1 ~ wanted { print $2; exit }'
}

# use_suites SUITES: has apt look at these instead of the machine's; `host` means the machine's.
use_suites() {
    unset APT_CONFIG
    [ "$1" != host ] || return 0
    local place=$STATE/apt/${1//,/+} suite uri
    mkdir -p "$place/none" "$place/lists/partial" "$place/archives/partial"
    local sources=
    for suite in ${1//,/ }; do
        uri=$(suite_uri "$suite")
        [ -n "$uri" ] || {
            echo "this machine's package sources have no archive that $suite could be in" >&2
            return 1
        }
        sources+="deb $uri $suite main"$'\n'
    done
    printf '%s' "$sources" >"$place/sources"
    cat >"$place/apt.conf" <<CONF
Dir::Etc::sourcelist "$place/sources";
Dir::Etc::sourceparts "$place/none";
Dir::State::lists "$place/lists";
Dir::Cache "$place";
APT::Sandbox::User "root";
CONF
    export APT_CONFIG=$place/apt.conf
    # Indexes of a day ago will do.
    [ -n "$(find "$place/updated" -mmin -1440 2>/dev/null)" ] || { apt-get -qq update && touch "$place/updated"; }
}

# newest_release PACKAGE: the release of the image that PACKAGE depends on.
newest_release() {
    apt-cache depends --important "$1" | sed -n 's/^ *Depends: linux-image-\([0-9][^ ]*\)$/\1/p' | grep -v -e -unsigned | head -n 1
}

# make_system SUITE FOLDER: the suite's compiler and what kernels' build tools link with, whose package is called differently in suites.
make_system() {
    local uri
    uri=$(suite_uri "$1")
    debootstrap --variant=minbase --include=gcc,make,gawk,perl-base "$1" "$2" "$uri" || return
    chroot "$2" apt-get install -y -qq libelf1t64 || chroot "$2" apt-get install -y -qq libelf1
}

# get_toolchain SUITE: a system with the suite's compiler, in the cache's toolchains/ (docs/build.md).
get_toolchain() {
    local place=$CACHE/toolchains/$1
    [ ! -e "$place/usr/bin/gcc" ] || return 0
    PATH=$PATH:/usr/sbin
    command -v debootstrap >/dev/null || {
        echo "debootstrap is needed to get the compiler of $1" >&2
        return 1
    }
    mkdir -p "$CACHE/toolchains"
    rm -rf "$place.new"
    make_system "$1" "$place.new" >"$STATE/toolchain-$1.log" 2>&1 && mv "$place.new" "$place" || {
        tail -n 5 "$STATE/toolchain-$1.log" >&2
        return 1
    }
}
