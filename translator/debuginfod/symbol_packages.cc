// SPDX-License-Identifier: GPL-2.0-or-later
#include "debuginfod/symbol_packages.h"

#include <chrono>

#include "common/run_program.h"

namespace tapir::debuginfod {

namespace {

// dpkg reads a list of files of each package: from a cold disk, or in a guest, that takes a while.
constexpr std::chrono::seconds kPatience(30);

// Returns a program's output even where it says by its status that it did not find all; nothing if it did not run, or
// ended with more than status 1.
std::optional<std::string> answer_of(const std::vector<std::string> &argv) {
    Collected output{SIZE_MAX}, complaints;
    Program program{argv};
    program.environment = environment_with({"LC_ALL=C"});
    program.output = Stream::collected(output);
    program.errors = Stream::collected(complaints);
    const Outcome<Ending> ended = run_program(program, {kPatience});
    if (!ended || ended->code() > 1) return {};
    return std::move(output.text);
}

constexpr std::string_view kMerged = "/usr/";

std::string unmerged(const std::string &path) {
    return path.substr(kMerged.size() - 1);
}

}  // namespace

void FileOwners::ask() {
    if (paths_.empty()) return;
    std::vector<std::string> argv = {"dpkg-query", "-S"};
    for (const std::string &path : paths_) {
        argv.push_back(path);
        if (path.starts_with(kMerged)) argv.push_back(unmerged(path));
    }
    const std::optional<std::string> found = answer_of(argv);
    known_ = found.has_value();
    // "libc6:amd64: /lib/x86_64-linux-gnu/libc.so.6", "a, b: /usr/bin/both": the first will do.
    each_line(found.value_or(""), [this](std::string_view line) {
        const size_t at = line.find(": /");
        const std::string_view package = line.substr(0, line.find_first_of(":, "));
        if (at != std::string_view::npos) owners_.emplace(line.substr(at + 2), package);
    });
}

std::optional<std::string> FileOwners::of(const std::string &path) const {
    if (!known_) return {};
    // Names of files are those that their packages have: /lib/x where /lib is a link to /usr/lib.
    for (const std::string &name : {path, path.starts_with(kMerged) ? unmerged(path) : path})
        if (const auto found = owners_.find(name); found != owners_.end())
            return found->second.starts_with("diversion") ? std::nullopt : std::optional<std::string>(found->second);
    return "";
}

void SymbolPackages::ask() {
    if (packages_.empty()) return;
    std::vector<std::string> argv = {"apt-cache", "policy"};
    for (const std::string &package : packages_)
        for (const char *kind : {"-dbgsym", "-dbg"})
            argv.push_back(package + kind);
    each_line(answer_of(argv).value_or(""), [this](std::string_view line) {
        if (line.ends_with(":") && !line.starts_with(" ")) known_.emplace(line.substr(0, line.size() - 1));
    });
}

std::string SymbolPackages::known(const std::string &package) const {
    for (const char *kind : {"-dbgsym", "-dbg"})
        if (known_.contains(package + kind)) return package + kind;
    return "";
}

std::string SymbolPackages::of(const std::string &package) const {
    const std::string found = known(package);
    return found.empty() ? package + "-dbgsym (of the archive debian-debug)" : found;
}

}  // namespace tapir::debuginfod
