// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/kernels.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>

#include "base/kernel_tree.h"
#include "common/activity.h"
#include "common/files.h"
#include "common/run_program.h"
#include "target/cache_dir.h"

namespace fs = std::filesystem;

namespace tapir::vm {
namespace {

bool plausible_release(const std::string &release) {
    return !release.empty() && release.find("..") == std::string::npos && release[0] != '-' && release[0] != '.' &&
           release.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.+~_-") ==
               std::string::npos;
}

// Adds the parts of a kernel below `root`; parts found earlier are kept.
void look_below(const fs::path &root, KernelFiles &kernel) {
    for (const std::string &image : {"boot/vmlinuz-" + kernel.release, "lib/modules/" + kernel.release + "/vmlinuz"})
        if (kernel.image.empty() && access((root / image).c_str(), R_OK) == 0) kernel.image = root / image;
    for (const char *lib : {"lib/modules", "usr/lib/modules"}) {
        fs::path modules = root / lib / kernel.release;
        if (kernel.modules.empty() && is_directory(modules / "kernel")) kernel.modules = modules;
    }
    std::error_code error;
    for (const fs::path &link :
         {root / "lib/modules" / kernel.release / "build", root / "usr/src" / ("linux-headers-" + kernel.release)}) {
        fs::path tree = fs::canonical(link, error);
        if (!error && kernel.build_dir.empty() && is_file(tree / "Module.symvers")) kernel.build_dir = tree;
    }
    const std::string debug = root / ("usr/lib/debug/boot/vmlinux-" + kernel.release);
    if (kernel.debug.empty() && is_file(debug)) kernel.debug = debug;
}

bool complete(const KernelFiles &kernel, const KernelRequest &request) {
    return (!request.want_image || (!kernel.image.empty() && !kernel.modules.empty())) &&
           (!request.want_headers || !kernel.build_dir.empty()) && (!request.want_debug || !kernel.debug.empty());
}

// The kernel takes "-" and "_" in names of modules for the same.
std::string plain_name(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

// Names of the modules below a directory, by their files.
std::set<std::string> modules_below(const fs::path &tree) {
    std::set<std::string> names;
    std::error_code error;
    for (fs::recursive_directory_iterator at(tree, error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename();
        if (const size_t suffix = name.find(".ko"); suffix != std::string::npos)
            names.insert(plain_name(name.substr(0, suffix)));
    }
    return names;
}

// Names of the modules in a list of their files: modules.builtin, modules.order.
std::set<std::string> modules_in(const fs::path &list) {
    std::set<std::string> names;
    const auto text = read_file(list);
    if (!text) return names;
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);)
        names.insert(plain_name(fs::path(line).stem()));
    return names;
}

// Returns the modules that the kernel can load, also where its package is installed in part only.
std::set<std::string> loadable_modules(const fs::path &modules) {
    std::set<std::string> names = modules_below(modules / "kernel");
    names.merge(modules_in(modules / "modules.order"));
    return names;
}

// Modules that were asked for and whose debug information `stap` would not find: it looks beside the vmlinux, which
// describes those in the image, and at `place`.
std::vector<std::string> undescribed_modules(const KernelFiles &kernel, const KernelRequest &request,
                                             const fs::path &place) {
    if (!request.want_debug || request.debug_modules.empty()) return {};
    std::set<std::string> described = modules_in(kernel.modules + "/modules.builtin");
    std::vector<fs::path> roots = {place / "usr/lib/debug"};
    if (!kernel.debug.empty()) roots.push_back(fs::path(kernel.debug).parent_path().parent_path());
    for (const fs::path &debug : roots)
        for (const char *modules : {"lib/modules", "usr/lib/modules"})
            described.merge(modules_below(debug / modules / kernel.release));
    std::vector<std::string> names;
    for (const std::string &asked : request.debug_modules)
        if (const std::string name = plain_name(asked); !described.contains(name)) names.push_back(name);
    return names;
}

// Whether the debug information is not there, or lacks a module that was asked for and that the kernel has.
bool lacks_debug(const KernelFiles &kernel, const KernelRequest &request, const fs::path &place) {
    if (!request.want_debug) return false;
    if (kernel.debug.empty()) return true;
    const std::vector<std::string> names = undescribed_modules(kernel, request, place);
    if (names.empty()) return false;
    if (kernel.modules.empty()) return true;  // they come with the image
    const std::set<std::string> have = loadable_modules(kernel.modules);
    return std::any_of(names.begin(), names.end(), [&](const std::string &name) { return have.contains(name); });
}

// Tells why a module that was asked for has no debug information here in spite of all.
std::string why_undescribed(const KernelFiles &kernel, const std::string &name) {
    const std::set<std::string> have = loadable_modules(kernel.modules);
    if (have.contains(name)) return "kernel " + kernel.release + " has no debug information of module '" + name + "'";
    std::string near;
    for (const std::string &other : nearest_names(name, {have.begin(), have.end()}, 3))
        near += " " + other;
    return "kernel " + kernel.release + " has no module '" + name + "'" + (near.empty() ? "" : " (near:" + near + ")");
}

bool report_cache(const std::string &path, const std::string &why, Diagnostics &diagnostics) {
    diagnostics.report(Tag::VmCacheUnwritable, "cannot write to the cache directory " + path + ": " + why +
                                                   "; free some space or name another with TAPIR_CACHE_DIR");
    return false;
}

// Moves `name` from one tree to another, replacing nothing that is there, directories merged.
bool move_into(const fs::path &from, const fs::path &to, std::error_code &error) {
    if (!fs::exists(fs::symlink_status(to))) {
        fs::create_directories(to.parent_path(), error);
        if (!error) fs::rename(from, to, error);
        return !error;
    }
    if (!fs::is_directory(fs::symlink_status(from)) || !fs::is_directory(fs::symlink_status(to))) return true;
    for (const fs::directory_entry &entry : fs::directory_iterator(from))
        if (!move_into(entry.path(), to / entry.path().filename(), error)) return false;
    return true;
}

// Puts a tree of unpacked packages in its place. Files that others look for first (the link lib/modules/R/build, the
// image) come last, after all they lead to.
bool publish(const fs::path &staged, const fs::path &place, Diagnostics &diagnostics) {
    std::error_code error;
    for (const char *part : {"usr", "lib", "boot"})
        if (fs::exists(fs::symlink_status(staged / part, error)) && !move_into(staged / part, place / part, error))
            return report_cache(place, error.message(), diagnostics);
    return true;
}

// The packages to fetch.
struct Missing {
    bool image, headers, debug;
};

// Fetches only the missing files of the debug package, which unpacks to several gigabytes.
bool fetch_debug(Packages &packages, const KernelFiles &kernel, const fs::path &staging, const fs::path &place,
                 const KernelRequest &request) {
    const std::string &release = kernel.release;
    const fs::path directory = staging / "debug-debs", root = staging / "root";
    std::error_code error;
    fs::create_directory(directory, error);
    std::vector<std::string> members;
    // One of the two leads to the other.
    if (kernel.debug.empty()) members = {"*/boot/vmlinux-" + release, "*/modules/" + release + "/vmlinux"};
    std::set<std::string> have = loadable_modules(kernel.modules);
    for (const char *modules : {"lib/modules", "usr/lib/modules"})
        have.merge(loadable_modules(root / modules / release));
    for (std::string name : undescribed_modules(kernel, request, place)) {
        if (!have.contains(name)) continue;
        for (size_t at = name.find('_'); at != std::string::npos; at = name.find('_', at + 4))
            name.replace(at, 1, "[-_]");
        members.push_back("*/" + name + ".ko*");
    }
    return members.empty() || packages.fetch({"linux-image-" + release + "-dbg"}, directory, root, members);
}

bool fetch_kernel(const KernelFiles &kernel, const Missing &missing, const fs::path &place,
                  const KernelRequest &request, Diagnostics &diagnostics) {
    const std::string &release = kernel.release;
    Packages packages(request.progress, diagnostics);
    if (!packages.usable()) return false;
    std::vector<std::string> wanted;
    auto add = [&](const std::string &package, const std::vector<std::string> &prefixes) {
        auto names = packages.closure(package, prefixes);
        if (names) wanted.insert(wanted.end(), names->begin(), names->end());
        return names.has_value();
    };
    if (missing.image && !add("linux-image-" + release, {"linux-modules-", "linux-binary-", "linux-base-"}))
        return false;
    if (missing.headers && !add("linux-headers-" + release, {"linux-headers-", "linux-kbuild-"})) return false;

    // Left by a process that was killed; others do not use them while this one holds the release's lock.
    std::error_code error;
    std::string prefix = ".fetch-" + release + ".";
    for (const fs::directory_entry &entry : fs::directory_iterator(place.parent_path(), error))
        if (entry.path().filename().string().starts_with(prefix)) fs::remove_all(entry.path(), error);
    const Outcome<std::string> made = make_directory(place.parent_path(), prefix);
    if (!made) return report_cache(place.parent_path(), strerror(errno), diagnostics);
    const TemporaryDirectory temporary(*made);
    const fs::path staging = *made;
    // apt downloads as a user of its own when it can.
    chmod(staging.c_str(), 0755);
    fs::path debs = staging / "debs", root = staging / "root";
    fs::create_directory(debs);
    fs::create_directory(root);
    if (!wanted.empty() && !packages.fetch(wanted, debs, root)) return false;
    if (missing.debug && !fetch_debug(packages, kernel, staging, place, request)) return false;
    if (const Outcome<void> relocated = relocate_packages(root); !relocated)
        return report_cache(place, relocated.fault().message(), diagnostics);
    // A package that relies on /lib being a link brings files to usr/lib only.
    if (fs::exists(root / "usr/lib/modules") && !fs::exists(root / "lib"))
        fs::create_directory_symlink("usr/lib", root / "lib", error);
    // Lets the guest's modprobe find modules; guests start without it, so its absence is no error.
    if (missing.image) static_cast<void>(output_of({"depmod", "-b", root, release}));
    return publish(root, place, diagnostics);
}

std::string indexes_stamp() {
    struct stat status {};
    stat("/var/lib/apt/lists", &status);
    return std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
}

}  // namespace

Outcome<void> relocate_packages(const std::string &root_name) {
    const auto failed = [](const std::string &why) { return Fault{FaultTag::PackagesNotRelocated, why}; };
    std::error_code error;
    fs::path root = fs::canonical(root_name, error);
    if (error) return failed(root_name + ": " + error.message());
    for (fs::recursive_directory_iterator entry(root, error), end; !error && entry != end; entry.increment(error)) {
        if (!entry->is_symlink()) continue;
        fs::path target = fs::read_symlink(entry->path(), error);
        if (error || !target.is_absolute()) continue;
        fs::path relative = (root / target.relative_path()).lexically_relative(entry->path().parent_path());
        fs::remove(entry->path(), error);
        fs::create_symlink(relative, entry->path(), error);
        if (error) break;
    }
    if (error) return failed(error.message());

    if (!is_directory(root / "usr/src")) return {};
    for (const fs::directory_entry &tree : fs::directory_iterator(root / "usr/src", error)) {
        std::string makefile = tree.path() / "Makefile";
        auto text = read_file(makefile);
        if (!text || !relocate_makefile(*text)) continue;
        if (!replace_file(makefile, *text)) return failed(makefile + ": " + strerror(errno));
    }
    return {};
}

std::optional<std::string> default_release(const KernelRequest &request, Diagnostics &diagnostics) {
    fs::path kernels = fs::path(request.cache.empty() ? target::cache_dir() : request.cache) / "kernels";
    std::string stamp = indexes_stamp();
    if (auto remembered = read_file(kernels / "default")) {
        size_t space = remembered->find(' ');
        std::string release = remembered->substr(0, space);
        if (space != std::string::npos && remembered->substr(space + 1) == stamp && plausible_release(release))
            return release;
    }
    Packages packages(request.progress, diagnostics);
    if (!packages.usable()) return std::nullopt;
    auto release = packages.newest_release();
    if (!release) return std::nullopt;
    std::error_code error;
    fs::create_directories(kernels, error);
    // Only saves time; fetching reports an unwritable cache.
    replace_file(kernels / "default", *release + " " + indexes_stamp());
    return release;
}

std::optional<KernelFiles> ensure_kernel(const KernelRequest &request, Diagnostics &diagnostics) {
    KernelFiles kernel;
    kernel.release = request.release;
    if (kernel.release.empty()) {
        auto release = default_release(request, diagnostics);
        if (!release) return std::nullopt;
        kernel.release = *release;
    }
    if (!plausible_release(kernel.release)) {
        diagnostics.report(Tag::VmPackageUnknown, "'" + kernel.release + "' is not a kernel release; see `uname -r`");
        return std::nullopt;
    }
    std::error_code error;
    fs::path cache = fs::absolute(request.cache.empty() ? target::cache_dir() : request.cache, error);
    fs::path kernels = cache / "kernels", place = kernels / kernel.release;
    for (const std::string &root : request.roots)
        look_below(root, kernel);
    look_below(place, kernel);
    const auto found = [&] {
        for (const std::string &name : undescribed_modules(kernel, request, place))
            kernel.undescribed.push_back(why_undescribed(kernel, name));
        return kernel;
    };
    if (complete(kernel, request) && !lacks_debug(kernel, request, place)) return found();

    fs::create_directories(kernels, error);
    if (error) {
        report_cache(kernels, error.message(), diagnostics);
        return std::nullopt;
    }
    std::optional<Activity> waiting("waiting for another stap, which fetches kernel " + kernel.release);
    FileLock lock(kernels / (".lock-" + kernel.release));
    waiting.reset();
    if (!lock.held()) {
        report_cache(kernels, strerror(errno), diagnostics);
        return std::nullopt;
    }
    look_below(place, kernel);  // another process may have fetched it meanwhile
    if (complete(kernel, request) && !lacks_debug(kernel, request, place)) return found();
    bool image = request.want_image && (kernel.image.empty() || kernel.modules.empty());
    bool headers = request.want_headers && kernel.build_dir.empty();
    const Missing missing{image, headers, lacks_debug(kernel, request, place)};
    if (!fetch_kernel(kernel, missing, place, request, diagnostics)) return std::nullopt;
    look_below(place, kernel);
    if (complete(kernel, request)) return found();
    diagnostics.report(Tag::VmUnpackFailed, "the packages of kernel " + kernel.release +
                                                " do not contain what they should: " + place.string());
    return std::nullopt;
}

}  // namespace tapir::vm
