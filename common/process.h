// SPDX-License-Identifier: GPL-2.0-or-later
// A program that runs, with pipes that are not waited for.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "common/outcome.h"
#include "common/program_start.h"

namespace tapir {

// How a process ended.
struct Ending {
    int status = 0;  // its exit status
    int signal = 0;  // that killed it, 0 = none

    bool good() const { return status == 0 && signal == 0; }
    // As shells have it: the exit status, or 128 + the signal.
    int code() const { return signal ? 128 + signal : status; }
    // In words of the field: "with status 3", "with signal 9 (Killed)"; "" for success.
    std::string words() const;
};

// The ending that a status from waitpid(2) stands for.
Ending ending_of(int wait_status);

class Process {
  public:
    Process() = default;
    // Kills one that runs, and waits for that.
    ~Process() { kill(); }
    Process(const Process &) = delete;
    Process &operator=(const Process &) = delete;

    // Starts a program; this object must have none. Else ProgramMissing, ProgramRefused or ProgramNotStarted; errno
    // says why, too.
    Outcome<void> start(const Program &program);

    bool started() const { return pid_ > 0; }
    bool ended() const { return ended_; }
    bool alive() const { return started() && !ended_; }
    pid_t id() const { return pid_; }
    // Call it only after the program has ended.
    const Ending &ending() const { return ending_; }

    // Descriptors for poll(); -1 where there is nothing to wait for.
    int input_descriptor() const { return sent_ < pending_.size() || close_input_ ? input_.get() : -1; }
    int output_descriptor() const { return descriptor(1); }
    int errors_descriptor() const { return descriptor(2); }

    // Queues bytes for a standard input that is a pipe; a view has to last until they are written.
    void send(const std::string &bytes);
    void send_view(std::string_view bytes);
    // Standard input ends after the queued bytes.
    void end_input();
    // Writes as much as fits now and returns the number of bytes. If the reader has gone, drops the rest without
    // SIGPIPE.
    size_t write();
    // Append available output to `text`. False if there is none now, or if the stream has ended.
    bool read_output(std::string &text) { return read(1, text); }
    bool read_errors(std::string &text) { return read(2, text); }
    // Waits up to `wait_ms` (-1: without limit) for something in the streams that are collected, and takes it. False
    // when all of them have ended.
    bool collect(int wait_ms);

    // Takes the ending if there is one. True when that is news.
    bool reap();
    // Waits until it has ended, at most that long (negative: without limit). False: it still runs.
    bool wait(std::chrono::milliseconds at_most = std::chrono::milliseconds(-1));
    // Sends a signal to the program, and to its children if it has a group of its own.
    void signal(int number);
    // Ends it at once and waits for that.
    void kill();
    // Resets the object for another program. Its program must have ended, or never started.
    void forget();
    // Leaves it to run, and the caller to wait for it; its pipes are closed.
    pid_t release();

  private:
    int descriptor(int number) const;
    bool read(int number, std::string &text);
    void take_ending(int wait_status);

    pid_t pid_ = 0;
    bool group_ = false;
    bool ended_ = false;
    Ending ending_;
    bool close_input_ = false;
    Descriptor input_;
    std::vector<ProgramStart::PipeEnd> pipes_;  // the pipes to its descriptors
    std::string own_;
    std::string_view pending_;
    size_t sent_ = 0;
};

}  // namespace tapir
