// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/packages.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>

#include "arch/arch.h"
#include "common/activity.h"
#include "common/find_program.h"
#include "common/run_program.h"
#include "target/distribution.h"

namespace fs = std::filesystem;

namespace tapir::vm {
namespace {

// The lines of apt-cache's output; none if it fails.
std::vector<std::string> lines_of(const Outcome<std::string> &output) {
    std::vector<std::string> lines;
    std::istringstream in(output ? *output : "");
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    return lines;
}

bool is_kernel_image(const std::string &package) {
    return package.starts_with("linux-image-") && package.find("-dbg") == std::string::npos &&
           !package.ends_with("-unsigned");
}

// Debian's and Ubuntu's: whichever the indexes know.
std::array<std::string, 2> stock_packages() {
    return {"linux-image-" + std::string(arch::host().debian_name), "linux-image-generic"};
}

// The size of the packages' files; 0 if apt does not tell.
uint64_t size_of_download(const std::vector<std::string> &packages) {
    std::vector<std::string> argv{"apt-get", "-q", "download", "--print-uris"};
    argv.insert(argv.end(), packages.begin(), packages.end());
    uint64_t sum = 0;
    // 'URI' FILE SIZE DIGEST
    for (const std::string &line : lines_of(output_of(argv))) {
        std::istringstream fields(line);
        std::string uri, file;
        uint64_t size = 0;
        if (fields >> uri >> file >> size) sum += size;
    }
    return sum;
}

// The size of all files in the directory and those below it; files that go away meanwhile do not count. In any thread.
uint64_t bytes_below(const std::string &directory) {
    uint64_t sum = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
        struct stat info = {};
        if (lstat(at->path().c_str(), &info) == 0 && S_ISREG(info.st_mode)) sum += static_cast<uint64_t>(info.st_size);
    }
    return sum;
}

}  // namespace

std::vector<std::string> nearest_names(const std::string &wanted, std::vector<std::string> names, size_t count) {
    auto shared = [&wanted](const std::string &name) {
        return std::mismatch(wanted.begin(), wanted.end(), name.begin(), name.end()).first - wanted.begin();
    };
    std::sort(names.begin(), names.end(), [&](const std::string &a, const std::string &b) {
        auto shared_a = shared(a), shared_b = shared(b);
        return shared_a != shared_b ? shared_a > shared_b : a > b;
    });
    names.resize(std::min(names.size(), count));
    return names;
}

void Packages::tell(const std::string &text) const {
    if (progress_) progress_(text);
}

bool Packages::usable() {
    for (const char *tool : {"apt-get", "apt-cache", "dpkg-deb"}) {
        if (find_program(tool)) continue;
        diagnostics_.report(Tag::VmPackageToolMissing,
                            std::string("kernels are fetched with apt, but this machine has no ") + tool +
                                "; install the kernel's packages with the distribution's own tool and run again");
        return false;
    }
    return true;
}

// Only root can, and it takes a while, so only when something is not found without it; once.
bool Packages::update_indexes(const std::string &reason) {
    if (updated_ || geteuid() != 0) return false;
    updated_ = true;
    tell(reason + "; running apt-get update");
    const Activity activity("updating the indexes of packages");
    return static_cast<bool>(output_of({"apt-get", "-q", "update"}));
}

std::vector<std::string> Packages::dependencies(const std::string &package) {
    std::vector<std::string> names;
    for (const std::string &line : lines_of(output_of({"apt-cache", "depends", "--important", package}))) {
        size_t colon = line.find("Depends: ");
        if (colon != std::string::npos) names.push_back(line.substr(colon + 9));
    }
    return names;
}

std::string Packages::names_near(const std::string &package) {
    std::vector<std::string> names = lines_of(output_of({"apt-cache", "pkgnames", "linux-"}));
    std::string family = package.starts_with("linux-headers-") ? "linux-headers-" : "linux-image-";
    std::erase_if(names, [&](const std::string &name) {
        return !name.starts_with(family) || !isdigit(static_cast<unsigned char>(name[family.size()])) ||
               (family == "linux-image-" && !is_kernel_image(name)) || name.ends_with("-common") ||
               name.ends_with("-common-rt");
    });
    if (names.empty()) return "";
    std::string text = " (near:";
    for (const std::string &name : nearest_names(package, names, 3))
        text += " " + name;
    return text + ")";
}

std::optional<std::string> Packages::newest_release() {
    for (int attempt = 0; attempt < 2; ++attempt) {
        for (const std::string &package : stock_packages())
            for (const std::string &name : dependencies(package))
                if (is_kernel_image(name)) return name.substr(std::string("linux-image-").size());
        if (!update_indexes("apt knows no kernel package")) break;
    }
    diagnostics_.report(Tag::VmPackageUnknown, "apt knows neither " + stock_packages()[0] + " nor " +
                                                   stock_packages()[1] +
                                                   ", so there is no kernel to choose; "
                                                   "run apt-get update as root, or name an installed kernel");
    return std::nullopt;
}

std::optional<std::vector<std::string>> Packages::closure(const std::string &package,
                                                          const std::vector<std::string> &prefixes) {
    if (!target::apt_knows(package) &&
        !(update_indexes("apt does not know " + package) && target::apt_knows(package))) {
        std::string near = names_near(package);
        diagnostics_.report(Tag::VmPackageUnknown,
                            "apt knows no package " + package + (near.empty() ? "; run apt-get update as root" : near));
        return std::nullopt;
    }
    std::vector<std::string> order{package};
    std::set<std::string> seen(order.begin(), order.end());
    for (size_t i = 0; i < order.size(); ++i)
        for (const std::string &name : dependencies(order[i]))
            if (std::any_of(prefixes.begin(), prefixes.end(),
                            [&](const std::string &prefix) { return name.starts_with(prefix); }) &&
                seen.insert(name).second)
                order.push_back(name);
    return order;
}

static Outcome<std::string> unpack(const std::string &package, const std::string &root,
                                   const std::vector<std::string> &members) {
    if (members.empty()) return output_of({"dpkg-deb", "-x", package, root});
    // Files that the package does not have are no failure: the caller looks at the result.
    constexpr char kScript[] = R"(
package=$1 root=$2; shift 2
PATH=$PATH:/usr/bin:/bin LC_ALL=C; export PATH LC_ALL
said=$({ dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --wildcards "$@"; } 2>&1) && exit
said=$(printf '%s' "$said" | grep -v -e ': Not found in archive$' -e 'due to previous errors$')
[ -z "$said" ] || { printf '%s\n' "$said" >&2; exit 1; }
)";
    std::vector<std::string> argv{"/bin/sh", "-c", kScript, "unpack", package, root};
    argv.insert(argv.end(), members.begin(), members.end());
    return output_of(argv);
}

bool Packages::fetch(const std::vector<std::string> &packages, const std::string &directory, const std::string &root,
                     const std::vector<std::string> &members) {
    std::string names;
    for (const std::string &package : packages)
        names += " " + package;
    tell("downloading" + names + " with apt-get");
    std::vector<std::string> argv{"apt-get", "-q", "download"};
    argv.insert(argv.end(), packages.begin(), packages.end());
    // Asked for only if somebody sees it.
    std::optional<uint64_t> size;
    std::optional<Activity> activity(std::in_place, "downloading" + names, [&] {
        if (!size) size = size_of_download(packages);
        return Extent{bytes_below(directory), *size, true};
    });
    Outcome<std::string> done = output_of(argv, directory);
    if (!done && update_indexes("the download failed")) done = output_of(argv, directory);
    activity.reset();
    if (!done) {
        diagnostics_.report(Tag::VmDownloadFailed, "apt-get download" + names + " failed: " + done.fault().message() +
                                                       " (are the package indexes current and the network there?)");
        return false;
    }
    for (const fs::directory_entry &entry : fs::directory_iterator(directory)) {
        if (entry.path().extension() != ".deb") continue;
        tell("unpacking " + entry.path().filename().string());
        const Activity unpacking("unpacking " + entry.path().filename().string(), [&] {
            return Extent{bytes_below(root), 0, true};
        });
        if (done = unpack(entry.path(), root, members); !done) {
            diagnostics_.report(Tag::VmUnpackFailed,
                                "cannot unpack " + entry.path().filename().string() + ": " + done.fault().message());
            return false;
        }
    }
    return true;
}

}  // namespace tapir::vm
