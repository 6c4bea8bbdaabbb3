// SPDX-License-Identifier: GPL-2.0-or-later
// Gives a linked module its name.
#pragma once

#include <string>
#include <string_view>

#include "common/outcome.h"

namespace tapir::build {

// Overwrites every occurrence of `placeholder` in a 64-bit little-endian ELF file with `name`, which must not be
// longer. Where text follows the placeholder within the same string it moves up to the name and the string is padded
// with NULs; in string tables the padding comes right after the name, because other names may share their ends. Else
// ModuleNotNamed: the file is not ELF, or struct module does not hold the placeholder.
Outcome<void> rename_module(std::string &elf, std::string_view placeholder, std::string_view name);

}  // namespace tapir::build
