// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/nameless_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "common/build_id.h"
#include "common/descriptor.h"
#include "common/files.h"
#include "common/plain_text.h"
#include "common/quoting.h"
#include "common/run_program.h"
#include "report/profile.h"

namespace tapir::report {

namespace {

constexpr size_t kNotices = 3;
// dpkg reads a list of files of each package: from a cold disk, or in a guest, that takes a while.
constexpr std::chrono::seconds kPatience(30);

// Text of captures, so that it may be shown and handed to a program as it is.
bool is_plain_path(const std::string &path) {
    return path.size() < PATH_MAX && path.starts_with("/") && path.find_first_of("*?[]\\\t") == std::string::npos &&
           printable(path) == path;
}

// Also true if neither the file nor what was traced has a build-id.
bool is_same_build(const std::string &path, const std::string &build_id) {
    struct stat about = {};
    // Other things than files may block.
    if (stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return false;
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    return file.get() >= 0 && build_id_of_file(file.get()) == build_id;
}

std::string real_path(const std::string &path) {
    char *found = realpath(path.c_str(), nullptr);
    const std::string out = found ? found : path;
    std::free(found);
    return out;
}

// "libc6" of "libc6:amd64: /lib/x86_64-linux-gnu/libc.so.6"; "" if no package has the file, nothing if that is not
// known.
std::optional<std::string> package_of(const std::string &path) {
    const Outcome<std::string> found = output_of({"dpkg-query", "-S", path}, {}, {kPatience});
    if (!found) return found.fault().tag == FaultTag::ProgramFailed ? std::optional<std::string>("") : std::nullopt;
    std::string_view line = std::string_view(*found).substr(0, found->find('\n'));
    // Several packages may have it: the first will do.
    line = line.substr(0, line.find_first_of(":, "));
    return line == "diversion" ? std::nullopt : std::optional<std::string>(line);
}

// Names of files are those that their packages have: /lib/x where /lib is a link to /usr/lib.
std::optional<std::string> owner_of(const std::string &path) {
    std::optional<std::string> package = package_of(path);
    if (package && package->empty() && path.starts_with("/usr/")) package = package_of(path.substr(4));
    return package;
}

// Returns the package that apt knows, "NAME-dbgsym", else "NAME-dbg"; else the one of the archive debian-debug.
std::string symbols_of(const std::string &package) {
    const std::string modern = package + "-dbgsym", old = package + "-dbg";
    const Outcome<std::string> known = output_of({"apt-cache", "pkgnames", old}, {}, {kPatience});
    const std::string lines = known ? "\n" + *known + "\n" : "";
    if (lines.find("\n" + modern + "\n") != std::string::npos) return modern;
    if (lines.find("\n" + old + "\n") != std::string::npos) return old;
    return modern + " (of the archive debian-debug)";
}

struct Symbols {
    std::string where;    // "" where that is not known
    bool is_own = false;  // the file is of no package
};

Symbols find_symbols(const std::string &path, const std::string &build_id) {
    if (!is_plain_path(path) || !is_same_build(path, build_id)) return {};
    if (build_id.size() > 2) {
        const std::string file =
            "/usr/lib/debug/.build-id/" + build_id.substr(0, 2) + "/" + build_id.substr(2) + ".debug";
        if (is_file(file)) return {file + " has them: stap-report --inline of the capture (stap --record) takes them"};
    }
    const std::optional<std::string> package = owner_of(real_path(path));
    if (!package || package->empty()) return {"", package.has_value()};
    // Debug symbols are found by the build-id.
    if (build_id.empty()) return {};
    return {"package " + symbols_of(*package) + " has them"};
}

std::string remedy(const NamelessFile &file) {
    if (file.path.empty())
        return file.text == "in the kernel" ? "let staprun read /proc/kallsyms: run it as root"
                                            : "let the interpreter write /tmp/perf-PID.map";
    const Symbols symbols = find_symbols(file.path, file.build_id);
    if (!symbols.where.empty()) return symbols.where;
    return symbols.is_own ? "install its debug symbols, or do not strip it" : "install its debug symbols";
}

// False: it is no line of nameless_line().
bool parse_line(std::string_view line, NamelessFile &out) {
    std::array<std::string, 4> cells;
    for (size_t i = 0; i < cells.size(); i++) {
        const size_t end = std::min(line.find('\t'), line.size());
        cells[i] = std::string(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    char *rest = nullptr;
    out = {std::strtod(cells[0].c_str(), &rest), cells[1], cells[2], cells[3]};
    return rest != cells[0].c_str() && out.percent > 0 && out.percent <= 100.001 && !out.text.empty() && line.empty() &&
           (out.path.empty() || is_plain_path(out.path));
}

}  // namespace

std::string nameless_line(const NamelessFile &file) {
    return format("%.9f\t", file.percent) + file.text + "\t" + file.path + "\t" + file.build_id + "\n";
}

std::vector<std::string> nameless_notices(const std::string &lines) {
    std::vector<std::string> out;
    for (size_t at = 0; at < lines.size() && out.size() < kNotices;) {
        const size_t end = std::min(lines.find('\n', at), lines.size());
        NamelessFile file;
        if (parse_line(std::string_view(lines).substr(at, end - at), file))
            out.push_back("notice: " + percent_text(file.percent) + " of the boxes' width has no name, " + file.text +
                          ": " + remedy(file));
        at = end + 1;
    }
    return out;
}

}  // namespace tapir::report
