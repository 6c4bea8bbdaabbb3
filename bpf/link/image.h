// SPDX-License-Identifier: GPL-2.0-or-later
// The data of objects as it lies in an arena, and programs over it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bpf/link/bpf_object.h"

namespace tapir::bpf {

// An arena begins here: an address is the same 32 bits for a program, for the kernel's compiler and for the loader.
constexpr uint64_t kArenaBase = 0x80000000;
// The first page has nothing in it.
constexpr uint64_t kArenaFirst = kArenaBase + 0x10000;

// A function of a program, for the kernel's description of it.
struct Placed {
    std::string name;
    unsigned at = 0;         // its first instruction
    unsigned registers = 0;  // its arguments, numbers all
};

struct Program {
    Code code;
    std::vector<Placed> functions;  // the first is the entry
    unsigned frame_bytes = 0;       // that frames of its functions take at most, one in the other
    unsigned depth = 0;             // functions that call each other at most, the entry's included
    unsigned stack_bytes = 0;       // of BPF's own stack that such a chain takes at most
};

class Image {
  public:
    // Takes the objects' data and functions. A name may be defined once. False: `error` says which is twice or nowhere.
    bool link(std::vector<Object> objects, std::string &error);

    const std::string &bytes() const { return bytes_; }  // from kArenaFirst on
    std::optional<uint64_t> address(const std::string &symbol) const;
    const Function *function(const std::string &name) const;
    std::vector<std::string> function_names() const;

    // The function whose address a word of the data was: it holds a number for it. Null: none.
    const Function *function_at(uint64_t word) const;

    // A program of `entry`, whose references are to functions and data of the image, and of what it needs. False:
    // `error` says why not.
    // Functions of `outside` are the kernel's instead, under these numbers: an interpreter may know more of them than a
    // kernel.
    bool make_program(const Function &entry, Program &out, std::string &error,
                      const std::map<std::string, uint32_t> &outside = {}) const;

  private:
    bool place(std::string &error);
    bool resolve(std::string &error);

    std::vector<Object> objects_;
    std::string bytes_;
    std::vector<std::vector<uint64_t>> places_;  // by object and section: where it begins
    std::map<std::string, uint64_t> addresses_;
    std::map<std::string, std::pair<size_t, size_t>> functions_;  // by name: object, number

    friend class ProgramMaker;
};

}  // namespace tapir::bpf
