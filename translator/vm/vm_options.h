// SPDX-License-Identifier: GPL-2.0-or-later
// The options of a run in a guest, and stap-vm's command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "vm/packages.h"

namespace tapir::vm {

// Tcg emulates all processors in one thread of the host, TcgThreads each in its own. The latter is parallel, but
// QEMU 7.2 then loses an instruction the kernel has patched now and then: every processor that comes by runs the
// breakpoint that is no longer there, forever. Attaching probes to busy functions meets that once in some hundred
// times.
enum class Acceleration : uint8_t { Auto, Kvm, Tcg, TcgThreads };

// A directory of the host that the guest may write to.
struct SharedDir {
    std::string host_path;   // absolute
    std::string guest_path;  // absolute
};

// A TCP port of the host whose connections reach one of the guest.
struct ForwardedPort {
    std::string address = "127.0.0.1";  // of the host, IPv4 in digits
    uint16_t host = 0, guest = 0;
};

struct VmOptions {
    std::string release;        // "" = the distribution's newest kernel
    std::string root = "/";     // shown read-only; what the guest writes is gone when it ends
    unsigned cpus = 2;          // 1..255
    unsigned memory_mb = 1024;  // at least 256
    unsigned timeout_s = 0;     // for the command, 0 = none; SIGTERM first, two seconds later the guest is stopped
    unsigned hang_s = 60;       // without a sign of life of its user space a guest counts as hung
    std::string append;         // further kernel parameters
    std::vector<SharedDir> shares;
    std::vector<ForwardedPort> forwards;   // any: the guest has a network interface, which leads nowhere else
    std::vector<std::string> environment;  // NAME=VALUE, on top of what is always passed on
    std::string directory;                 // working directory in the guest, "" = this process's
    bool terminal = false;                 // the command gets a pseudo terminal; stdout and stderr are one then
    bool with_stdin = true;                // false: the command's stdin is /dev/null
    bool full_boot = false;                // boot the packed kernel through the firmware: slower, with KASLR
    Acceleration acceleration = Acceleration::Auto;
    std::string console;  // the guest's console goes to this file, "" = kept for error messages only
    bool verbose = false;
    bool with_headers = false;  // modules will be built: a build tree is fetched as well
    Progress progress;          // told about downloads and the like
};

// Exit statuses that are not the command's. They are those of timeout(1) and its kin, so scripts know them.
inline constexpr int status_guest_died = 123;  // panic, unexpected reset or a hang
inline constexpr int status_timed_out = 124;
inline constexpr int status_not_started = 125;  // usage, no kernel, no QEMU, no boot
// 126 and 127: the command could not be executed or was not found in the guest.

enum class CommandLineAction : uint8_t { Run, Help, Version, PrintKernel };

struct CommandLine {
    CommandLineAction action = CommandLineAction::Run;
    VmOptions options;
    bool with_debug = false;                 // PrintKernel: fetch debug information as well
    std::vector<std::string> debug_modules;  // and that of these modules
    std::vector<std::string> command;
};

// Parses argv[1..] of stap-vm; options end at `--` or at the first word that is none. Reports usage errors.
CommandLine parse_command_line(const std::vector<std::string> &arguments, Diagnostics &diagnostics);

std::string help_text();

// "DIR" or "DIR:GUESTPATH" of --share; reports a directory that is not there.
bool parse_share(const std::string &text, SharedDir &share, Diagnostics &diagnostics);

}  // namespace tapir::vm
