// SPDX-License-Identifier: GPL-2.0-or-later
#include "bpf/load/bpf_kernel.h"

#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

namespace tapir::bpf {

namespace {

// Newer than the headers of Debian 12.
constexpr uint32_t kMapTypeArena = 33, kMapMmapable = 1u << 10, kMapNoUserConversion = 1u << 18;
constexpr uint64_t kPage = 4096;
constexpr size_t kLogBytes = size_t{4} << 20;
constexpr uint32_t kLogReason = 4;  // the reason and sums, without each step

int call(int command, bpf_attr &attributes) {
    return static_cast<int>(syscall(SYS_bpf, command, &attributes, sizeof(attributes)));
}

uint32_t kernel_type(Type type) {
    switch (type) {
        case Type::kKprobe:
            return BPF_PROG_TYPE_KPROBE;
        case Type::kTracing:
            return BPF_PROG_TYPE_TRACING;
        case Type::kRawTracepoint:
            return BPF_PROG_TYPE_RAW_TRACEPOINT;
        case Type::kPerfEvent:
            return BPF_PROG_TYPE_PERF_EVENT;
        case Type::kSyscall:
            return BPF_PROG_TYPE_SYSCALL;
    }
    return BPF_PROG_TYPE_UNSPEC;
}

uint64_t address_of(const void *p) {
    return reinterpret_cast<uint64_t>(p);
}

}  // namespace

Arena::~Arena() {
    if (end_) munmap(reinterpret_cast<void *>(kArenaBase), end_ - kArenaBase);
}

bool Arena::create(uint64_t bytes, std::string &error) {
    bpf_attr a = {};
    a.map_type = kMapTypeArena;
    a.max_entries = static_cast<uint32_t>(bytes / kPage);
    a.map_flags = kMapMmapable | kMapNoUserConversion;
    a.map_extra = kArenaBase;
    map_ = Descriptor(call(BPF_MAP_CREATE, a));
    if (map_.get() < 0) {
        error = errno == EINVAL
                    ? "this kernel has no memory that BPF programs and processes share (BPF arenas, from Linux 6.9 on)"
                    : std::string("no memory for BPF programs: ") + strerror(errno);
        return false;
    }
    void *want = reinterpret_cast<void *>(kArenaBase);
    if (mmap(want, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, map_.get(), 0) != want) {
        error = std::string("the memory for BPF programs cannot be mapped below 4 GB: ") + strerror(errno);
        return false;
    }
    top_ = kArenaFirst;
    end_ = kArenaBase + bytes;
    return true;
}

void *Arena::allocate(uint64_t bytes) {
    constexpr uint64_t kAlign = 64;
    uint64_t at = (top_ + kAlign - 1) & ~(kAlign - 1);
    if (bytes > end_ - at) return nullptr;
    make_present(at, at + bytes);
    top_ = at + bytes;
    return reinterpret_cast<void *>(at);
}

void Arena::make_present(uint64_t from, uint64_t to) {
    for (uint64_t page = from & ~(kPage - 1); page < to; page += kPage)
        *reinterpret_cast<volatile char *>(std::max(page, from)) = 0;
}

bool Arena::place(const Image &image) {
    void *at = allocate(image.bytes().size());
    if (address_of(at) != kArenaFirst) return false;
    std::memcpy(at, image.bytes().data(), image.bytes().size());
    return true;
}

Descriptor attach_kprobe(int program, const char *symbol, uint64_t offset, std::string &error) {
    std::ifstream file("/sys/bus/event_source/devices/kprobe/type");
    perf_event_attr event = {};
    event.size = sizeof(event);
    if (!(file >> event.type)) {
        error = "this kernel has no events of kprobes";
        return Descriptor();
    }
    event.kprobe_func = address_of(symbol);
    event.probe_offset = offset;
    Descriptor hits(static_cast<int>(syscall(SYS_perf_event_open, &event, -1, 0, -1, PERF_FLAG_FD_CLOEXEC)));
    if (hits.get() < 0) {
        error = std::string("no kprobe can be set: ") + strerror(errno);
        return Descriptor();
    }
    bpf_attr a = {};
    a.link_create.prog_fd = static_cast<uint32_t>(program);
    a.link_create.target_fd = static_cast<uint32_t>(hits.get());
    a.link_create.attach_type = BPF_PERF_EVENT;
    Descriptor link(call(BPF_LINK_CREATE, a));
    if (link.get() < 0) error = std::string("the program cannot be attached: ") + strerror(errno);
    return link;
}

Loaded load(const Program &program, Type type, const char *name) {
    Loaded out;
    Description description = describe(program);
    bpf_attr a = {};
    a.btf = address_of(description.btf.data());
    a.btf_size = static_cast<uint32_t>(description.btf.size());
    Descriptor btf(call(BPF_BTF_LOAD, a));
    if (btf.get() < 0) {
        out.error = std::string("the kernel does not take the description of the program: ") + strerror(errno);
        return out;
    }
    a = {};
    a.prog_type = kernel_type(type);
    a.insns = address_of(program.code.data());
    a.insn_cnt = static_cast<uint32_t>(program.code.size());
    a.license = address_of("GPL");
    a.prog_btf_fd = static_cast<uint32_t>(btf.get());
    a.func_info = address_of(description.functions.data());
    a.func_info_rec_size = sizeof(FunctionInfo);
    a.func_info_cnt = static_cast<uint32_t>(description.functions.size());
    std::strncpy(a.prog_name, name, sizeof(a.prog_name) - 1);
    out.program = Descriptor(call(BPF_PROG_LOAD, a));
    if (out.program.get() < 0) {
        // Only now: the log of a program that loads can be longer than there is room for, which would refuse it.
        out.error = strerror(errno);
        std::vector<char> log(kLogBytes);
        a.log_buf = address_of(log.data());
        a.log_size = static_cast<uint32_t>(log.size());
        a.log_level = kLogReason;
        Descriptor again(call(BPF_PROG_LOAD, a));
        out.log = log.data();
        return out;
    }
    bpf_prog_info info = {};
    a = {};
    a.info.bpf_fd = static_cast<uint32_t>(out.program.get());
    a.info.info_len = sizeof(info);
    a.info.info = address_of(&info);
    if (!call(BPF_OBJ_GET_INFO_BY_FD, a)) {
        out.processed = info.verified_insns;
        out.jited_bytes = info.jited_prog_len;
    }
    return out;
}

}  // namespace tapir::bpf
