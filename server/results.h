// SPDX-License-Identifier: GPL-2.0-or-later
// Compiled modules, kept for later requests of the same; several servers may share the directory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/outcome.h"

#include "build/cache.h"

namespace tapir::server {

struct Result {
    std::string key;  // 64 hexadecimal digits: of the request and all it depends on
    std::string name;
    std::string release, architecture, vermagic;
    std::string build;     // `uname -v` of the kernel, "" if its headers do not have it
    std::string sha256;    // of the module
    std::string messages;  // stderr of stap
    std::string output;    // its stdout, of passes 1 to 3
    bool guru = false;     // the right that a client needs to get it
    std::vector<std::string> tapset_sets;
    std::string module;  // "" of passes 1 to 3
};

bool is_key(std::string_view text);

std::string serialize(const Result &result);
std::optional<Result> parse_result(std::string_view bytes);

class Results {
  public:
    Results(const std::string &directory, uint64_t limit_bytes);

    // Whole and undamaged, or nothing. A file that somebody put there, or a link to one, is not taken.
    std::optional<Result> find(const std::string &key);
    // The reason it was not kept, or "".
    Outcome<void> store(const Result &result);

  private:
    std::string directory_;
    uint64_t limit_;
};

}  // namespace tapir::server
