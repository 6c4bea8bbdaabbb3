// SPDX-License-Identifier: GPL-2.0-or-later
#include "bpf/load/bpf_session.h"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <random>

#include "bpf/link/bpf_entry.h"

extern "C" {
#include <tapir/abi.h>
#include <tapir/context.h>
#include <tapir/wire.h>

#include "bpf/port/bpf_state.h"
}

namespace tapir::bpf {

namespace {

constexpr uint64_t kArenaBytes = uint64_t{512} << 20, kRingBytes = uint64_t{1} << 20, kFrameBytes = 16384;
constexpr uint64_t kSessionInstructions = uint64_t{10} << 30;  // MAXACTION ends handlers well before
// Functions of the port that only the loader has, and helpers, by their numbers in enum bpf_func_id.
constexpr uint32_t kAllocate = 0x10000, kFree = 0x10001, kRoom = 0x10002;
constexpr uint32_t kKtime = 5, kRandom = 7, kCpu = 8, kPidTgid = 14, kUidGid = 15, kComm = 16, kTask = 35, kNode = 42,
                   kReadUser = 112, kJiffies = 118;

const std::map<std::string, uint32_t> kLoaders = {
    {"tapir_port_alloc", kAllocate}, {"tapir_port_free", kFree}, {"tapir_port_room", kRoom}};

uint64_t arena_address(const void *p) {
    return reinterpret_cast<uint64_t>(p);
}

uint64_t now() {
    timespec t = {};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1000000000 + static_cast<uint64_t>(t.tv_nsec);
}

}  // namespace

bool Session::prepare(std::string &error) {
    if (!arena_.create(kArenaBytes, error)) return false;
    std::optional<uint64_t> module = image_.address("tapir_module"), state = image_.address("tapir_bpf");
    if (!module || !state || !arena_.place(image_)) {
        error = "the script has no module, or its data is too large";
        return false;
    }
    module_ = reinterpret_cast<const struct tapir_module *>(*module);
    state_ = reinterpret_cast<tapir_bpf_state *>(*state);
    if (!fill_state(error)) return false;
    const Function *prepare = image_.function("tapir_bpf_prepare");
    uint64_t result = 0;
    if (!prepare || !interpret(plain_entry(*prepare), arena_address(session_), result, error)) return false;
    if (!(result & 1)) {
        error = session_->ctx->message;
        return false;
    }
    const Function *init = image_.function_at(reinterpret_cast<uint64_t>(module_->init_globals));
    return !init || interpret(plain_entry(*init), 0, result, error);
}

bool Session::fill_state(std::string &error) {
    auto cpus = static_cast<unsigned>(sysconf(_SC_NPROCESSORS_CONF));
    auto *numbers = static_cast<u16 *>(arena_.allocate(cpus * sizeof(u16)));
    state_->cpus = static_cast<tapir_bpf_cpu *>(arena_.allocate(cpus * sizeof(tapir_bpf_cpu)));
    state_->probes = static_cast<tapir_bpf_probe *>(arena_.allocate((module_->nprobes + 1) * sizeof(tapir_bpf_probe)));
    session_ = static_cast<tapir_bpf_context *>(arena_.allocate(sizeof(*session_)));
    bool ok = numbers && state_->cpus && state_->probes && session_ && make_context(*session_, 0, TAPIR_LEVEL_SESSION);
    for (unsigned cpu = 0; ok && cpu < cpus; cpu++) {
        tapir_bpf_cpu &here = state_->cpus[cpu];
        numbers[cpu] = static_cast<u16>(cpu);
        here.ring.bytes = kRingBytes;
        here.ring.data = static_cast<char *>(arena_.allocate(kRingBytes));
        ok = here.ring.data && make_context(here.contexts[TAPIR_LEVEL_TASK], cpu, TAPIR_LEVEL_TASK);
    }
    if (!ok) {
        error = "there is no memory for the contexts of handlers";
        return false;
    }
    state_->ncpus = state_->nprocessors = cpus;
    state_->processors = numbers;
    state_->loader = static_cast<u32>(getpid());
    timespec t = {};
    clock_gettime(CLOCK_REALTIME, &t);
    state_->wall_offset = static_cast<uint64_t>(t.tv_sec) * 1000000000 + static_cast<uint64_t>(t.tv_nsec) - now();
    return true;
}

bool Session::make_context(tapir_bpf_context &context, unsigned cpu, unsigned level) {
    auto *c = static_cast<tapir_ctx *>(arena_.allocate(sizeof(tapir_ctx)));
    context.ctx = c;
    context.frame = static_cast<char *>(arena_.allocate(kFrameBytes));
    if (!c || !context.frame) return false;
    c->cpu = cpu;
    c->level = static_cast<u8>(level);
    c->frame = static_cast<char *>(arena_.allocate(module_->frame_bytes + 64));
    c->out = static_cast<char *>(arena_.allocate(TAPIR_OUTPUT_MAX));
    c->scratch = arena_.allocate(TAPIR_SCRATCH_BYTES);
    return c->frame && c->out && c->scratch;
}

bool Session::interpret(const Function &entry, uint64_t argument, uint64_t &result, std::string &error) {
    Program program;
    if (!image_.make_program(entry, program, error, kLoaders)) return false;
    Interpreter interpreter(program, kArenaFirst, kArenaBase + kArenaBytes,
                            [this](uint32_t number, const Interpreter::Arguments &arguments, uint64_t &value) {
                                return help(number, arguments, value);
                            });
    return interpreter.run({argument, arena_address(session_->frame)}, kSessionInstructions, result, error);
}

bool Session::help(uint32_t number, const Interpreter::Arguments &arguments, uint64_t &result) {
    static std::mt19937_64 random{std::random_device{}()};
    result = 0;
    switch (number) {
        case kAllocate:
            result = arena_address(arena_.allocate(arguments[0]));
            return true;
        case kRoom:
            result = arena_.room();
            return true;
        case kFree:  // the arena goes with the session
        case kCpu:
        case kTask:
        case kNode:
            return true;
        case kKtime:
            result = now();
            return true;
        case kRandom:
            result = static_cast<uint32_t>(random());
            return true;
        case kPidTgid:
            result = static_cast<uint64_t>(getpid()) << 32 | static_cast<uint32_t>(gettid());
            return true;
        case kUidGid:
            result = static_cast<uint64_t>(getgid()) << 32 | getuid();
            return true;
        case kComm:
            return !prctl(PR_GET_NAME, reinterpret_cast<void *>(arguments[0]));
        case kReadUser: {
            iovec to = {reinterpret_cast<void *>(arguments[0]), arguments[1]},
                  from = {reinterpret_cast<void *>(arguments[2]), arguments[1]};
            result = process_vm_readv(getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(arguments[1])
                         ? 0
                         : static_cast<uint64_t>(-EFAULT);
            return true;
        }
        case kJiffies:
            result = now() / 4000000;
            return true;
        default:
            return false;
    }
}

bool Session::run_phase(unsigned phase, std::string &error) {
    std::vector<uint32_t> order;
    auto argument = [&](uint32_t probe) { return static_cast<const tapir_begin_arg *>(module_->probes[probe].arg); };
    for (uint32_t i = 0; i < module_->nprobes; i++)
        if (!std::strcmp(name_of(i), "begin") && argument(i)->phase == phase) order.push_back(i);
    std::ranges::stable_sort(order, {}, [&](uint32_t probe) { return argument(probe)->order; });
    for (uint32_t probe : order) {
        if (phase == TAPIR_PHASE_BEGIN && exit_requested()) break;
        const Function *handler = image_.function_at(reinterpret_cast<uint64_t>(module_->probes[probe].handler));
        uint64_t result = 0;
        if (handler && !interpret(session_entry(*handler, probe), arena_address(session_), result, error)) return false;
    }
    return true;
}

const char *Session::name_of(uint32_t probe) const {
    struct Named {
        const char *name;
    };
    return reinterpret_cast<const Named *>(module_->probes[probe].kind)->name;
}

bool Session::attach(std::string &error) {
    for (uint32_t i = 0; i < module_->nprobes; i++) {
        std::string kind = name_of(i);
        if (kind == "begin") continue;
        if (kind != "function") {
            error = std::string(module_->probes[i].point) + ": a probe of this kind cannot be run as BPF";
            return false;
        }
        if (!attach_kprobes(i, error)) return false;
    }
    return true;
}

bool Session::attach_kprobes(uint32_t probe, std::string &error) {
    const tapir_probe &p = module_->probes[probe];
    const Function *handler = image_.function_at(reinterpret_cast<uint64_t>(p.handler));
    const auto *arg = static_cast<const tapir_function_arg *>(p.arg);
    Program program;
    if (!handler) {
        error = std::string(p.point) + ": it has no handler";
        return false;
    }
    if (!image_.make_program(kprobe_entry(*handler, probe, arena_.map()), program, error)) return false;
    if (program.frame_bytes > kFrameBytes) {
        error =
            std::string(p.point) + ": its functions need frames of " + std::to_string(program.frame_bytes) + " bytes";
        return false;
    }
    Loaded loaded = load(program, Type::kKprobe, "tapir");
    if (!loaded.error.empty()) {
        error = std::string(p.point) + ": the kernel refuses the program: " + loaded.error + ": " + loaded.log;
        return false;
    }
    for (uint32_t i = 0; i < arg->count; i++) {
        const tapir_function_site &site = arg->sites[i];
        const char *symbol = site.symbol == TAPIR_NO_SYMBOL ? nullptr : module_->symbols[site.symbol];
        Descriptor link = attach_kprobe(loaded.program.get(), symbol, static_cast<uint64_t>(site.offset), error);
        if (link.get() < 0) {
            error = std::string(site.label) + ": " + error;
            return false;
        }
        links_.push_back(std::move(link));
    }
    links_.push_back(std::move(loaded.program));
    return true;
}

bool Session::exit_requested() const {
    return *const_cast<volatile u64 *>(&state_->exit) != 0;
}

uint64_t Session::errors() const {
    return state_->errors;
}

uint64_t Session::skipped() const {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < module_->nprobes; i++)
        for (u64 count : state_->probes[i].skipped)
            sum += count;
    return sum;
}

uint64_t Session::loops_cut() const {
    std::optional<uint64_t> at = image_.address("tapir_bpf_looped");
    return at ? *reinterpret_cast<const uint64_t *>(*at) : 0;
}

void Session::read(const std::function<void(unsigned, const char *, uint32_t)> &sink) {
    for (unsigned cpu = 0; cpu < state_->ncpus; cpu++) {
        tapir_bpf_ring &ring = state_->cpus[cpu].ring;
        u64 head = __atomic_load_n(&ring.head, __ATOMIC_ACQUIRE), at = ring.tail;
        while (at < head) {
            u64 offset = at & (ring.bytes - 1);
            const auto *record = reinterpret_cast<const tapir_record *>(ring.data + offset);
            if (ring.bytes - offset < sizeof(*record) || !record->time) {
                at += ring.bytes - offset;  // the next one begins at the start
                continue;
            }
            sink(record->type, reinterpret_cast<const char *>(record + 1), record->length);
            at += TAPIR_RECORD_SIZE(record->length);
        }
        __atomic_store_n(&ring.tail, at, __ATOMIC_RELEASE);
    }
}

}  // namespace tapir::bpf
