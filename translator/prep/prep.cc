// SPDX-License-Identifier: GPL-2.0-or-later
#include "prep/prep.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>

#include "common/build_id.h"
#include "common/files.h"
#include "common/find_program.h"
#include "common/quoting.h"
#include "common/run_program.h"
#include "common/screen.h"
#include "common/size_text.h"
#include "common/standard_output.h"
#include "debuginfod/debug_fetcher.h"
#include "debuginfod/debug_servers.h"
#include "prep/apt.h"
#include "target/distribution.h"
#include "vm/kernels.h"

namespace tapir::prep {

namespace {

constexpr int kFailed = 1;

void say(Voice voice, const std::string &text) {
    std::fputs(told(screen_of(STDERR_FILENO, Coloring::Auto), voice, text).c_str(), stderr);
}

void progress(const std::string &text) {
    std::fprintf(stderr, "stap-prep: %s\n", text.c_str());
}

bool report(const Diagnostics &diagnostics) {
    for (const auto &diagnostic : diagnostics.all())
        say(diagnostic->severity == Severity::Warning ? Voice::Notice : Voice::Error, diagnostic->message);
    return !diagnostics.has_errors();
}

bool is_missing(const Need &need) {
    return need.state == Need::State::Missing;
}

bool lacks(const Needs &needs) {
    return std::any_of(needs.subjects.begin(), needs.subjects.end(), [](const Subject &subject) {
        return std::any_of(subject.needs.begin(), subject.needs.end(), is_missing);
    });
}

std::string joined(const std::vector<std::string> &words) {
    std::string text;
    for (const std::string &word : words)
        text += " " + word;
    return text;
}

// Packages of debug symbols are in an archive of their own.
void tell_archive(const Needs &needs) {
    const bool unknown = std::any_of(needs.subjects.begin() + 1, needs.subjects.end(), [](const Subject &subject) {
        const Need &need = subject.needs.front();
        return is_missing(need) && need.package.empty() && need.remark.starts_with("apt does not know");
    });
    if (!unknown) return;
    if (const std::string sources = debug_sources(); !sources.empty())
        print_output(
            "\nPackages of debug symbols are in an archive that apt does not look at. To add it, write this to\n"
            "/etc/apt/sources.list.d/debug.sources as root, and run apt-get update:\n\n" +
            sources);
    if (debuginfod::servers_of_environment().urls.empty())
        print_output(
            "\nWithout packages: with DEBUGINFOD_URLS set, stap and stap-report fetch debug files by build-id.\n");
}

bool confirmed() {
    std::fputs("Fetch and install this? [y/N] ", stderr);
    std::string answer;
    return std::getline(std::cin, answer) && (answer == "y" || answer == "Y" || answer == "yes");
}

int install(const std::vector<std::string> &packages) {
    Program apt{{"apt-get", "install", "-y", "--no-install-recommends"}};
    apt.argv.insert(apt.argv.end(), packages.begin(), packages.end());
    apt.input = Stream::inherited();
    flush_output();
    const Outcome<Ending> ended = run_program(apt);
    if (ended && ended->good()) return 0;
    say(Voice::Error, "apt-get did not install" + joined(packages) +
                          (ended ? "; it says why above (is the network there, and is 'apt-get update' recent?)"
                                 : ": " + ended.fault().message()));
    return kFailed;
}

// Debug files of a program's package, into the cache in which stap and stap-report look.
bool fetch_symbols(const std::string &package, const std::vector<const Need *> &needs, Diagnostics &diagnostics) {
    const debuginfod::DebugCache cache(debuginfod::servers_of_environment().cache);
    const Outcome<std::string> made = make_directory(cache.directory(), ".unpacked-");
    if (!made) {
        say(Voice::Error, made.fault().message());
        return false;
    }
    const TemporaryDirectory directory(*made);
    const std::string debs = *made + "/debs", root = *made + "/root";
    std::error_code error;
    std::filesystem::create_directory(debs, error);
    std::filesystem::create_directory(root, error);
    vm::Packages packages(progress, diagnostics);
    if (!packages.usable() || !packages.fetch({package}, debs, root)) return false;
    bool good = true;
    for (const Need *need : needs) {
        const std::string &id = need->build_id;
        const std::string file = debug_file_of_build(id, root + "/usr/lib/debug");
        if (!is_file(file)) {
            say(Voice::Error,
                package + " is of another build: it has no file of build-id " + id + "; upgrade the program's package");
            good = false;
        } else if (const auto kept = cache.keep(debuginfod::FileKind::DebugInfo, id, file); !kept) {
            say(Voice::Error, kept.fault().message());
            good = false;
        }
    }
    return good;
}

// Needs whose files only servers have.
std::vector<const Need *> served(const Needs &needs) {
    std::vector<const Need *> found;
    for (const Subject &subject : needs.subjects)
        for (const Need &need : subject.needs)
            if (is_missing(need) && !need.url.empty()) found.push_back(&need);
    return found;
}

void print_served(const std::vector<const Need *> &files) {
    if (files.empty()) return;
    uint64_t bytes = 0;
    for (const Need *file : files)
        bytes += file->bytes;
    print_output("\nFrom servers: " + std::to_string(files.size()) + (files.size() == 1 ? " file, " : " files, ") +
                 size_text(bytes) + "\n");
}

bool fetch_served(const std::vector<const Need *> &files, const PrepOptions &options) {
    if (files.empty()) return true;
    Outcome<debuginfod::DebugServers> servers = debuginfod::servers_of_settings(options.server);
    if (!servers) return false;  // told before
    debuginfod::DebugFetcher fetcher(std::move(*servers), progress);
    bool good = true;
    for (const Need *file : files)
        if (const auto found = fetcher.find(debuginfod::FileKind::DebugInfo, file->build_id); !found) {
            say(Voice::Error, found.fault().message());
            good = false;
        }
    return good;
}

int fetch_to_cache(const Needs &needs) {
    Diagnostics diagnostics;
    const std::vector<Need> &kernel = needs.subjects.front().needs;
    vm::KernelRequest request;
    request.release = needs.release;
    request.want_headers = is_missing(kernel[0]) && !kernel[0].package.empty();
    request.want_debug = is_missing(kernel[1]) && !kernel[1].package.empty();
    // Modules are found by their files.
    request.want_image = request.want_debug;
    request.debug_modules = needs.modules;
    request.progress = progress;
    bool good = true;
    if (request.want_headers || request.want_debug) good = vm::ensure_kernel(request, diagnostics).has_value();
    std::map<std::string, std::vector<const Need *>> symbols;
    for (size_t i = 1; i < needs.subjects.size(); i++)
        for (const Need &need : needs.subjects[i].needs)
            if (is_missing(need) && !need.package.empty()) symbols[need.package].push_back(&need);
    for (const auto &[package, wanted] : symbols)
        good = fetch_symbols(package, wanted, diagnostics) && good;
    return report(diagnostics) && good ? 0 : kFailed;
}

int tell_how(const std::vector<std::string> &packages) {
    say(Voice::Error, "only root can install packages: 'sudo apt-get install" + joined(packages) +
                          "', or 'pkexec apt-get install" + joined(packages) +
                          "'; without rights, 'stap-prep --user' with the same arguments fetches them to your cache");
    return kFailed;
}

}  // namespace

std::string describe(const Needs &needs, std::vector<std::string> &fetchable) {
    std::vector<std::string> named;
    for (const Subject &subject : needs.subjects)
        for (const Need &need : subject.needs)
            if (!need.package.empty() && need.place.empty()) named.push_back(need.package);
    const std::map<std::string, PackageSize> sizes = sizes_of(named);
    std::string text;
    for (const Subject &subject : needs.subjects) {
        text += subject.name + "\n";
        for (const Need &need : subject.needs) {
            const char *states[] = {"there    ", "missing  ", "optional "};
            text += std::string("  ") + states[static_cast<size_t>(need.state)] + need.what + ": ";
            if (need.state == Need::State::There) {
                text += need.place + "\n";
                continue;
            }
            text += need.url.empty() ? need.package : "build-id " + need.build_id + " of " + printable(need.url);
            if (need.bytes) text += ", " + size_text(need.bytes);
            if (const auto size = sizes.find(need.package); size != sizes.end())
                text += ", " + size_text(size->second.bytes) + ", " + size_text(size->second.installed) + " installed";
            if (!need.remark.empty())
                text += (need.package.empty() ? "" : " (") + need.remark + (need.package.empty() ? "" : ")");
            text += "\n";
            if (is_missing(need) && !need.package.empty() &&
                std::find(fetchable.begin(), fetchable.end(), need.package) == fetchable.end())
                fetchable.push_back(need.package);
        }
    }
    return text;
}

int run(const PrepOptions &options) {
    Diagnostics diagnostics;
    const Needs needs = find_needs(options, diagnostics);
    std::vector<std::string> packages;
    const bool has_apt = static_cast<bool>(find_program("apt-get"));
    print_output(describe(needs, packages));
    const bool good = report(diagnostics);
    if (!lacks(needs)) {
        if (good) print_output("\nNothing is missing.\n");
        return good ? 0 : kFailed;
    }
    const std::vector<const Need *> files = served(needs);
    if (!has_apt && files.empty()) {
        say(Voice::Error, "stap-prep installs packages with apt, which this machine does not have: " +
                              target::install_headers("/", needs.release));
        return kFailed;
    }
    tell_archive(needs);
    print_served(files);
    if (packages.empty() && files.empty()) return kFailed;
    const Download download = packages.empty() ? Download{} : download_of(packages);
    if (!packages.empty()) print_output("\nTo fetch:" + joined(packages) + "\n");
    if (download.packages)
        print_output("With what they need: " + std::to_string(download.packages) +
                     (download.packages == 1 ? " package, " : " packages, ") + size_text(download.bytes) + "\n");
    flush_output();
    if (options.only_say) return kFailed;
    if (!options.yes) {
        if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
            print_output("'stap-prep -y' installs it.\n");
            return kFailed;
        }
        if (!packages.empty() && !options.to_cache && geteuid() != 0) return tell_how(packages);
        if (!confirmed()) return kFailed;
    }
    const bool fetched = fetch_served(files, options);
    if (options.to_cache && !packages.empty()) return fetch_to_cache(needs) == 0 && fetched ? 0 : kFailed;
    if (!packages.empty() && geteuid() != 0) return tell_how(packages);
    const int status = packages.empty() ? 0 : install(packages);
    if (status != 0) return status;
    Diagnostics later;
    return lacks(find_needs(options, later)) ? kFailed : 0;
}

}  // namespace tapir::prep
