// SPDX-License-Identifier: GPL-2.0-or-later
// Captures of which all sums are known, for tests.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "capture/capture_records.h"
#include "capture/capture_writer.h"

namespace tapir::capture {

// Writes stacks of named functions, root first, with objects and names as they come.
class KnownCapture {
  public:
    explicit KnownCapture(Write write) : writer_(std::move(write)) {}

    Writer &writer() { return writer_; }
    // "main" is in /usr/bin/server, "libc.so.6!read" in /usr/lib/libc.so.6, "k!vfs_read" in the kernel; "!libc.so.6"
    // has no name. Root first. The number of the stack.
    uint64_t stack(const std::vector<std::string> &root_first, End user = End::Complete);
    // Files whose names begin so are the interpreter. Before they are first named.
    void has_interpreter(const Interpreter &interpreter, const std::string &files) {
        writer_.interpreter(interpreter);
        interpreters_.emplace_back(files, interpreter.number);
    }
    // How programs of an interpreted language call what is at a frame.
    void has_builtin(const std::string &at, const std::string &name) { writer_.name(frame(at), {}, name); }
    void sample(const std::vector<std::string> &root_first, uint64_t count, int64_t sum, std::vector<Label> labels = {},
                uint64_t time = 0);

  private:
    Frame frame(const std::string &text);
    uint32_t object(const std::string &path);

    Writer writer_;
    std::vector<std::string> objects_, texts_;
    std::vector<std::pair<std::string, uint32_t>> interpreters_;
    std::vector<std::vector<std::string>> stacks_;
};

std::vector<Label> thread_labels(int64_t pid, int64_t tid, const std::string &comm);

// How NAME is written; false if there is none of that name. testsuite/report/make_capture.cc lists them.
bool write_known(const std::string &name, Write write);

}  // namespace tapir::capture
