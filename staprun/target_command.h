// SPDX-License-Identifier: GPL-2.0-or-later
// The target command of -c and the commands of system().
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/outcome.h"
#include "common/program_start.h"

namespace tapir::staprun {

// SetUpFailed if the program of a command cannot be run, as far as a check without running it shows.
Outcome<void> check_command(const std::string &command);

// A program that is started in two steps: its process is there before the probes are, so that it misses none of them,
// and becomes the program when it is released. A Process (common/process.h) cannot wait like that. Until exec it uses
// its maker's memory, and its maker stands still. The way from fork to exec is the same (ProgramStart).
class TargetCommand {
  public:
    TargetCommand() = default;
    ~TargetCommand();
    TargetCommand(const TargetCommand &) = delete;
    TargetCommand &operator=(const TargetCommand &) = delete;

    // Before prepare(): where its standard output goes.
    void set_output(const Stream &output) { output_ = output; }
    // Forks a process that waits for release() before it becomes the command; else SetUpFailed. `unprivileged`:
    // set-user-ID programs run with the rights of their caller.
    Outcome<void> prepare(const std::string &command, bool unprivileged = false);
    // Without input, its standard input is empty.
    void release(bool with_input = true);
    // Takes its status if it has ended. To be called after SIGCHLD.
    void reap();
    // Ends a command that still runs: SIGTERM, a second later SIGKILL. One never released just goes away.
    void terminate();

    pid_t pid() const { return pid_; }
    bool ended() const { return ended_; }
    // Lets it live on after this object.
    void forget();
    // Returns Ending::words() after the command ended by itself. A terminated command is no failure.
    const std::string &failure() const { return failure_; }

  private:
    Stream output_ = Stream::inherited();
    pid_t pid_ = 0;
    int gate_ = -1;  // write end of the pipe the child waits on
    bool released_ = false;
    bool ended_ = false;
    std::string failure_;
};

class ShellCommands {
  public:
    // Before run(): where the standard output of commands goes.
    void set_output(const Stream &output) { output_ = output; }
    // Starts `sh -c command`; does not wait. Without input, its standard input is empty. Else SetUpFailed.
    Outcome<void> run(const std::string &command, bool with_input = true);
    void reap();
    size_t running() const { return running_.size(); }

  private:
    std::vector<pid_t> running_;
    Stream output_ = Stream::inherited();
};

}  // namespace tapir::staprun
