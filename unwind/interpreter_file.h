// SPDX-License-Identifier: GPL-2.0-or-later
// Finds files that are interpreters of other languages, by their symbols.
#pragma once

#include <tapir/wire.h>

#include <string>
#include <vector>

#include "unwind/elf_file.h"

namespace tapir::unwind {

// As struct tapir_interpreter has it.
struct Interpreter {
    std::string name, known, files, loop;  // the files' names without versions, separated by spaces
    std::vector<std::string> variables;    // the first one identifies it
};

// Returns a file's interpreter: the first whose first variable it defines, or number 0. Trusts nothing in the file.
tapir_file_interpreter interpreter_of(Image &image, const std::vector<Interpreter> &interpreters);

// Guesses by name: the interpreter whose files have this name, before a version; numbered from 1. 0 if none has.
struct Alike {
    uint32_t number = 0;
    bool starts = false;  // it gets the interpreter from a library that has such a name, too
};
Alike interpreter_alike(Image &image, const std::string &path, const std::vector<Interpreter> &interpreters);

}  // namespace tapir::unwind
