// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs that work on what clients sent run in a sandbox of bubblewrap's: namespaces of their own for users,
 * processes, network, IPC, host name and control groups, no capability, of the machine's files /usr and what is named,
 * read-only, and a temporary file system of limited size. Nothing they write is on a disk but in directories that are
 * named; what they make comes back through a pipe.
 */
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "server/build_request.h"
#include "server/memory_group.h"

namespace tapir::server {

struct Limits {
    uint64_t wall_s = 60;
    uint64_t cpu_s = 60;                  // of each process
    uint64_t memory_bytes = 4ull << 30;   // of all together, with files in memory; only with control groups
    uint64_t address_bytes = 4ull << 30;  // of each process
    uint64_t file_bytes = 256ull << 20;   // of each file
    uint64_t processes = 64;              // at once
                                          // (the kernel does not hold root to it: never run a sandbox as root)
    uint64_t temporary_bytes = 512ull << 20;
    uint64_t result_bytes = 64ull << 20;  // what it makes
    uint64_t message_bytes = 1ull << 20;  // of stderr, and of stdout
};

struct SandboxBind {
    std::string from = {};  // absolute; "" = an empty directory
    std::string to = {};    // "" = the same
    bool writable = false;
    bool optional = false;  // it is fine if it is not there
};

struct SandboxJob {
    std::vector<std::string> command;  // argv[0] with its path
    std::string result;                // file whose bytes are wanted if the command succeeds; "" = none
    std::vector<TextFile> files;       // made below /tmp/work, which is the working directory
    std::vector<SandboxBind> binds;
    std::vector<std::string> environment;  // NAME=VALUE; beside these there are PATH, HOME and LC_ALL
    Limits limits;
    const MemoryGroups *groups = nullptr;                   // where memory is limited; nullptr: for each process only
    std::function<void(std::string_view line)> on_message;  // a line of stderr, as it comes; may be empty
    std::function<bool()> cancelled;                        // asked several times a second; may be empty
};

struct SandboxOutcome {
    int status = -1;          // exit status; 128 + N of a signal
    Outcome<void> completed;  // else a limit that was exceeded, Cancelled or SandboxFailed
    std::string result, output, messages;

    bool ok() const { return status == 0 && completed; }
};

// The arguments of bwrap. `descriptors`: of the files, in their order.
std::vector<std::string> sandbox_arguments(const SandboxJob &job, const std::vector<int> &descriptors);

// Waits until all processes of the job are gone.
SandboxOutcome run_in_sandbox(const SandboxJob &job);

// SandboxFailed, with what to do, if sandboxes do not work on this machine.
Outcome<void> try_sandbox();

}  // namespace tapir::server
