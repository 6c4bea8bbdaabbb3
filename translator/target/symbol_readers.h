// SPDX-License-Identifier: GPL-2.0-or-later
// Reads function names from the places a kernel leaves them. Every reader gives the names as found, unsorted and with
// repetitions, or none when the place is not there or holds none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tapir::target {

// Lines "ADDRESS TYPE NAME [module]" of kallsyms or a System.map; symbols of modules are left out.
std::vector<std::string> read_symbol_lines(const std::string &path);
// Likewise of kallsyms, those of one module, by its name in the kernel.
std::vector<std::string> read_module_symbol_lines(const std::string &path, std::string_view module);

// An ELF file's .symtab. The file may be a compressed boot image; such an image has its kallsyms tables instead.
std::vector<std::string> read_kernel_file(const std::string &path);

// The functions of an ELF file's .BTF. They are fewer: of several symbols of one address BTF knows one.
std::vector<std::string> read_btf_functions(const std::string &path);

// Returns the bytes of a section of an ELF file, which may be a compressed boot image or module; "" if the section is
// missing. `unpacked` is set if unpacking took time.
std::string read_section(const std::string &path, const char *name, bool &unpacked);

// The kallsyms tables in the memory image of a 64-bit little-endian kernel; none when they do not look as expected.
std::vector<std::string> read_kallsyms_tables(std::string_view image);

}  // namespace tapir::target
