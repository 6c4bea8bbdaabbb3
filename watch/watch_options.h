// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/outcome.h"
#include "watch/kept_captures.h"
#include "watch/pressure.h"

namespace tapir::watch {

// A tool and its options, "oncpu -p 4711".
struct Wanted {
    std::string name;  // of its folder, and of its sessions in messages: "oncpu-p-4711"
    std::vector<std::string> words;
};

struct Options {
    enum class Action : uint8_t { Watch, Status, Stop, Help, Version } action = Action::Watch;
    std::vector<Wanted> tools;
    std::string folder;
    uint64_t every_ms = 600'000;  // the length of a session
    uint64_t hz = 19;             // of tools that sample by a clock
    std::string budget = "0.2%";  // of all tools together; "": none
    // The part of one tool, as for --budget; "": none.
    std::string budget_of_one() const;
    std::vector<Pressure> on;  // sessions begin at any of them; empty: at once
    Keeping keeping;
};

// Misuse.
Outcome<Options> parse_options(const std::vector<std::string> &arguments);
std::string help_text();

// "500ms", "90s", "10m", "2h", "7d" in milliseconds; without a unit, seconds.
std::optional<uint64_t> read_duration(const std::string &text);

}  // namespace tapir::watch
