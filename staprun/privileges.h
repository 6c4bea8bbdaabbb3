// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rights of the process. When staprun is installed set-user-ID root and somebody else runs it, it becomes that user at
 * once and for good, and keeps three capabilities, none of them in effect: a file that is opened, a command that is
 * started and a signal that is sent are the caller's. A Right puts those into effect that a few calls need, while they
 * are made.
 */
#pragma once

#include "caller.h"
#include "common/program_start.h"

namespace tapir::staprun {

// First thing in main(). In a set-user-ID process: resets the caller's choices (environment, descriptors, signals,
// limits), and gives up root's identity. Does not return if that fails.
Caller enter_process();

enum class Need : uint8_t {
    Modules,  // insert and remove modules: CAP_SYS_MODULE
    Control,  // open root's control file: CAP_DAC_OVERRIDE, and for the module's own check CAP_SYS_MODULE
    Symbols,  // see addresses in /proc/kallsyms: CAP_SYSLOG
};

// While it lives, that capability is in effect. Does nothing in a process that is not set-user-ID: there all are.
class Right {
  public:
    explicit Right(Need need);
    ~Right();
    Right(const Right &) = delete;
    Right &operator=(const Right &) = delete;
};

// Gives up all capabilities but the one to remove the module and, with `keep_file_access`, the one to create further
// output files; with `keep_process_access`, those to read files of all processes. Commands started later get the user's
// full rights back through exec, as they would have had without staprun. In a set-user-ID process only the first is
// kept, and not in effect.
void drop_privileges(bool keep_file_access, bool keep_process_access);

// Gives up all of them.
void drop_all_privileges();

// A command that is started has the caller's environment, with SYSTEMTAP_MODULE added, and limit of descriptors.
void restore_caller(Program &program);

// True if a set-user-ID process keeps this variable: those for language, time zone and terminal, and for finding
// commands.
bool keeps_variable(const char *assignment);

}  // namespace tapir::staprun
