// SPDX-License-Identifier: GPL-2.0-or-later
#include "session_picture.h"

#include <unistd.h>

#include "capture/picture_files.h"
#include "common/find_program.h"
#include "common/plain_text.h"
#include "common/run_program.h"
#include "privileges.h"

namespace tapir::staprun {

bool wants_picture(const Options &options) {
    return !options.bulk && capture::names_picture(options.output_file);
}

bool wants_summary(const Options &options) {
    return options.form == TAPIR_FORM_TEXT && options.output_file.empty() && options.record_file.empty() &&
           !options.bulk && !options.load_only && !options.daemon;
}

std::string left_text(const std::string &what) {
    return "there is no " + what +
           ": the session goes on, and staprun leaves it before its samples can be read. SIGINT ends a session and "
           "keeps "
           "them";
}

Outcome<std::string> find_report() {
    if (const std::string beside = program_beside("stap-report"); !beside.empty()) return beside;
    Outcome<std::string> found = find_program("stap-report", {search_path()});
    if (found) return found;
    return Fault{FaultTag::ProgramMissing,
                 "there is no stap-report here, which makes pictures; write a capture with --record FILE, and run "
                 "stap-report FILE where it is installed"};
}

Outcome<int> make_picture(const std::string &report, int capture, const std::string &path,
                          const std::vector<std::string> &options) {
    if (lseek(capture, 0, SEEK_SET) < 0)
        return Fault{FaultTag::ProgramNotStarted, "the capture cannot be read from its beginning"};
    Program program{{"stap-report", "-"}, report};
    if (path.empty())
        program.argv.push_back("--accept-partial");
    else
        program.argv.insert(program.argv.end(), {"-o", path});
    program.argv.insert(program.argv.end(), options.begin(), options.end());
    program.input = Stream::descriptor(capture);
    // A signal of the terminal ends the session; its picture is made all the same.
    program.group = ProcessGroup::Own;
    restore_caller(program);
    const Outcome<Ending> ending = run_program(program);
    if (!ending) return ending.fault();
    return ending->code();
}

}  // namespace tapir::staprun
