// SPDX-License-Identifier: GPL-2.0-or-later
// Advice on options that do not exist, and on values that an option does not take.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::driver {

// "--dump-function" as " (similar: --dump-functions)": near names, and those that begin so.
std::string similar_options(const std::string &token);

// Returns advice on an unknown option. `argument` is it as typed; `script` is the script that stands before it
// as a shell takes it, "a.stp", whose argument it may be meant to be; or empty. "" when nothing is known.
std::string advice_for_option(std::string_view token, const std::string &argument, const std::string &script);

// Returns advice for a `value` that is not a process ID.
std::string advice_for_process(std::string_view option, const std::string &value);

// Returns advice for a `value` that is not a number of seconds: "-T 300" for 5m.
std::string advice_for_seconds(const std::string &value);

// Why an option cannot be given twice, with these values; nothing if it may be, or if it is the same one twice.
std::optional<std::string> why_not_twice(std::string_view option);

}  // namespace tapir::driver
