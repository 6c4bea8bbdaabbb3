// SPDX-License-Identifier: GPL-2.0-or-later
// Where script output goes: stdout, a file, a series of files, or files per CPU.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "common/outcome.h"
#include "common/patient_write.h"

namespace tapir::staprun {

// A descriptor for the same stdout that does not block, where that is possible without changing the file for others who
// have it open: pipes and terminals are opened again. Otherwise `fd` itself.
int open_unblocking(int fd);

struct OutputSettings {
    std::string file;  // pattern; empty = stdout
    bool bulk = false;
    uint64_t rotate_bytes = 0;
    uint64_t rotate_files = 0;
};

class Output {
  public:
    Output(const OutputSettings &settings, WaitWritable wait);
    ~Output();
    Output(const Output &) = delete;
    Output &operator=(const Output &) = delete;

    // Opens what can be opened now; else SetUpFailed.
    Outcome<void> open();

    // Before open(): the file that was named is for something else, and the output for stdout.
    void leave_file() { settings_.file.clear(); }

    // One record's payload, from that CPU. Buffered; false once that CPU's output has failed (the bytes are counted as
    // lost). Files of other CPUs go on.
    bool write(unsigned cpu, std::string_view data);
    bool flush();
    // Parts what follows from what was printed, if anything was, by an empty line.
    void part();
    // SIGUSR2. False when there is no file to switch.
    bool switch_files();

    int stdout_descriptor() const;           // to watch for its reader going away; -1 when output goes to files
    bool failed() const { return failed_; }  // any of it
    bool reader_gone() const { return reader_gone_; }  // failed because the other end of stdout was closed
    const std::string &failure() const { return failure_; }
    void set_reader_gone();
    uint64_t bytes_written() const { return bytes_written_; }
    uint64_t bytes_lost() const { return bytes_lost_; }
    // The first file's name after strftime; empty for stdout.
    const std::string &first_name() const { return first_name_; }

  private:
    struct Target {
        int fd = -1;
        bool failed = false;  // takes no more
        int cpu = -1;         // -1 = all
        uint64_t number = 0;  // of the current file
        uint64_t size = 0;    // bytes in the current file, buffered ones included
        std::string name;     // of the current file
        std::string buffer;
        std::deque<std::string> kept;  // finished files that -S N counts
    };

    std::string file_name(const Target &target) const;
    bool open_file(Target &target, bool append);
    bool next_file(Target &target);
    bool flush(Target &target);
    void fail(Target &target, const std::string &failure);
    Target &target_for(unsigned cpu);

    OutputSettings settings_;
    WaitWritable wait_;
    std::map<int, std::unique_ptr<Target>> targets_;
    std::string first_name_;
    std::string failure_;
    uint64_t bytes_written_ = 0;
    uint64_t bytes_lost_ = 0;
    bool failed_ = false;
    bool reader_gone_ = false;
};

}  // namespace tapir::staprun
