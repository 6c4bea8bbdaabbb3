// SPDX-License-Identifier: GPL-2.0-or-later
// From LLVM's IR, as clang makes it of portable C, to IR of which BPF programs over an arena can be made. Each step
// works on a whole module; main.cc has their order.
#pragma once

#include <llvm/IR/Module.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tapir::bpf {

// How a function takes its arguments: in registers, as long as there are any, else at the start of its frame, whose
// address is the last register then. A frame is memory of the arena that the caller has set aside behind its own.
struct Shape {
    struct Place {
        bool in_register;
        uint64_t at;  // the number of the register, or the byte of the frame
    };
    std::vector<Place> arguments;
    unsigned registers = 0;       // that it is called with, the frame's included
    bool framed = false;          // it has a frame, or calls a function that has
    uint64_t argument_bytes = 0;  // of arguments in the frame
    bool variadic = false;        // then kVariadicWords further ones follow
    uint64_t result_at = 0,
             result_bytes = 0;  // in the frame: a result that is more than a register; no bytes: it is not
    uint64_t frame_bytes = 0;   // of its own frame, a multiple of 16
};

constexpr unsigned kArgumentRegisters = 5, kVariadicWords = 16;

using Shapes = std::map<const llvm::Function *, Shape>;

// Takes out functions that BPF cannot have, beside those of `why`, and those that call them. Returns the name of each
// with its reason.
std::map<std::string, std::string> drop_impossible(llvm::Module &module, std::map<std::string, std::string> why);

// memcpy() and its kind become loads and stores, or calls of tapir_bpf_copy(), _move() and _set(); loads and stores of
// shared words become plain ones; products of 128 bits are made of ones of 64. Returns what cannot be expressed, by
// function.
std::map<std::string, std::string> simplify(llvm::Module &module);

// Gives functions that need one a frame: local variables whose address is taken, arguments beyond the registers,
// variable ones.
Shapes give_frames(llvm::Module &module);

// Numbers that loops begin with and carry are sums with a zero that the verifier does not know: else it goes through
// every turn.
void forget_numbers(llvm::Module &module);

// Each access of memory that is not on BPF's own stack is through addr_space_cast.
void cast_accesses(llvm::Module &module);

// Is it one of BPF's helpers that is called by its number?
bool is_helper_call(const llvm::CallBase &call);

// Is the variable on BPF's own stack, since a helper fills or reads it?
bool is_on_bpf_stack(const llvm::AllocaInst &variable);

}  // namespace tapir::bpf
