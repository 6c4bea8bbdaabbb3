// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/c_interface.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iterator>

#include <tapir/abi.h>
#include <tapir/interpreter.h>

#include "core/kernel_dump.h"
#include "core/remains.h"

namespace {

using tapir::core::Remains;

// The process or kernel that the script looks at. It stays open as long as the program runs.
struct Subject {
    std::unique_ptr<Remains> remains;
    std::unique_ptr<tapir::core::KernelDump> kernel;
    std::vector<tapir_core_thread> threads;
    tapir_core_process process = {};
} subject;

const tapir_core_process *open_kernel(const char *path, char *why, u32 cap) {
    tapir::Outcome<std::unique_ptr<tapir::core::KernelDump>> dump = tapir::core::KernelDump::open(path);
    if (!dump) {
        std::snprintf(why, cap, "%s", dump.fault().message().c_str());
        return nullptr;
    }
    subject.kernel = std::move(*dump);
    static const u64 no_words[TAPIR_CORE_WORDS] = {};
    subject.threads.push_back({0, "", false, false, 0, 0, no_words});
    tapir_core_process &process = subject.process;
    process.kernel = true;
    process.name = "";
    process.nthreads = 1;
    process.threads = subject.threads.data();
    return &process;
}

}  // namespace

const tapir_core_process *tapir_core_open(const tapir_core_options *given, char *why, u32 cap) {
    if (given->core && tapir::core::KernelDump::is_one(given->core)) return open_kernel(given->core, why, cap);
    tapir::core::RemainsOptions options;
    options.sysroot = given->sysroot;
    options.program = given->program;
    options.lines = given->lines;
    options.mangled = given->mangled;
    for (u32 i = 0; i < given->ninterpreters; ++i) {
        const tapir_interpreter &from = given->interpreters[i];
        tapir::unwind::Interpreter &to = options.interpreters.emplace_back(
            tapir::unwind::Interpreter{from.name, from.known, from.files, from.loop, {}});
        for (u32 k = 0; k < TAPIR_INTERPRETER_VARIABLES && from.variables[k]; ++k)
            to.variables.emplace_back(from.variables[k]);
    }
    if (given->warn) options.warn = [warn = given->warn](const std::string &text) { warn(text.c_str()); };
    if (given->held) options.held = given->held;
    const auto mode = given->held   ? tapir::core::LiveMode::Held
                      : given->stop ? tapir::core::LiveMode::Stop
                                    : tapir::core::LiveMode::Run;
    tapir::Outcome<std::unique_ptr<Remains>> opened = given->core
                                                          ? Remains::open(given->core, std::move(options))
                                                          : Remains::of_process(given->pid, mode, std::move(options));
    if (!opened) {
        std::snprintf(why, cap, "%s", opened.fault().message().c_str());
        return nullptr;
    }
    subject.remains = std::move(*opened);
    const tapir::core::Notes &notes = subject.remains->notes();
    for (const tapir::core::Thread &thread : notes.threads)
        subject.threads.push_back({thread.id, thread.name.c_str(), thread.known != tapir::core::Thread::Known::Nothing,
                                   thread.known == tapir::core::Thread::Known::All, thread.place(),
                                   thread.thread_pointer(), reinterpret_cast<const u64 *>(thread.words.data())});
    tapir_core_process &process = subject.process;
    process.pid = notes.pid;
    process.parent = notes.parent;
    process.group = notes.group;
    process.session = notes.session;
    process.uid = notes.uid;
    process.gid = notes.gid;
    process.euid = notes.euid;
    process.egid = notes.egid;
    process.name = notes.name.c_str();
    process.signal = notes.signal;
    process.signal_code = notes.signal_code;
    process.signal_address = notes.signal_address;
    process.nthreads = static_cast<u32>(subject.threads.size());
    process.threads = subject.threads.data();
    return &process;
}

u64 tapir_core_release() {
    tapir::core::LiveProcess *live = subject.remains ? subject.remains->live() : nullptr;
    return live ? live->release() : 0;
}

bool tapir_core_read(void *dst, u64 address, u32 length) {
    if (subject.remains) return subject.remains->read(dst, address, length);
    std::memset(dst, 0, length);
    return false;
}

int tapir_core_read_string(char *dst, u64 address, u32 cap) {
    if (subject.remains) return subject.remains->read_string(dst, address, cap);
    if (cap) dst[0] = 0;
    return -1;
}

bool tapir_core_read_kernel(void *dst, u64 address, u32 length) {
    if (subject.kernel) return subject.kernel->read(dst, address, length);
    std::memset(dst, 0, length);
    return false;
}

int tapir_core_read_kernel_string(char *dst, u64 address, u32 cap) {
    if (subject.kernel) return subject.kernel->read_string(dst, address, cap);
    if (cap) dst[0] = 0;
    return -1;
}

bool tapir_core_kernel_symbol(const char *name, u64 *address) {
    const std::optional<uint64_t> found = subject.kernel ? subject.kernel->symbol(name) : std::nullopt;
    if (found) *address = *found;
    return found.has_value();
}

const char *tapir_core_kernel_build_id() {
    return subject.kernel ? subject.kernel->build_id().c_str() : "";
}

bool tapir_core_memory(u64 address, u64 *start, u64 *end) {
    const tapir::core::Segment *segment = subject.remains ? subject.remains->writable_from(address) : nullptr;
    if (!segment) return false;
    *start = segment->start;
    *end = subject.remains->live() ? segment->end : segment->start + segment->content.size();
    return true;
}

bool tapir_core_bias(const char *build_id, const char *path, u64 text_offset, u64 text_bias, u64 *bias) {
    if (!subject.remains) return false;
    const std::optional<uint64_t> found = subject.remains->bias_of(build_id, path, text_offset, text_bias);
    if (found) *bias = *found;
    return found.has_value();
}

bool tapir_core_runs(const char *build_id, const char *path) {
    const std::optional<uint32_t> program = subject.remains ? subject.remains->program() : std::nullopt;
    return program && subject.remains->is_file(*program, build_id, path);
}

const tapir_unwind_table *tapir_core_table(u64 address, tapir_unwind_mapping *mapping, u8 *end) {
    *end = TAPIR_UNWIND_NO_OBJECT;
    if (!subject.remains) return nullptr;
    return subject.remains->table_of(address, *mapping, *end);
}

const tapir_unwind_table *tapir_core_object_table(u32 object) {
    return subject.remains ? subject.remains->table_of_object(object) : nullptr;
}

bool tapir_core_interpreter(u32 number, tapir_interpreter_place *place) {
    const auto found = subject.remains ? subject.remains->interpreter(number) : std::nullopt;
    if (!found) return false;
    place->object = found->object;
    std::copy(std::begin(found->file.variables), std::end(found->file.variables), place->variables);
    std::copy(std::begin(found->file.contents), std::end(found->file.contents), place->contents);
    return true;
}

u32 tapir_core_object_interpreter(u32 object) {
    return subject.remains ? subject.remains->interpreter_of_object(object) : 0;
}

void tapir_core_object_path(u32 object, char *dst, u32 cap) {
    const std::string path = subject.remains ? subject.remains->path_of_object(object) : std::string();
    snprintf(dst, cap, "%s", path.c_str());
}
