// SPDX-License-Identifier: GPL-2.0-or-later
// The options that every tool has, besides those of its script.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tapir::tool {

enum class Group : uint8_t { Subject, Running, About };

struct DriverOption {
    std::string_view name;     // without dashes
    char letter;               // 0: none
    std::string_view metavar;  // "": it takes no value; in brackets: the value may be left out
    Group group;
    std::string_view help;
};
std::span<const DriverOption> driver_options();

// The value of an option in brackets if it is left out: the first of "[A|B]", else "default".
std::string left_out(const DriverOption &option);

// Null: no tool has it.
const DriverOption *find_driver_option(std::string_view name);

// True for names and letters that scripts may not take: those of driver options, and those kept for them.
bool is_driver_name(std::string_view name);
bool is_driver_letter(char letter);

}  // namespace tapir::tool
