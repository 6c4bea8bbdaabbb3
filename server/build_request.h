// SPDX-License-Identifier: GPL-2.0-or-later
// A client's request for compilation: the body of POST /v1/modules. docs/server.md has the format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/outcome.h"
#include "tapir/default_limits.h"
#include "trust/tokens.h"

namespace tapir::server {

// Elements of an array, without -g: by MAXMAPENTRIES, or by a size of its own.
constexpr int64_t kMostElements = TAPIR_DEFAULT_MAXMAPENTRIES;

struct TextFile {
    std::string name;  // no '/', ends in .stp or .stpm
    std::string text;
};

struct BuildRequest {
    std::string name = "script.stp";  // what messages call the script
    std::string script;
    std::vector<std::string> arguments;
    std::vector<std::string> options;         // as stap takes them, one word each; -m, -p and -g are taken out
    std::vector<TextFile> tapsets;            // the client's own
    std::vector<std::string> tapset_sets;     // directories of the server, by their names
    std::string release, build_id, vermagic;  // of the kernel; the last two may be ""
    std::string architecture;                 // "" = the kernel's
    std::string module_name;                  // "" = made of the key
    bool guru = false;                        // -g; tapsets of the client's own need the same right
    int last_pass = 4;                        // 1..4
};

using trust::is_plain_name;

// Takes a body apart; every string of the request is free of NUL bytes and every name is plain. Else BadRequest or
// RequestOptionRefused.
Outcome<BuildRequest> parse_request(std::string_view body);

// Two requests have the same text exactly if they ask for the same.
std::string canonical(const BuildRequest &request);

}  // namespace tapir::server
