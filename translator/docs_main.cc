// SPDX-License-Identifier: GPL-2.0-or-later
// stap-docs: checks the doc comments of tapset libraries, and writes the reference from them.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "arch/arch.h"
#include "common/files.h"
#include "common/quoting.h"
#include "common/standard_output.h"
#include "docs/catalogue.h"
#include "docs/writers.h"
#include "target/kernel.h"

namespace {

namespace fs = std::filesystem;
using namespace tapir;

constexpr const char *kUsage =
    "Usage: stap-docs [--check] [--man DIR] [--html DIR] [--probes DIR] [--release RELEASE] [--date YYYY-MM-DD] "
    "TAPSETS...\n"
    "       stap-docs --errors DIR --man DIR [--date YYYY-MM-DD]\n"
    "Reads the tapset directories TAPSETS and their doc comments.\n"
    "  --check        say what is not documented, or not as it is; status 1 if there is anything\n"
    "  --man DIR      write man pages of section 3stap\n"
    "  --html DIR     write an HTML reference\n"
    "  --probes DIR   Markdown files on the kinds of probe points, for both\n"
    "  --errors DIR   write man pages of section 7 from the Markdown files of this directory, and nothing else\n"
    "  --release R    list the system calls of this kernel, as stap -r finds it; else those of the tables in TAPSETS\n"
    "  --date DATE    of the man pages\n";

struct Settings {
    bool check = false;
    std::string man, html, probes, errors, release, date;
    std::vector<std::string> tapsets;
};

int usage() {
    std::fputs(kUsage, stderr);
    return 2;
}

bool write_files(const std::string &directory, const docs::Files &files) {
    std::error_code error;
    fs::create_directories(directory, error);
    // Pages of names that are gone must not stay.
    for (const auto &entry : fs::directory_iterator(directory, error))
        if (entry.path().extension() == ".3stap" || entry.path().extension() == ".7" ||
            entry.path().extension() == ".html")
            fs::remove(entry.path(), error);
    for (const auto &[name, text] : files) {
        const Outcome<void> written = write_file(directory + "/" + name, text);
        if (written) continue;
        std::fprintf(stderr, "stap-docs: %s\n", written.fault().message().c_str());
        return false;
    }
    return true;
}

std::vector<docs::Chapter> read_chapters(const std::string &directory) {
    std::vector<docs::Chapter> chapters;
    std::error_code error;
    if (directory.empty()) return chapters;
    for (const auto &entry : fs::directory_iterator(directory, error))
        if (entry.path().extension() == ".md")
            chapters.push_back({entry.path().stem(), read_file(entry.path()).value_or("")});
    std::sort(chapters.begin(), chapters.end(), [](const auto &a, const auto &b) { return a.name < b.name; });
    return chapters;
}

bool parse(const std::vector<std::string> &args, Settings &settings) {
    for (size_t i = 0; i < args.size(); ++i) {
        const auto value = [&](const char *option, std::string &field) {
            if (args[i] != option || i + 1 >= args.size()) return false;
            field = args[++i];
            return true;
        };
        if (args[i] == "--check")
            settings.check = true;
        else if (value("--man", settings.man) || value("--html", settings.html) || value("--probes", settings.probes) ||
                 value("--errors", settings.errors) || value("--release", settings.release) ||
                 value("--date", settings.date))
            continue;
        else if (args[i].starts_with("-"))
            return false;
        else
            settings.tapsets.push_back(args[i]);
    }
    return settings.errors.empty() ? !settings.tapsets.empty() : !settings.man.empty() && settings.tapsets.empty();
}

// Reports a page that lacks its title or one of the sections that readers look for, and fails.
bool write_errors(const Settings &settings) {
    const std::vector<docs::Chapter> errors = read_chapters(settings.errors);
    bool good = !errors.empty();
    if (!good) std::fprintf(stderr, "stap-docs: there are no pages in %s\n", settings.errors.c_str());
    for (const docs::Chapter &error : errors)
        for (const std::string &part : {"# " + error.name + "\n", std::string("\n## Cause\n"),
                                        std::string("\n## Remedy\n"), std::string("\n## Example\n")})
            if (("\n" + error.text).find(part) == std::string::npos) {
                std::fprintf(stderr, "stap-docs: %s/%s.md lacks the line '%s'\n", settings.errors.c_str(),
                             error.name.c_str(), std::string(trim(part)).c_str());
                good = false;
            }
    return good && write_files(settings.man, docs::write_error_pages(errors, {TAPIR_VERSION, settings.date}));
}

int run(int argc, char **argv) {
    Settings settings;
    if (argc == 2 && (std::string(argv[1]) == "--help" || std::string(argv[1]) == "-h")) {
        print_output(kUsage);
        return 0;
    }
    if (!parse({argv + 1, argv + argc}, settings)) return usage();
    if (!settings.errors.empty()) return write_errors(settings) ? 0 : 1;
    library::IndexOptions options;
    options.directories = settings.tapsets;
    options.arch = arch::all().front()->name;
    Diagnostics diagnostics;
    std::optional<target::Kernel> kernel;
    if (!settings.release.empty()) kernel = target::find_kernel(settings.release, {}, diagnostics);
    const docs::Catalogue catalogue = docs::read_library(options, kernel ? &*kernel : nullptr, diagnostics);
    std::fputs(render_all(diagnostics, false).c_str(), stderr);
    if (diagnostics.has_errors()) return 1;
    if (catalogue.families.empty()) {
        std::fputs("stap-docs: there are no tapsets\n", stderr);
        return 1;
    }
    if (settings.check) {
        for (const docs::Problem &problem : catalogue.problems)
            print_output(problem.file + ":" + std::to_string(problem.line) + ": " + problem.text + "\n");
        if (!catalogue.problems.empty()) return 1;
    }
    const docs::Reference reference{catalogue, read_chapters(settings.probes), {TAPIR_VERSION, settings.date}};
    if (!settings.man.empty() && !write_files(settings.man, docs::write_man(reference))) return 1;
    if (!settings.html.empty() && !write_files(settings.html, docs::write_html(reference))) return 1;
    return 0;
}

}  // namespace

int main(int argc, char **argv) {
    const int status = run(argc, argv);
    const Outcome<void> printed = finish_output();
    if (printed) return status;
    std::fprintf(stderr, "stap-docs: %s\n", printed.fault().message().c_str());
    return 1;
}
