// SPDX-License-Identifier: GPL-2.0-or-later
// The dtrace command: a header or an object from files that declare marks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/outcome.h"

namespace tapir::sdt {

struct Options {
    enum class Make : uint8_t { Nothing, Header, Object };

    Make make = Make::Nothing;
    std::vector<std::string> sources;  // -s; "-" is standard input
    std::string output;                // -o; "" = the first source's name with another suffix, in the working directory
    bool preprocess = false;           // -C
    std::vector<std::string> for_preprocessor;  // -I, -D and -U, one word each
    bool types = false;
    bool keep = false;  // temporary files
    bool m32 = false;   // an object for 32 bits
    bool help = false, version = false;

    std::string output_path() const;
};

extern const char *const kUsage;

// Reads the words behind the command's name; else Misuse.
Outcome<Options> read_options(const std::vector<std::string> &words);

// Makes what the options ask for. False if a source is wrong, of which standard error has the messages.
Outcome<bool> run(const Options &options);

}  // namespace tapir::sdt
