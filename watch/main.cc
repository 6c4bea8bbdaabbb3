// SPDX-License-Identifier: GPL-2.0-or-later
// stap-watch: tools that watch one machine for weeks.
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "common/files.h"
#include "common/screen.h"
#include "common/standard_output.h"
#include "watch/supervisor.h"
#include "watch/watch_options.h"
#include "watch/watch_status.h"

namespace tapir::watch {

namespace {

constexpr int kFailed = 1, kMisuse = 2;

int fail(const Fault &fault) {
    const Screen screen = screen_of(STDERR_FILENO, Coloring::Auto);
    if (screen.for_people)
        std::fputs(said(screen, Voice::Error, fault.message()).c_str(), stderr);
    else
        std::fprintf(stderr, "stap-watch: %s\n", fault.message().c_str());
    return fault.tag == FaultTag::Misuse ? kMisuse : kFailed;
}

int print(const std::string &text) {
    print_output(text);
    const Outcome<void> printed = finish_output();
    return printed ? 0 : fail(printed.fault());
}

int watch(const Options &options) {
    std::error_code error;
    std::filesystem::create_directories(options.folder, error);
    if (error) return fail({FaultTag::FileUnwritable, "'" + options.folder + "': " + error.message()});
    const FileLock lock(lock_file(options.folder), false);
    if (!lock.held())
        return fail({FaultTag::ProgramFailed, "another stap-watch watches for '" + options.folder + "'",
                     "--status tells what, --stop ends it, --folder chooses another folder"});
    Supervisor supervisor(options);
    if (const Outcome<void> good = supervisor.prepare(); !good) return fail(good.fault());
    return supervisor.run();
}

int run(const std::vector<std::string> &arguments) {
    const Outcome<Options> options = parse_options(arguments);
    if (!options) return fail(options.fault());
    switch (options->action) {
        case Options::Action::Help:
            return print(help_text());
        case Options::Action::Version:
            return print("stap-watch (Tapir) " TAPIR_VERSION "\n");
        case Options::Action::Status: {
            const Outcome<std::string> text = status_text(options->folder);
            return text ? print(*text) : fail(text.fault());
        }
        case Options::Action::Stop: {
            const Outcome<void> stopped = stop_watching(options->folder);
            return stopped ? 0 : fail(stopped.fault());
        }
        default:
            return watch(*options);
    }
}

}  // namespace

}  // namespace tapir::watch

int main(int argc, char **argv) {
    return tapir::watch::run({argv + 1, argv + argc});
}
