// SPDX-License-Identifier: GPL-2.0-or-later
// Checks the target of a run before anything is built.
#include <cstdio>
#include <filesystem>

#include "base/help.h"
#include "common/command_words.h"
#include "common/files.h"
#include "common/find_program.h"
#include "common/process_id.h"
#include "driver/program_run.h"

namespace tapir::driver {

// The program of a command that staprun starts itself; "" of one that it leaves to a shell.
static std::string plain_program(const std::string &command) {
    std::vector<std::string> words;
    return split_words(command, words) ? words.front() : "";
}

static std::string advice_for_command(const std::string &program, FaultTag tag) {
    std::error_code error;
    if (tag == FaultTag::ProgramRefused)
        return "'chmod +x' makes a program of a file; a script can be given to its interpreter";
    if (program.find('/') == std::string::npos)
        return is_file("./" + program) ? "for the file in this directory, write ./" + program : "install it";
    return "a path that does not begin with '/' begins here, in " + std::filesystem::current_path(error).string();
}

bool ProgramRun::check_target() {
    const bool here = options().action == Action::Script && last_pass_ == 5 && options().release.empty() &&
                      !options().vm && !options().bundle;
    if (!here) return true;
    std::string why;
    if (options().target_pid > 0) why = why_no_process(options().target_pid);
    if (!why.empty()) diagnostics().report(Tag::UsageError, "-x: " + why + ".");
    const std::string program = plain_program(options().command);
    if (!program.empty())
        if (const Outcome<std::string> found = find_program(program); !found)
            add_help(diagnostics().report(Tag::UsageError, "-c: " + found.fault().text + "."),
                     advice_for_command(program, found.fault().tag));
    flush_messages();
    return !diagnostics().has_errors();
}

}  // namespace tapir::driver
