// SPDX-License-Identifier: GPL-2.0-or-later
// Names that the kernel's own modules have.
#pragma once

#include <string>
#include <string_view>

namespace tapir::staprun {

// True if `list`, the text of modules.dep or modules.builtin, has a module of that name. '-' and '_' are the same, as
// they are for the kernel. Modules in the directories tapir and systemtap do not count as the kernel's.
bool lists_module(std::string_view list, std::string_view name);

// True if a module of that name belongs to the kernel whose modules are in `directory` (/lib/modules/RELEASE).
// Unreadable lists have none.
bool is_kernel_module(const std::string &directory, const std::string &name);

}  // namespace tapir::staprun
