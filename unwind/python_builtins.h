// SPDX-License-Identifier: GPL-2.0-or-later
// Functions in C that CPython and its extension modules give programs, by the names that programs know. Files have no
// symbols of them where they are stripped, but the interpreter finds them by tables: PyMethodDef, PyTypeObject,
// PyType_Spec, PyModuleDef (Python/C API Reference Manual, "Common Object Structures", "Type Objects", "Module
// Objects").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "unwind/elf_file.h"

namespace tapir::unwind {

struct Builtin {
    uint64_t start = 0, end = 0;  // places in the file, end exclusive
    std::string name;             // "Pattern.match", "math.sqrt", "sorted"
};

// Ascending. Empty for a file that is neither. The file is not trusted; for one that is made to be slow, returns the
// builtins found until then.
std::vector<Builtin> python_builtins(Image &image);

}  // namespace tapir::unwind
