// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/distribution.h"

#include <algorithm>
#include <sstream>

#include "common/files.h"
#include "common/find_program.h"
#include "common/run_program.h"

namespace tapir::target {
namespace {

enum class Family : uint8_t { Unknown, Debian, Fedora, Suse, Arch };

Family family(const std::string &root) {
    std::string ids = " ";
    std::istringstream lines(read_file(root + "/etc/os-release").value_or(""));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("ID=") || line.starts_with("ID_LIKE=")) ids += line.substr(line.find('=') + 1) + " ";
    std::replace(ids.begin(), ids.end(), '"', ' ');
    const auto is = [&](const char *id) { return ids.find(id) != std::string::npos; };
    if (is("debian") || is("ubuntu")) return Family::Debian;
    if (is("fedora") || is("rhel") || is("centos")) return Family::Fedora;
    if (is("suse")) return Family::Suse;
    return is(" arch ") ? Family::Arch : Family::Unknown;
}

std::string package(const std::string &name, const std::string &command) {
    return "install the package " + name + " (" + command + " " + name + ")";
}

// The flavour of a release ends it: "5.14.21-150500.55.52-default", "6.9.1-arch1-1", "6.6.30-1-lts".
std::string suse_flavour(const std::string &release) {
    return release.substr(release.rfind('-') + 1);
}
std::string arch_package(const std::string &release) {
    for (const char *flavour : {"lts", "zen", "hardened", "rt"})
        if (release.ends_with(std::string("-") + flavour)) return std::string("linux-") + flavour + "-headers";
    return "linux-headers";
}

}  // namespace

std::string install_headers(const std::string &root, const std::string &release) {
    const std::string debian = "linux-headers-" + release, fedora = "kernel-devel-" + release;
    switch (family(root)) {
        case Family::Debian:
            return package(debian, "apt-get install");
        case Family::Fedora:
            return package(fedora, "dnf install");
        case Family::Suse:
            return package("kernel-" + suse_flavour(release) + "-devel", "zypper install");
        case Family::Arch:
            return package(arch_package(release), "pacman -S");
        default:
            return "install the package " + debian + " (Debian, Ubuntu: apt-get install " + debian + ") or " + fedora +
                   " (Fedora, RHEL: dnf install " + fedora + ")";
    }
}

bool apt_knows(const std::string &package) {
    return static_cast<bool>(output_of({"apt-cache", "show", "--no-all-versions", package}));
}

// "apt knows no package NAME", or "" if it does, or has no index: a fresh container has none.
static std::string unknown_to_apt(const std::string &root, const std::string &name) {
    if (root != "/" || !find_program("apt-cache") || apt_knows(name)) return "";
    const Outcome<std::string> any = output_of({"apt-cache", "pkgnames", "linux-"});
    return any && !any->empty() ? "apt knows no package " + name : "";
}

std::string no_headers_package(const std::string &root, const std::string &release) {
    const auto has = [&](std::initializer_list<const char *> parts) {
        return std::any_of(parts.begin(), parts.end(),
                           [&](const char *part) { return release.find(part) != std::string::npos; });
    };
    const auto foreign = [&](const char *distribution) {
        return "the name " + release + " is not one of " + distribution + "'s kernels";
    };
    switch (family(root)) {
        case Family::Debian:
            return unknown_to_apt(root, "linux-headers-" + release);
        case Family::Fedora:
            return has({".fc", ".el", ".amzn", ".eln"}) ? "" : foreign("this distribution");
        case Family::Suse:
            return has({"-default", "-azure", "-rt", "-longterm", "-kvmsmall", "-64kb"}) ? "" : foreign("SUSE");
        case Family::Arch:
            return has({"-arch", "-lts", "-zen", "-hardened", "-rt"}) ? "" : foreign("Arch Linux");
        default:
            return "";
    }
}

std::string install_image(const std::string &root, const std::string &release) {
    switch (family(root)) {
        case Family::Debian:
            return package("linux-image-" + release, "apt-get install");
        case Family::Fedora:
            return package("kernel-core-" + release, "dnf install");
        case Family::Suse:
            return package("kernel-" + suse_flavour(release), "zypper install");
        case Family::Arch: {
            const std::string headers = arch_package(release);
            return package(headers.substr(0, headers.rfind("-headers")), "pacman -S");
        }
        default:
            return "install the image of the distribution's kernel " + release;
    }
}

std::string install_debug_information(const std::string &root, const std::string &release) {
    switch (family(root)) {
        case Family::Debian: {
            const std::string name = "linux-image-" + release + "-dbg";
            const std::string unknown = unknown_to_apt(root, name);
            return unknown.empty() ? package(name, "apt-get install")
                                   : "get it from where this kernel comes from, as " + unknown;
        }
        case Family::Fedora:
            return package("kernel-debuginfo-" + release, "dnf debuginfo-install");
        case Family::Suse:
            return package("kernel-" + suse_flavour(release) + "-debuginfo", "zypper install");
        default:
            return "install the debug information of the distribution's kernel " + release;
    }
}

std::string install_program(const std::string &root, const std::string &name) {
    switch (family(root)) {
        case Family::Debian:
            return package(name, "apt-get install");
        case Family::Fedora:
            return package(name.substr(0, name.find('-')), "dnf install");
        case Family::Suse: {
            std::string joined = name;  // gcc-12 is gcc12 there
            joined.erase(std::remove(joined.begin(), joined.end(), '-'), joined.end());
            return package(joined, "zypper install");
        }
        case Family::Arch:
            return package(name.substr(0, name.find('-')), "pacman -S");
        default:
            return "install the package " + name;
    }
}

}  // namespace tapir::target
