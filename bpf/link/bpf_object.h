// SPDX-License-Identifier: GPL-2.0-or-later
// An object file of tapir-bpf-compile, taken apart.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bpf/link/bpf_instruction.h"

namespace tapir::bpf {

// A place that holds the address of a symbol or of a section, plus something.
struct Reference {
    uint64_t at = 0;     // in code: the number of the instruction; in data: the byte
    std::string symbol;  // or
    int section = -1;    // the number of a data section of the same object
    int64_t addend = 0;
};

struct Function {
    std::string name;
    Code code;
    std::vector<Reference> references;  // ascending
    unsigned registers = 0;             // that it is called with
    bool framed = false;                // the last of them is its frame (bpf/compile/lowering.h)
    unsigned frame_bytes = 0;
    bool returns = false;
    unsigned stack_bytes = 0;  // of BPF's own stack
};

struct Section {
    std::string bytes;
    uint64_t align = 1;
    std::vector<Reference> references;
};

struct Symbol {
    int section;
    uint64_t offset;
};

struct Object {
    std::vector<Function> functions;
    std::vector<Section> data;
    std::map<std::string, Symbol> symbols;  // of data
};

// False: `error` says what is wrong with the file.
bool read_object(const std::string &path, Object &out, std::string &error);

}  // namespace tapir::bpf
