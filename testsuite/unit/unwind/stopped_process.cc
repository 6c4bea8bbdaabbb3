// SPDX-License-Identifier: GPL-2.0-or-later
#include "stopped_process.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

// The tables of the process that is walked.
static std::vector<const tapir_unwind_table *> object_tables;

extern "C" const tapir_unwind_table *tapir_port_object_table(u32 object) {
    return object < object_tables.size() ? object_tables[object] : nullptr;
}

namespace tapir::unwind {

Process::Process(const std::string &mode, const std::string &program) {
    pid_ = fork();
    if (pid_ == 0) {
        execl(program.c_str(), program.c_str(), mode.c_str(), static_cast<char *>(nullptr));
        _exit(127);
    }
    int status = 0;
    waitpid(pid_, &status, WUNTRACED);
    read_mappings();
}

Process::~Process() {
    if (dwfl_) dwfl_end(dwfl_);
    kill(pid_, SIGKILL);
    detach();
    waitpid(pid_, nullptr, __WALL);
}

std::vector<pid_t> Process::threads() const {
    std::vector<pid_t> found;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid_) + "/task", error))
        found.push_back(std::stoi(entry.path().filename()));
    std::sort(found.begin(), found.end());
    return found;
}

bool Process::attach() {
    for (const pid_t thread : threads()) {
        int status = 0;
        if (ptrace(PTRACE_SEIZE, thread, 0, 0) != 0 || ptrace(PTRACE_INTERRUPT, thread, 0, 0) != 0) return false;
        if (waitpid(thread, &status, __WALL) != thread) return false;
        attached_.push_back(thread);
    }
    return !attached_.empty();
}

void Process::detach() {
    for (const pid_t thread : attached_)
        ptrace(PTRACE_DETACH, thread, 0, SIGSTOP);
    attached_.clear();
}

bool Process::step() {
    // The stop it was found in ends with SIGCONT, and both are told of.
    for (int attempt = 0; attempt < 10; attempt++) {
        int status = 0;
        if (ptrace(PTRACE_SINGLESTEP, pid_, 0, 0) != 0 || waitpid(pid_, &status, __WALL) != pid_) return false;
        if (!WIFSTOPPED(status)) return false;
        if (status >> 16 == PTRACE_EVENT_STOP) {
            if (WSTOPSIG(status) == SIGSTOP) kill(pid_, SIGCONT);
        } else if (WSTOPSIG(status) != SIGCONT) {
            return WSTOPSIG(status) == SIGTRAP;
        }
    }
    return false;
}

bool Process::proceed() {
    // The stop it was found in ends with SIGCONT, and both are told of. Other signals are the program's own.
    int signal = 0;
    for (int attempt = 0; attempt < 10; attempt++) {
        int status = 0;
        if (ptrace(PTRACE_CONT, pid_, 0, signal) != 0 || waitpid(pid_, &status, __WALL) != pid_) return false;
        if (!WIFSTOPPED(status)) return false;
        signal = 0;
        if (status >> 16 == PTRACE_EVENT_STOP) {
            if (WSTOPSIG(status) == SIGSTOP) kill(pid_, SIGCONT);
        } else if (WSTOPSIG(status) == SIGTRAP) {
            return true;
        } else if (WSTOPSIG(status) != SIGCONT) {
            signal = WSTOPSIG(status);
        }
    }
    return false;
}

const tapir_unwind_table *Process::table_of(const std::string &path, uint64_t start, uint64_t end) {
    if (path == "[vdso]") {
        vdso_.resize(end - start);
        iovec to = {vdso_.data(), vdso_.size()}, from = {reinterpret_cast<void *>(start), vdso_.size()};
        process_vm_readv(pid_, &to, 1, &from, 1, 0);
        MemoryImage image(vdso_);
        TableFacts facts;
        return make_table(image, {}, vdso_table_, facts).empty() ? &vdso_table_.header() : nullptr;
    }
    if (path.empty() || path[0] != '/') return nullptr;
    std::unique_ptr<Object> &object = objects_[path];
    if (!object) object = std::make_unique<Object>(path);
    return object->why.empty() ? &object->table.header() : nullptr;
}

void Process::read_mappings() {
    mappings_.clear();
    std::ifstream maps("/proc/" + std::to_string(pid_) + "/maps");
    for (std::string line; std::getline(maps, line);) {
        unsigned long start = 0, end = 0, place = 0;
        char rights[8] = {};
        int path_at = 0;
        if (sscanf(line.c_str(), "%lx-%lx %7s %lx %*s %*s %n", &start, &end, rights, &place, &path_at) < 4) continue;
        if (rights[2] != 'x') continue;
        mappings_.push_back({start, end, place, table_of(line.substr(static_cast<size_t>(path_at)), start, end)});
    }
}

const tapir_unwind_table *Process::find(void *data, u64 address, u32 *place, u8 *end) {
    auto *self = static_cast<Process *>(data);
    self->last_ = {};
    self->last_.object = TAPIR_UNWIND_NO_NUMBER;
    *end = TAPIR_UNWIND_NO_OBJECT;
    for (const Mapping &mapping : self->mappings_) {
        if (address < mapping.start || address >= mapping.end) continue;
        if (!mapping.table) return nullptr;
        if (static_cast<size_t>(&mapping - self->mappings_.data()) == self->withheld_) {
            self->last_ = {mapping.start, 0, mapping.place, nullptr, static_cast<u32>(self->withheld_), 0};
            *place = static_cast<u32>(address - mapping.start + mapping.place);
            *end = TAPIR_UNWIND_NO_TABLE;
            return nullptr;
        }
        self->last_ = {mapping.start,
                       mapping.end - mapping.start,
                       mapping.place,
                       mapping.table,
                       static_cast<u32>(&mapping - self->mappings_.data()),
                       0};
        *place = static_cast<u32>(address - mapping.start + mapping.place);
        return mapping.table;
    }
    *end = TAPIR_UNWIND_NO_CODE;
    return nullptr;
}

bool Process::is_made(uint64_t address) const {
    return std::any_of(mappings_.begin(), mappings_.end(), [&](const Mapping &mapping) {
        return address >= mapping.start && address < mapping.end && !mapping.table;
    });
}

int Process::read(void *data, void *dst, u64 address, u32 length) {
    auto *self = static_cast<Process *>(data);
    if (++self->reads_ == self->failing_read_) return -14;
    iovec to = {dst, length}, from = {reinterpret_cast<void *>(address), length};
    if (process_vm_readv(self->pid_, &to, 1, &from, 1, 0) != static_cast<ssize_t>(length)) return -14;
    auto changed = self->changed.lower_bound(address);
    for (; changed != self->changed.end() && changed->first + 8 <= address + length; ++changed)
        memcpy(static_cast<char *>(dst) + (changed->first - address), &changed->second, 8);
    return 0;
}

bool Process::read_word(uint64_t address, uint64_t &word) const {
    iovec to = {&word, sizeof word}, from = {reinterpret_cast<void *>(address), sizeof word};
    return process_vm_readv(pid_, &to, 1, &from, 1, 0) == sizeof word;
}

u32 Process::run(void *data, tapir_unwind_run *run) {
    const auto word = [](void *process, u64 address, u64 *value) {
        return Process::read(process, value, address, sizeof *value) == 0;
    };
    // So that some runs end before the stack does.
    run->end = run->sp + 4096;
    return run->sp < 4096 ? u32{TAPIR_RUN_LEFT} : tapir_unwind_run_by(run, ~0ull, word, data);
}

// Reads a return address from the stack, as if it had just been put aside.
u8 Process::original(void *data, u64 cfa, u64 *pc) {
    auto *self = static_cast<Process *>(data);
    *pc = 0;
    if (self->returns_ == Returns::Lost) return TAPIR_UNWIND_RETURN;
    iovec to = {pc, sizeof *pc}, from = {reinterpret_cast<void *>(cfa - sizeof *pc), sizeof *pc};
    return process_vm_readv(self->pid_, &to, 1, &from, 1, 0) == sizeof *pc ? TAPIR_UNWIND_MORE : TAPIR_UNWIND_FAULT;
}

bool Process::frame_of(pid_t thread, tapir_unwind_frame &frame) {
    user_regs_struct r = {};
    if (ptrace(PTRACE_GETREGS, thread, 0, &r) != 0) return false;
    const unsigned long long values[] = {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
                                         r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip};
    std::copy(std::begin(values), std::end(values), frame.regs);
    frame.pc = r.rip;
    reads_ = 0;
    return true;
}

uint64_t Process::stack_pointer(pid_t thread) {
    tapir_unwind_frame frame = {};
    return frame_of(thread, frame) ? frame.regs[tapir_unwind_stack_register(TAPIR_UNWIND_X86_64)] : 0;
}

Stack Process::record(pid_t thread) {
    return record_with(thread, *memory_, nullptr);
}

Stack Process::record_by_words(pid_t thread) {
    std::vector<tapir_unwind_chain> before(memory_of_words_->chains, memory_of_words_->chains + TAPIR_CHAINS);
    for (tapir_unwind_chain &chain : memory_of_words_->chains)
        chain.recent = 0;
    Stack stack = record_with(thread, *memory_of_words_, run);
    for (size_t i = 0; i < before.size(); i++) {
        tapir_unwind_chain &chain = memory_of_words_->chains[i];
        if (chain.key && chain.key == before[i].key) {
            followed_ += chain.recent;
            chain.recent |= before[i].recent;
        }
    }
    return stack;
}

Stack Process::record_with(pid_t thread, tapir_unwind_memory &memory, u32 (*how)(void *data, tapir_unwind_run *run)) {
    Stack stack;
    tapir_unwind_frame frame = {};
    if (!frame_of(thread, frame)) return stack;
    std::vector<u64> words(4096);
    tapir_unwind_trace trace = {};
    trace.words = words.data();
    trace.room = static_cast<u32>(words.size());
    last_ = {};
    last_.object = TAPIR_UNWIND_NO_NUMBER;
    const tapir_unwind_source source = {
        this, TAPIR_UNWIND_X86_64, &last_, find, read, returns_ == Returns::Plain ? nullptr : original, how};
    stack.end = tapir_unwind_record(&source, &frame, &memory, &trace, trace.room);
    for (u32 n = 0; n < trace.frames; n++)
        stack.addresses.push_back(
            tapir_unwind_address(words.data(), words.data() + trace.room - 2 * trace.runs, trace.runs, n));
    return stack;
}

Stack Process::record_later(pid_t thread, size_t withheld, bool &met, uint32_t bytes) {
    Stack stack;
    tapir_user_walk walk = {};
    std::vector<u64> words(4096);
    tapir_unwind_trace trace = {};
    trace.words = words.data();
    trace.room = static_cast<u32>(words.size());
    if (!frame_of(thread, walk.frame)) return stack;
    last_ = {};
    last_.object = TAPIR_UNWIND_NO_NUMBER;
    withheld_ = withheld;
    walk.source = {this, TAPIR_UNWIND_X86_64, &last_, find, read, nullptr, nullptr};
    stack.end = tapir_unwind_record(&walk.source, &walk.frame, memory_.get(), &trace, trace.room);
    met = stack.end == TAPIR_UNWIND_NO_TABLE;
    const auto kept = std::make_unique<tapir_unfinished>();
    if (met && tapir_unfinished_note(kept.get(), &walk, memory_.get())) {
        object_tables.clear();
        for (const Mapping &mapping : mappings_) {
            const u8 end = mapping.table ? TAPIR_UNWIND_MORE : TAPIR_UNWIND_NO_OBJECT;
            kept->mappings[kept->nmappings++] = {mapping.start, mapping.end - mapping.start, mapping.place,
                                                 static_cast<u32>(object_tables.size()), end};
            object_tables.push_back(mapping.table);
        }
        kept->most = trace.room;
        kept->bytes = std::min(kept->bytes, bytes);
        trace.frames--;
        const auto memory = std::make_unique<tapir_unwind_memory>();
        stack.end = tapir_unfinished_walk(kept.get(), memory.get(), &trace);
        object_tables.clear();
    }
    withheld_ = SIZE_MAX;
    for (u32 n = 0; n < trace.frames; n++)
        stack.addresses.push_back(
            tapir_unwind_address(words.data(), words.data() + trace.room - 2 * trace.runs, trace.runs, n));
    return stack;
}

Stack Process::walk(pid_t thread) {
    Stack stack;
    tapir_unwind_frame frame = {};
    if (!frame_of(thread, frame)) return stack;
    const tapir_unwind_source source = {
        this, TAPIR_UNWIND_X86_64, nullptr, find, read, returns_ == Returns::Plain ? nullptr : original, nullptr};
    // In parts, as those do who have little room.
    for (u32 count = 16; count == 16;) {
        u64 part[16];
        stack.end = tapir_unwind_walk(&source, &frame, part, 16, &count);
        stack.addresses.insert(stack.addresses.end(), part, part + count);
        if (stack.end != TAPIR_UNWIND_MORE) break;
    }
    return stack;
}

std::vector<uint64_t> Process::walk_by_libdwfl(pid_t thread) {
    static char *debug_path = nullptr;
    static const Dwfl_Callbacks callbacks = {dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo, nullptr,
                                             &debug_path};
    if (!dwfl_) {
        unsetenv("DEBUGINFOD_URLS");
        dwfl_ = dwfl_begin(&callbacks);
        dwfl_linux_proc_report(dwfl_, pid_);
        dwfl_report_end(dwfl_, nullptr, nullptr);
        dwfl_linux_proc_attach(dwfl_, pid_, true);
    }
    std::vector<uint64_t> found;
    dwfl_getthread_frames(
        dwfl_, thread,
        [](Dwfl_Frame *frame, void *data) -> int {
            Dwarf_Addr pc = 0;
            if (!dwfl_frame_pc(frame, &pc, nullptr)) return DWARF_CB_ABORT;
            static_cast<std::vector<uint64_t> *>(data)->push_back(pc);
            return DWARF_CB_OK;
        },
        &found);
    return found;
}

std::vector<uint64_t> Process::walk_by_gdb(pid_t thread) const {
    // Inlined functions, and those that jumped to their last call, have no frames; debug information tells of them.
    static constexpr char kScript[] =
        "python\n"
        "f = gdb.newest_frame()\n"
        "while f is not None:\n"
        "  if f.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME): print('pc %x' % f.pc())\n"
        "  f = f.older()\n"
        "end\n";
    const std::string script = "/tmp/unwind_gdb." + std::to_string(pid_);
    std::ofstream(script) << "set backtrace past-main on\nset backtrace past-entry on\npython\nfor t in "
                             "gdb.selected_inferior().threads():\n  if t.ptid[1] == "
                          << thread << ": t.switch()\nend\n"
                          << kScript;
    FILE *pipe =
        popen(("DEBUGINFOD_URLS= gdb -nx -batch -p " + std::to_string(pid_) + " -x " + script + " 2>&1").c_str(), "r");
    std::vector<uint64_t> found;
    char line[1024];
    while (pipe && fgets(line, sizeof line, pipe))
        if (strncmp(line, "pc ", 3) == 0) found.push_back(strtoull(line + 3, nullptr, 16));
    if (pipe) pclose(pipe);
    unlink(script.c_str());
    return found;
}

}  // namespace tapir::unwind
