// SPDX-License-Identifier: GPL-2.0-or-later
// Build-ids, which identify one build of a program or kernel.
#pragma once

#include <string>
#include <string_view>

namespace tapir {

// The build-id among ELF notes of a 64-bit object, in lower-case hexadecimal; "" when they have none.
std::string build_id_of_notes(std::string_view notes);
// The build-id of an open ELF file; "" for a file without one, and for files of other kinds.
std::string build_id_of_file(int fd);
// Where packages of debug symbols keep the file of a build, which need not be there. `id` has at least three digits.
std::string debug_file_of_build(std::string_view id, std::string_view directory = "/usr/lib/debug");

}  // namespace tapir
