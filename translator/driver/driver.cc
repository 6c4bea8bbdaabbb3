// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/driver.h"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>

#include "backend/launch.h"
#include "common/activity.h"
#include "common/files.h"
#include "common/find_program.h"
#include "common/quoting.h"
#include "common/standard_output.h"
#include "driver/check_tools.h"
#include "driver/format_files.h"
#include "driver/live.h"
#include "driver/program_run.h"
#include "driver/remote.h"
#include "driver/run_interactive.h"
#include "driver/shell_completion.h"
#include "driver/tapset_path.h"
#include "options/sxx_options.h"
#include "options/tell.h"
#include "target/cache_dir.h"

namespace tapir::driver {
namespace {

bool limit_resource(int resource, uint64_t soft) {
    rlimit limit = {};
    auto kind = static_cast<__rlimit_resource_t>(resource);
    if (getrlimit(kind, &limit) != 0) return false;
    limit.rlim_cur = soft;
    return setrlimit(kind, &limit) == 0;
}

void tell_rc_options(const RcFile &rc) {
    for (const RcFile::Line &line : rc.lines) {
        std::string words;
        for (const std::string &word : line.words)
            words += " " + printable(word);
        std::fprintf(stderr, "Options of %s:%u:%s\n", printable(rc.source->name()).c_str(), line.number, words.c_str());
    }
}

// "offcpu" of "/usr/bin/stap-offcpu"; "" if the program has its own name.
std::string linked_tool(std::string_view program) {
    program.remove_prefix(program.rfind('/') + 1);
    return std::string(program.starts_with("stap-") ? program.substr(5) : "");
}

// The libraries of stap++ lie beside it, in tapset/. Programs that this one starts find them, too.
void add_tapset_beside(const std::string &called) {
    const Outcome<std::string> file = find_program(called);
    const std::string tapset = file ? file->substr(0, file->rfind('/') + 1) + "tapset" : "";
    if (!is_directory(tapset)) return;
    const char *given = std::getenv("SXX_PATH");
    setenv("SXX_PATH", (given ? given + (":" + tapset) : tapset).c_str(), 1);
}

// The exit status is 1 if a tool's points are missing.
int report_tools(const Options &options, const std::vector<std::string> &directories) {
    std::vector<std::string> all = options.include_dirs;
    all.insert(all.end(), directories.begin(), directories.end());
    const std::vector<ToolVerdict> verdicts = check_tools(options, all);
    utsname running{};
    uname(&running);
    print_output(verdicts_text(verdicts, options.release.empty() ? running.release : options.release));
    return std::ranges::any_of(verdicts, [](const auto &v) { return v.state == ToolVerdict::State::Missing; });
}

// The status of a command that runs no script; nothing if it is none.
std::optional<int> act_without_script(int argc, char **argv, Options &options) {
    // A script of that name is ./report.
    const std::string_view first = argc > 1 ? argv[1] : "";
    if (first == "report" || first == "watch") {
        options.screen = choose_screen(options);
        const std::vector<std::string> words(argv + 2, argv + argc);
        return first == "report" ? run_stap_report(options, words) : run_stap_watch(options, words);
    }
    if (first == "--complete") {
        print_output(shell_completion({argv + 2, argv + argc}));
        return 0;
    }
    const std::span<char *const> given(argv + std::min(argc, 1), argv + argc);
    if (asks_to_format(given)) return format_files({given.begin() + 1, given.end()});
    return std::nullopt;
}

int act(int argc, char **argv, Options &options) {
    if (const std::optional<int> status = act_without_script(argc, argv, options)) return *status;
    Diagnostics diagnostics;
    const RcFile rc = read_rc_file(rc_path(), diagnostics);
    std::vector<std::string> words(argv + 1, argv + argc);
    const std::vector<std::string> tools = tool_path(data_root() + "/tools");
    // A link with the name stap-NAME is a tool's command; stap may have other names.
    if (const std::string name = linked_tool(argv[0]); !name.empty() && !tool::find_tool(name, tools).empty())
        words.insert(words.begin(), {"run", name});
    if (is_stapxx(argv[0])) {
        words = with_sxx(words);
        add_tapset_beside(argv[0]);
    }
    options = parse_options(words, diagnostics, rc, tools);
    // Programs that this one starts speak as it does.
    if (!options.screen.for_people && isatty(STDERR_FILENO)) setenv("TAPIR_MESSAGES", "plain", 1);
    if (diagnostics.has_errors()) {
        std::fputs(shown_text(options, diagnostics, true).c_str(), stderr);
        // No option's help says what a script should declare.
        const bool of_script =
            std::ranges::any_of(diagnostics.all(), [](const auto &report) { return report->tag == Tag::ToolHead; });
        if (options.screen.for_people)
            std::fputs(
                result_line(options.screen, "error", "Nothing ran.", of_script ? "" : "stap --help, man stap").c_str(),
                stderr);
        else if (!of_script)
            std::fputs("Try '--help' for more information.  [man stap]\n", stderr);
        return 1;
    }
    take_live_descriptor(options);
    if (isatty(STDERR_FILENO)) Activity::show_on(STDERR_FILENO);
    if (options.verbosity[0] > 0) tell_rc_options(rc);
    diagnostics.set_suppress_warnings(options.suppress_warnings);
    diagnostics.set_warnings_as_errors(options.warnings_as_errors);
    if (!options.tmpdir.empty()) setenv("TMPDIR", options.tmpdir.c_str(), 1);
    for (const auto &[resource, limit] : options.resource_limits)
        if (!limit_resource(resource, limit)) {
            tell(options, Voice::Error,
                 "Cannot set a resource limit of " + std::to_string(limit) + ": " + std::strerror(errno));
            return 1;
        }
    switch (options.action) {
        case Action::Help:
            print_output(help_text());
            return 0;
        case Action::About:
            print_output(options.about);
            return 0;
        case Action::CheckTools:
            return report_tools(options, tools);
        case Action::Version:
            print_output(version_text());
            return 0;
        case Action::Interactive:
            return run_interactive(options);
        case Action::CleanCache: {
            const Outcome<void> cleaned = build::clean_cache(target::cache_dir());
            const std::string kernels = target::cache_dir() + "/kernels";
            if (cleaned && is_directory(kernels))
                print_output(kernels + " stays, with the kernels that were downloaded.\n");
            if (cleaned) return 0;
            tell(options, Voice::Error, "Cannot remove " + cleaned.fault().message());
            return 1;
        }
        default:
            if (is_shown_live(options)) return show_live(options, {argv, argv + argc});
            if (is_pushed(options)) return push(options, {argv, argv + argc});
            return options.remote.empty() ? ProgramRun(options, diagnostics).run() : run_remote(options, diagnostics);
    }
}

}  // namespace

int run(int argc, char **argv) {
    Options options;
    const int status = act(argc, argv, options);
    const Outcome<void> printed = finish_output();
    if (printed) return status;
    tell(options, Voice::Error, printed.fault().message());
    return 1;
}

}  // namespace tapir::driver
