// SPDX-License-Identifier: GPL-2.0-or-later
// The text format's bytes, made of a record of --format=json (docs/output.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tapir::guest_tests {

// "" for what goes to standard error, or is not in the text. Nothing if the text has a layout that records do not tell:
// tables, histograms and samples. Lines that are no records give "": the schema complains of them.
std::optional<std::string> record_text(std::string_view line);

}  // namespace tapir::guest_tests
