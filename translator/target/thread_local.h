// SPDX-License-Identifier: GPL-2.0-or-later
// Where a thread has the thread-local variables of a program or library: U. Drepper, "ELF Handling For Thread-Local
// Storage", and the processors' ABIs.
#pragma once

#include <cstdint>
#include <string>

#include "dwarf/object.h"

namespace tapir::target {

struct DebugObject;

// How the block of an object's thread-local variables is found at run time.
struct ThreadBlock {
    enum class Kind : uint8_t {
        Program,  // at a fixed offset from the thread pointer: that of a program
        Offset,   // the offset from the thread pointer was put into a word of the object's memory
        Module,   // so was the number of the block in the thread's vector of blocks
        Unknown,  // `why` says it
    };
    Kind kind = Kind::Unknown;
    int64_t offset = 0;          // of the block from the thread pointer, or to add to the word's value
    uint64_t word = 0;           // address of the word, as linked
    int64_t vector = 0;          // Module: offset from the thread pointer of the pointer to the vector
    int64_t thread_pointer = 0;  // DWARF number of the register
    // Module: the path of the dynamic linker. And where it has the pointer to its list of the objects' numbers, each
    // with the generation since which it holds, as linked.
    std::string linker = {};
    uint64_t owners = 0;
    std::string why = {};
};

// Without the dynamic linker's list.
ThreadBlock find_thread_block(const dwarf::Object &object);
// For an object that `DebugInfo` has opened: with that list, or with the reason why it is unknown.
ThreadBlock find_thread_block(const DebugObject &object);

}  // namespace tapir::target
