// SPDX-License-Identifier: GPL-2.0-or-later
// The statement that a signature makes about a module. docs/signatures.md has the format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/outcome.h"

namespace tapir::trust {

// The users who may run a module that has a good signature; each audience includes those after it.
enum class Audience : uint8_t { Users, System, Developers };

const char *group_of(Audience audience);  // "stapusr", "stapsys", "stapdev"
bool parse_audience(std::string_view group, Audience &out);

struct Manifest {
    std::string sha256;  // of the whole module file, 64 hexadecimal digits
    std::string name;
    std::string release;  // `uname -r`
    std::string build;    // `uname -v`; "" when the module does not tell
    std::string architecture;
    unsigned abi = 0;
    Audience audience = Audience::Developers;
    std::string uses;                       // "guru", ...; "" = nothing that has to be mentioned
    std::string requester;                  // who asked for the signature
    int64_t not_before = 0, not_after = 0;  // seconds since 1970
    std::string id;                         // 32 hexadecimal digits, another one for each signature
};

constexpr size_t kMaxManifest = 4096;

// Text that a line of a manifest can hold: printable ASCII, at most 512 bytes; anything else becomes '?'.
std::string printable(std::string_view text);

std::string print(const Manifest &manifest);
// Accepts exactly what print() writes.
Outcome<Manifest> parse(std::string_view text);

// "2026-11-23T02:00:00Z"
std::string print_time(int64_t seconds);

}  // namespace tapir::trust
