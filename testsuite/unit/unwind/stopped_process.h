// SPDX-License-Identifier: GPL-2.0-or-later
// A program that stopped itself, its stacks by our tables, and by libdwfl and GDB.
#pragma once

#include <elfutils/libdwfl.h>
#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include <tapir/unfinished.h>
#include <tapir/unwind_run.h>
}

#include "load.h"

namespace tapir::unwind {

struct Stack {
    std::vector<uint64_t> addresses;
    unsigned end = TAPIR_UNWIND_MORE;  // enum tapir_unwind_end
};

class Process {
  public:
    // Starts the program and waits until it has stopped itself.
    explicit Process(const std::string &mode, const std::string &program = UNWIND_PROGRAM);
    ~Process();
    Process(const Process &) = delete;
    Process &operator=(const Process &) = delete;

    pid_t pid() const { return pid_; }
    // All of its threads, in ascending order of their numbers.
    std::vector<pid_t> threads() const;
    // Takes control of all threads. False: cannot.
    bool attach();
    // And leaves them stopped.
    void detach();
    // One instruction. False: the process has stopped or ended.
    bool step();
    // To the next SIGTRAP. False: the process has stopped otherwise or ended.
    bool proceed();
    // Is it in code that is in no file?
    bool is_made(uint64_t address) const;
    // Reads the mappings again, which the program may have changed.
    void read_mappings();
    Stack walk(pid_t thread);
    // The same by objects and places, and by rules and chains that were noted in earlier walks.
    Stack record(pid_t thread);
    // The same, with what walks of these have noted, where words of a run are read one by one, as by the module.
    Stack record_by_words(pid_t thread);
    // How many chains record_by_words() has followed.
    uint64_t followed() const { return followed_; }
    uint64_t stack_pointer(pid_t thread);
    // Walks read these words instead of those of the process.
    std::map<uint64_t, uint64_t> changed;
    // Reads a word of the process. False: cannot.
    bool read_word(uint64_t address, uint64_t &word) const;
    // The same, but one mapping's table is missing, by its number; without the process when it has come. Memory of the
    // stack that was kept may be limited. False in `met`: the walk did not meet that mapping.
    Stack record_later(pid_t thread, size_t withheld, bool &met, uint32_t bytes = TAPIR_UNFINISHED_BYTES);
    size_t mappings() const { return mappings_.size(); }
    std::vector<uint64_t> walk_by_libdwfl(pid_t thread);
    // Walks one thread, without another tracer. Only frames that are on the stack.
    std::vector<uint64_t> walk_by_gdb(pid_t thread) const;
    // Return addresses are as return probes leave them: not on the stack. `known`: the original ones are known.
    void probe_returns(bool known) { returns_ = known ? Returns::Known : Returns::Lost; }
    // Refuses the nth read of a walk, from 1; 0: none.
    void fail_read(unsigned nth) { failing_read_ = nth; }

  private:
    struct Mapping {
        uint64_t start, end, place;
        const tapir_unwind_table *table;
    };
    static const tapir_unwind_table *find(void *data, u64 address, u32 *place, u8 *end);
    static int read(void *data, void *dst, u64 address, u32 length);
    static u8 original(void *data, u64 cfa, u64 *pc);
    static u32 run(void *data, tapir_unwind_run *run);
    Stack record_with(pid_t thread, tapir_unwind_memory &memory, u32 (*how)(void *data, tapir_unwind_run *run));
    bool frame_of(pid_t thread, tapir_unwind_frame &frame);
    const tapir_unwind_table *table_of(const std::string &path, uint64_t start, uint64_t end);

    pid_t pid_ = 0;
    std::vector<pid_t> attached_;
    std::vector<Mapping> mappings_;
    std::map<std::string, std::unique_ptr<Object>> objects_;
    std::string vdso_;
    Table vdso_table_;
    Dwfl *dwfl_ = nullptr;
    tapir_unwind_mapping last_ = {};
    std::unique_ptr<tapir_unwind_memory> memory_ = std::make_unique<tapir_unwind_memory>();
    std::unique_ptr<tapir_unwind_memory> memory_of_words_ = std::make_unique<tapir_unwind_memory>();
    uint64_t followed_ = 0;
    unsigned failing_read_ = 0, reads_ = 0;
    size_t withheld_ = SIZE_MAX;
    enum class Returns { Plain, Known, Lost } returns_ = Returns::Plain;
};

}  // namespace tapir::unwind
