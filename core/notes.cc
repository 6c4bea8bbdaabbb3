// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/notes.h"

#include <elf.h>
#include <signal.h>
#include <sys/procfs.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "unwind/bytes.h"

namespace tapir::core {

namespace {

using unwind::Bytes;

constexpr std::string_view kDeleted = " (deleted)";

// Text of at most the array's size, which need not end with a NUL.
template <size_t size>
std::string text_of(const char (&text)[size]) {
    return {text, strnlen(text, size)};
}

class Reader {
  public:
    explicit Reader(Notes &out) : out_(out) {}

    void read(std::string_view segment) {
        for (Bytes in(segment); segment.size() - in.at() >= sizeof(Elf64_Nhdr);) {
            const uint32_t name_size = in.u32(), content_size = in.u32(), type = in.u32();
            const std::string_view name = in.take(padded(name_size)).substr(0, name_size);
            const std::string_view content = in.take(content_size);
            if (in.failed()) return;
            in.seek(std::min<uint64_t>(segment.size(), padded(in.at())));
            // "CORE" is that of the kernel and of GDB; its NUL may be left out.
            if (name.substr(0, 4) == "CORE") note(type, content);
        }
    }

    void finish() {
        std::stable_sort(out_.mappings.begin(), out_.mappings.end(),
                         [](const Mapping &a, const Mapping &b) { return a.start < b.start; });
        uint64_t end = 0;
        std::erase_if(out_.mappings, [&](const Mapping &mapping) {
            if (mapping.start < end) return true;
            end = mapping.end;
            return false;
        });
        const auto value = [&](uint64_t key, int64_t otherwise) {
            const auto found = out_.auxiliary.find(key);
            return found == out_.auxiliary.end() ? otherwise : static_cast<int64_t>(found->second);
        };
        out_.euid = value(AT_EUID, out_.uid);
        out_.egid = value(AT_EGID, out_.gid);
        if (out_.pid == 0 && !out_.threads.empty()) out_.pid = out_.threads.front().id;
    }

  private:
    static uint64_t padded(uint64_t size) { return (size + 3) & ~uint64_t{3}; }

    void note(uint32_t type, std::string_view content) {
        switch (type) {
            case NT_PRSTATUS:
                return thread(content);
            case NT_PRPSINFO:
                return process(content);
            case NT_SIGINFO:
                return signal(content);
            case NT_AUXV:
                return auxiliary(content);
            case NT_FILE:
                return files(content);
        }
    }

    void thread(std::string_view content) {
        elf_prstatus status;
        static_assert(sizeof status.pr_reg == sizeof(Thread::words));
        if (content.size() < sizeof status) return;
        std::memcpy(&status, content.data(), sizeof status);
        Thread thread;
        thread.id = status.pr_pid;
        std::memcpy(thread.words.data(), &status.pr_reg, sizeof status.pr_reg);
        if (out_.threads.empty()) {
            out_.signal = status.pr_cursig;
            out_.group = status.pr_pgrp;
            out_.session = status.pr_sid;
        }
        out_.threads.push_back(thread);
    }

    void process(std::string_view content) {
        elf_prpsinfo info;
        if (content.size() < sizeof info) return;
        std::memcpy(&info, content.data(), sizeof info);
        out_.pid = info.pr_pid;
        out_.parent = info.pr_ppid;
        out_.uid = info.pr_uid;
        out_.gid = info.pr_gid;
        out_.name = text_of(info.pr_fname);
        out_.arguments = text_of(info.pr_psargs);
        while (out_.arguments.ends_with(' '))
            out_.arguments.pop_back();
    }

    // Takes the signal of the first thread; GDB writes a note for each.
    void signal(std::string_view content) {
        siginfo_t info;
        if (has_signal_ || out_.threads.size() > 1 || content.size() < sizeof info) return;
        has_signal_ = true;
        std::memcpy(&info, content.data(), sizeof info);
        out_.signal_code = info.si_code;
        const bool has_address =
            info.si_code > 0 && (info.si_signo == SIGSEGV || info.si_signo == SIGBUS || info.si_signo == SIGILL ||
                                 info.si_signo == SIGFPE || info.si_signo == SIGTRAP);
        if (has_address) out_.signal_address = reinterpret_cast<uint64_t>(info.si_addr);
    }

    void auxiliary(std::string_view content) {
        for (Bytes in(content); content.size() - in.at() >= 16;) {
            const uint64_t key = in.u64(), value = in.u64();
            if (key == AT_NULL) return;
            out_.auxiliary[key] = value;
        }
    }

    // Count, unit of offsets, (start, end, offset) of each mapping, then their names.
    void files(std::string_view content) {
        Bytes ranges(content);
        const uint64_t count = ranges.u64(), unit = ranges.u64();
        if (ranges.failed() || count > (content.size() - ranges.at()) / 24) return;
        Bytes names(content);
        names.seek(ranges.at() + count * 24);
        for (uint64_t i = 0; i < count; ++i) {
            Mapping mapping;
            mapping.start = ranges.u64();
            mapping.end = ranges.u64();
            const uint64_t place = ranges.u64();
            std::string_view name = names.string();
            if (names.failed()) return;
            if (mapping.start >= mapping.end || (unit != 0 && place > UINT64_MAX / unit)) continue;
            mapping.place = place * unit;
            if (name.ends_with(kDeleted)) name.remove_suffix(kDeleted.size());
            const auto [found, fresh] =
                numbers_.try_emplace(std::string(name), static_cast<uint32_t>(out_.files.size()));
            if (fresh) out_.files.emplace_back(name);
            mapping.file = found->second;
            out_.mappings.push_back(mapping);
        }
    }

    Notes &out_;
    bool has_signal_ = false;
    std::unordered_map<std::string, uint32_t> numbers_;
};

}  // namespace

uint64_t Thread::register_value(unsigned number) const {
    return words[tapir_saved_offsets[number] / sizeof words[0]];
}

uint64_t Thread::thread_pointer() const {
    return words[TAPIR_CORE_THREAD_POINTER];
}

uint64_t Thread::place() const {
    return words[TAPIR_CORE_PLACE];
}

void Thread::set_place(uint64_t place, uint64_t stack) {
    words[TAPIR_CORE_PLACE] = place;
    words[tapir_saved_offsets[TAPIR_CORE_STACK_NUMBER] / sizeof words[0]] = stack;
}

std::string list_of_threads(const std::vector<int64_t> &ids) {
    constexpr size_t kEnough = 8;
    std::string list;
    for (size_t i = 0; i < std::min(ids.size(), kEnough); ++i)
        list += (i ? ", " : "") + std::to_string(ids[i]);
    if (ids.size() > kEnough) list += " and " + std::to_string(ids.size() - kEnough) + " more";
    return list;
}

Notes read_notes(std::span<const std::string_view> notes) {
    Notes out;
    Reader reader(out);
    for (std::string_view segment : notes)
        reader.read(segment);
    reader.finish();
    return out;
}

}  // namespace tapir::core
