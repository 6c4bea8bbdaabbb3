// SPDX-License-Identifier: GPL-2.0-or-later
// Records of a capture, after decompression.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/capture_format.h"
#include "capture/capture_reader.h"

namespace tapir::capture {

class Parser {
  public:
    explicit Parser(Capture &capture) : capture_(capture) {}

    // The records of one block. False: they are damaged, and nothing can be read from here on.
    bool block(std::string_view bytes);
    // Why block() was false; "" if the records make no sense.
    const std::string &problem() const { return problem_; }
    bool ended() const { return ended_; }
    // About how many bytes of memory the capture takes.
    uint64_t memory() const { return memory_; }
    // The samples' stacks are looked up.
    void finish();

  private:
    // Reads of `rest_`; beyond its end they give 0 and set `failed_`.
    uint8_t byte();
    uint64_t number();
    int64_t signed_number();
    uint32_t number32();
    std::string_view bytes(uint64_t count);
    std::string string();
    // How many things of at least one byte each follow. Beyond the limit problem() says so, with the name of these.
    size_t count(size_t limit, const char *things);
    Frame frame(uint64_t &last_address);
    std::vector<std::string> cells();

    void record(RecordType type);
    void meta();
    void object();
    void interpreter();
    void stack();
    void name();
    void sample();
    void probe();
    void loss();
    void message();
    void table();
    void row();
    void end();

    Capture &capture_;
    std::vector<std::string> strings_;
    std::unordered_map<std::string, size_t> tables_;  // by their heads
    size_t table_ = SIZE_MAX;                         // of the next row
    uint64_t rows_ = 0;
    std::string_view rest_;
    uint64_t records_ = 0;
    uint64_t memory_ = 0;
    bool failed_ = false;
    std::string problem_;
    bool ended_ = false;
};

}  // namespace tapir::capture
