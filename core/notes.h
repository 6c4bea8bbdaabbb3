// SPDX-License-Identifier: GPL-2.0-or-later
// The notes of a core file, which describe the process (core(5), the kernel's fs/binfmt_elf.c). Their contents are not
// trusted.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/c/core_machine.h"

namespace tapir::core {

struct Thread {
    enum class Known : uint8_t { Nothing, Place, All };  // of the registers: Place is those of set_place()

    int64_t id = 0;         // in the namespace of the process
    std::string name = {};  // ""; only a process that lives has names of threads
    Known known = Known::All;
    std::array<uint64_t, TAPIR_CORE_WORDS> words = {};  // the registers as the kernel saves them: struct pt_regs first
    uint64_t register_value(unsigned number) const;     // by DWARF number, below TAPIR_SAVED_REGISTERS
    uint64_t thread_pointer() const;
    uint64_t place() const;  // the program counter
    void set_place(uint64_t place, uint64_t stack);
};

// A part of a file that was mapped.
struct Mapping {
    uint64_t start = 0, end = 0;
    uint64_t place = 0;  // of `start` in the file
    uint32_t file = 0;   // in Notes::files
    bool deleted = false;
};

struct Notes {
    std::vector<Thread> threads;  // the first is the one that died, or that the debugger was in
    int64_t pid = 0, parent = 0, group = 0, session = 0, uid = 0, gid = 0, euid = 0, egid = 0;
    std::string name;       // of the process, as the kernel cuts it
    std::string arguments;  // its command line, likewise
    int64_t signal = 0;     // that ended it; 0: none
    int64_t signal_code = 0;
    uint64_t signal_address = 0;
    std::vector<std::string> files;          // paths as the kernel had them, each once, without " (deleted)"
    std::vector<Mapping> mappings;           // ascending, not overlapping
    std::map<uint64_t, uint64_t> auxiliary;  // the auxiliary vector
};

// For messages: the first eight thread IDs and the number of others.
std::string list_of_threads(const std::vector<int64_t> &ids);

Notes read_notes(std::span<const std::string_view> notes);

}  // namespace tapir::core
