// SPDX-License-Identifier: GPL-2.0-or-later
// The running kernel: bpf(2).
#pragma once

#include <cstdint>
#include <string>

#include "bpf/link/image.h"
#include "bpf/link/program_btf.h"
#include "common/descriptor.h"

namespace tapir::bpf {

// Memory that programs and this process share, at the same addresses (BPF_MAP_TYPE_ARENA). A process has one.
class Arena {
  public:
    Arena() = default;
    ~Arena();
    Arena(const Arena &) = delete;
    Arena &operator=(const Arena &) = delete;

    // `bytes`: of addresses; memory is taken as it is used. False: `error` says why the kernel gives none.
    bool create(uint64_t bytes, std::string &error);
    int map() const { return map_.get(); }
    // Zeroed, aligned to 64 bytes, and present: BPF does not bring pages in. Null: there is no room.
    void *allocate(uint64_t bytes);
    uint64_t room() const { return end_ - top_; }
    // Puts an image where its addresses say, before anything else is allocated. False: there is no room.
    bool place(const Image &image);

  private:
    void make_present(uint64_t from, uint64_t to);

    Descriptor map_;
    uint64_t top_ = 0, end_ = 0;
};

enum class Type { kKprobe, kTracing, kRawTracepoint, kPerfEvent, kSyscall };

struct Loaded {
    Descriptor program;
    std::string error;       // "": it is loaded
    std::string log;         // of the verifier, if it refused the program
    uint64_t processed = 0;  // instructions that the verifier went through; 0: the kernel does not tell
    uint32_t jited_bytes = 0;
};

// Runs a program at each hit of a place in the kernel's code, until what it returns is closed; `symbol` may be null.
// None: `error` says why not.
Descriptor attach_kprobe(int program, const char *symbol, uint64_t offset, std::string &error);

Loaded load(const Program &program, Type type, const char *name);

}  // namespace tapir::bpf
