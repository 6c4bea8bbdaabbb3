// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of logs: the user, the permission and its object. docs/security.md has their format.
#pragma once

#include <string>
#include <string_view>

namespace tapir {

// Appends " NAME=VALUE" with the value quoted, so that no value can end the field or the line. Appends nothing if it is
// "".
void add_audit_field(std::string &line, const char *name, std::string_view value);

}  // namespace tapir
