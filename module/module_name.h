// SPDX-License-Identifier: GPL-2.0-or-later
// Names that modules can have.
#pragma once

#include <cstddef>
#include <string_view>

namespace tapir {

// The longest name that the kernel takes for a module (MODULE_NAME_LEN of 64-bit machines, less a NUL).
inline constexpr size_t kMaxModuleName = 55;
inline constexpr std::string_view kModuleNameRule = "1-55 characters of a-z, A-Z, 0-9 and _";

// True if a module of ours can have this name: kModuleNameRule.
inline bool is_module_name(std::string_view name) {
    return !name.empty() && name.size() <= kMaxModuleName &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
               std::string_view::npos;
}

}  // namespace tapir
