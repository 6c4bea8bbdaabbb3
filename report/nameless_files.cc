// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/nameless_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "common/build_id.h"
#include "common/descriptor.h"
#include "common/files.h"
#include "common/plain_text.h"
#include "common/quoting.h"
#include "debuginfod/symbol_packages.h"
#include "report/profile.h"

namespace tapir::report {

namespace {

constexpr size_t kNotices = 3;

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

// A file, and what is known of where its names are.
struct FileWithoutNames {
    NamelessFile file;
    std::string real;    // its path without links; "" if what is there is not what was traced
    std::string remedy;  // "" until it is known
};

FileWithoutNames file_without_names(NamelessFile file) {
    FileWithoutNames one{std::move(file), "", ""};
    const NamelessFile &about = one.file;
    if (about.path.empty()) {
        one.remedy = about.text == "in the kernel" ? "let staprun read /proc/kallsyms: run it as root"
                                                   : "let the interpreter write /tmp/perf-PID.map";
        return one;
    }
    one.remedy = "install its debug symbols";
    if (!is_plain_path(about.path) || !is_same_build(about.path, about.build_id)) return one;
    one.real = real_path(about.path);
    if (about.build_id.size() > 2) {
        const std::string symbols = debug_file_of_build(about.build_id);
        if (is_file(symbols)) {
            one.remedy = symbols + " has them: stap-report --inline of the capture (stap --record) takes them";
            one.real.clear();
        }
    }
    return one;
}

void look_up(std::vector<FileWithoutNames> &files) {
    debuginfod::FileOwners owners;
    debuginfod::SymbolPackages packages;
    for (const FileWithoutNames &one : files)
        if (!one.real.empty()) owners.want(one.real);
    owners.ask();
    // Debug symbols are found by the build-id.
    const auto package_of = [&owners](const FileWithoutNames &one) {
        return one.real.empty() ? std::nullopt : owners.of(one.real);
    };
    for (const FileWithoutNames &one : files)
        if (const auto package = package_of(one); package && !package->empty() && !one.file.build_id.empty())
            packages.want(*package);
    packages.ask();
    for (FileWithoutNames &one : files) {
        const std::optional<std::string> package = package_of(one);
        if (!package) continue;
        if (package->empty())
            one.remedy += ", or do not strip it";
        else if (!one.file.build_id.empty())
            one.remedy = "package " + packages.of(*package) + " has them";
    }
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
    std::vector<FileWithoutNames> files;
    debuginfod::each_line(lines, [&files](std::string_view line) {
        NamelessFile file;
        if (files.size() < kNotices && parse_line(line, file)) files.push_back(file_without_names(std::move(file)));
    });
    look_up(files);
    std::vector<std::string> out;
    for (const FileWithoutNames &one : files)
        out.push_back("notice: " + percent_text(one.file.percent) + " of the boxes' width has no name, " +
                      one.file.text + ": " + one.remedy);
    return out;
}

}  // namespace tapir::report
