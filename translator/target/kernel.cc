// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/kernel.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "arch/arch.h"
#include "base/kernel_tree.h"
#include "common/files.h"
#include "target/cache_dir.h"
#include "target/distribution.h"

namespace fs = std::filesystem;

namespace tapir::target {
namespace {

bool present(const fs::path &path) {
    std::error_code ec;
    return fs::exists(path, ec);
}

std::string first_line(const std::string &text) {
    return text.substr(0, text.find('\n'));
}

// Returns the first part that is missing for building a module, relative to the tree, or "".
std::string missing_part(const fs::path &build_dir) {
    for (const char *part : {"Makefile", ".config", "include/generated/autoconf.h", "Module.symvers",
                             "scripts/basic/fixdep", "scripts/mod/modpost"})
        if (!present(build_dir / part)) return part;
    return "";
}

// The release a build tree was made for, "" when it does not say. Debian's trees have it in the header; their
// kernel.release is the version of the sources.
std::string release_of(const fs::path &build_dir) {
    constexpr std::string_view kDefine = "UTS_RELEASE \"";
    if (auto text = read_file(build_dir / "include/generated/utsrelease.h")) {
        const size_t open = text->find(kDefine);
        if (open != std::string::npos)
            return text->substr(open + kDefine.size(), text->find('"', open + kDefine.size()) - open - kDefine.size());
    }
    auto text = read_file(build_dir / "include/config/kernel.release");
    return text ? first_line(*text) : "";
}

// A tree unpacked below a root that is not "/". Replaced in one step: concurrent builds see the old or the new file.
void adopt_unpacked_tree(const fs::path &build_dir) {
    auto text = read_file(build_dir / "Makefile");
    if (text && relocate_makefile(*text)) replace_file(build_dir / "Makefile", *text);
}

std::vector<fs::path> candidates(const fs::path &root, const std::string &release) {
    return {root / "lib/modules" / release / "build", root / "usr/lib/modules" / release / "build",
            root / "usr/src" / ("linux-headers-" + release), root / "usr/src/kernels" / release};
}

// Is `real`, which has no links, below `root`, which may have some?
bool lies_below(const fs::path &real, const fs::path &root) {
    std::error_code ec;
    const fs::path top = fs::canonical(root, ec);
    return !ec && real.string().starts_with(top.string() + "/");
}

// Returns the build tree of `release` below `root`, preferably a complete one; "" if it finds none.
fs::path tree_below(const fs::path &root, const std::string &release) {
    fs::path first;
    for (const fs::path &candidate : candidates(root, release)) {
        std::error_code ec;
        fs::path real = fs::canonical(candidate, ec);
        if (ec) continue;
        // An absolute link of an unpacked package leads out of its root.
        if (root != "/" && !lies_below(real, root)) continue;
        if (root != "/") adopt_unpacked_tree(real);
        if (missing_part(real).empty()) return real;
        if (first.empty()) first = real;
    }
    return first;
}

// Finds image and modules below `root`; those found before stay.
void find_companions(Kernel &kernel, const fs::path &root) {
    for (const fs::path &image :
         {root / "boot" / ("vmlinuz-" + kernel.release), root / "lib/modules" / kernel.release / "vmlinuz",
          root / "usr/lib/modules" / kernel.release / "vmlinuz"}) {
        if (!kernel.image.empty() || !present(image)) continue;
        kernel.image = image;
        break;
    }
    for (const fs::path &modules : {root / "lib/modules" / kernel.release, root / "usr/lib/modules" / kernel.release}) {
        // Installing headers makes the directory, too.
        if (!kernel.modules.empty() || !present(modules / "modules.dep")) continue;
        kernel.modules = modules;
        break;
    }
}

// Every start asks for this: the thousands of lines are not taken apart for it.
std::string arch_from_config(const Kernel &kernel) {
    const std::string text = "\n" + kernel.config_text() + "\n";
    for (const arch::Arch *arch : arch::all())
        if (text.find("\n" + std::string(arch->config_symbol) + "=y\n") != std::string::npos)
            return std::string(arch->name);
    return "";
}

}  // namespace

KernelConfig parse_config(std::string_view text) {
    KernelConfig config;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        size_t equals = line.find('=');
        if (!line.starts_with("CONFIG_") || equals == std::string_view::npos) continue;
        std::string_view value = line.substr(equals + 1);
        if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
        config.emplace_hint(config.end(), line.substr(0, equals), value);
    }
    return config;
}

std::string Kernel::version() const {
    return release.substr(0, release.find_first_not_of("0123456789."));
}

std::string Kernel::config_text() const {
    std::optional<std::string> text;
    if (!build_dir.empty()) text = read_file(fs::path(build_dir) / ".config");
    if (!text) text = read_file(fs::path(root) / "boot" / ("config-" + release));
    if (!text && !modules.empty()) text = read_file(fs::path(modules) / "config");
    return text.value_or("");
}

const KernelConfig &Kernel::config() const {
    if (!config_) config_ = std::make_shared<const KernelConfig>(parse_config(config_text()));
    return *config_;
}

std::string_view Kernel::config_value(std::string_view name) const {
    auto found = config().find(name);
    return found == config().end() ? std::string_view() : found->second;
}

// -r /PATH
static std::optional<Kernel> kernel_of_tree(const fs::path &path, const FindOptions &options,
                                            Diagnostics &diagnostics) {
    std::error_code ec;
    fs::path real = fs::canonical(path, ec);
    if (ec) {
        diagnostics.report(Tag::BuildTreeMissing, "-r " + path.string() + ": " + ec.message());
        return std::nullopt;
    }
    std::string missing = missing_part(real);
    std::string release = release_of(real);
    if (!missing.empty() || release.empty()) {
        if (missing.empty()) missing = "include/config/kernel.release";
        diagnostics.report(Tag::BuildTreeIncomplete,
                           "-r " + path.string() + ": not a prepared kernel build tree, " + missing +
                               " is missing; in kernel sources run `make modules_prepare` (and `make modules` for "
                               "Module.symvers), or name the directory of a kernel headers package");
        return std::nullopt;
    }
    Kernel kernel;
    kernel.release = release;
    kernel.build_dir = real;
    kernel.root = options.root;
    fs::path cached = fs::path(options.cache) / "kernels" / release;
    if (lies_below(real, cached)) kernel.root = cached;
    kernel.is_running = release == options.running_release;
    kernel.arch = arch_from_config(kernel);
    if (kernel.arch.empty()) kernel.arch = options.machine;
    find_companions(kernel, kernel.root);
    find_companions(kernel, cached);
    return kernel;
}

// `incomplete`: a tree that was found, or "".
static void report_no_tree(const std::string &release, const fs::path &incomplete, const FindOptions &options,
                           Diagnostics &diagnostics) {
    const std::string install = install_headers(options.root, release);
    if (!incomplete.empty()) {
        diagnostics.report(Tag::BuildTreeIncomplete, "the build tree of kernel " + release + " in " +
                                                         incomplete.string() + " is incomplete, " +
                                                         missing_part(incomplete) + " is missing; " + install +
                                                         " again, or give another tree with -r /PATH");
        return;
    }
    const std::string why_not = no_headers_package(options.root, release);
    std::string text = "no build tree for kernel " + release + " on this machine [man error::headers]";
    if (why_not.empty())
        text += "; " + install;
    else
        text += ", and " + why_not + " (a container runs on its host's kernel); name its build tree with -r /PATH";
    text += why_not.empty() ? ", name a build tree with -r /PATH, or" : ", or";
    text += " try the script in a virtual machine with --vm";
    diagnostics.report(Tag::BuildTreeMissing, text);
}

static std::optional<Kernel> kernel_of_release(const std::string &release, const FindOptions &options,
                                               Diagnostics &diagnostics) {
    Kernel kernel;
    kernel.release = release;
    kernel.arch = options.machine;
    kernel.is_running = release == options.running_release;
    fs::path incomplete;
    for (const fs::path &root : {fs::path(options.root), fs::path(options.cache) / "kernels" / release}) {
        fs::path tree = tree_below(root, release);
        if (tree.empty()) continue;
        if (!missing_part(tree).empty()) {
            if (incomplete.empty()) incomplete = tree;
            continue;
        }
        kernel.build_dir = tree;
        kernel.root = root;
        break;
    }
    fs::path cached = fs::path(options.cache) / "kernels" / release;
    if (kernel.build_dir.empty()) {
        kernel.root = options.root;
        find_companions(kernel, kernel.root);
        if (kernel.image.empty() && present(cached)) kernel.root = cached;
    } else {
        if (std::string arch = arch_from_config(kernel); !arch.empty()) kernel.arch = arch;
        find_companions(kernel, kernel.root);
    }
    find_companions(kernel, cached);
    if (!kernel.build_dir.empty() || !options.require_build_tree) return kernel;

    report_no_tree(release, incomplete, options, diagnostics);
    return std::nullopt;
}

std::optional<Kernel> find_kernel(std::string_view which, const FindOptions &given, Diagnostics &diagnostics) {
    FindOptions options = given;
    utsname names{};
    uname(&names);
    if (options.running_release.empty()) options.running_release = names.release;
    if (options.machine.empty()) options.machine = names.machine;
    if (options.cache.empty()) options.cache = cache_dir();
    if (which.starts_with('/')) return kernel_of_tree(which, options, diagnostics);
    // A release becomes part of paths.
    if (which.find('/') != std::string_view::npos || which == "." || which == "..") {
        diagnostics.report(
            Tag::BuildTreeMissing,
            "-r " + std::string(which) + ": neither a kernel release nor an absolute path of a build tree");
        return std::nullopt;
    }
    return kernel_of_release(which.empty() ? options.running_release : std::string(which), options, diagnostics);
}

}  // namespace tapir::target
