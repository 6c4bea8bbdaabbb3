// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of logs that say who was allowed what. docs/security.md has their format.
#pragma once

#include <string>
#include <string_view>

namespace tapir {

// Appends " NAME=VALUE" with the value quoted, so that whatever stands in it cannot end it or the line; nothing when it
// is "".
void add_audit_field(std::string &line, const char *name, std::string_view value);

}  // namespace tapir
