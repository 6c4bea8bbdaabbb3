// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/live_process.h"

#include <elf.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unordered_map>

#include "core/held_threads.h"
#include "core/live_rights.h"

namespace tapir::core {

namespace {

constexpr std::string_view kDeletedMapping = " (deleted)";
// How often a process is looked at until it has executed a program, and how long between.
constexpr int kRounds = 1000;
constexpr long kPauseNs = 1'000'000;

std::string directory_of(pid_t pid) {
    return "/proc/" + std::to_string(pid);
}

std::string first_line(const std::string &path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::string whole(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The kernel writes a newline in a path as "\012".
std::string unescaped(std::string_view text) {
    constexpr std::string_view kNewline = "\\012";
    std::string out;
    while (!text.empty()) {
        const bool newline = text.starts_with(kNewline);
        out += newline ? '\n' : text[0];
        text.remove_prefix(newline ? kNewline.size() : 1);
    }
    return out;
}

struct MapsLine {
    uint64_t start = 0, end = 0, place = 0;
    std::string flags, name;
};

// "START-END FLAGS PLACE DEVICE INODE   NAME"
bool read_maps_line(const std::string &line, MapsLine &out) {
    std::istringstream in(line);
    char dash = 0;
    std::string device, inode;
    if (!(in >> std::hex >> out.start >> dash >> out.end >> out.flags >> out.place >> device >> inode)) return false;
    const size_t name = line.find_first_not_of(' ', static_cast<size_t>(in.tellg() < 0 ? 0 : int64_t{in.tellg()}));
    out.name = in.tellg() < 0 || name == std::string::npos ? "" : unescaped(std::string_view(line).substr(name));
    return out.flags.size() >= 3 && out.start < out.end;
}

}  // namespace

LiveProcess::LiveProcess(pid_t pid, LiveMode mode)
    : pid_(pid), memory_(pid, segments_, mode == LiveMode::Run ? LiveMemory::kKeptPages : 0) {}

LiveProcess::~LiveProcess() {
    release();
}

Outcome<std::unique_ptr<LiveProcess>> LiveProcess::open(int64_t pid, LiveMode mode, const std::string &held) {
    if (pid <= 0 || pid > INT32_MAX)
        return Fault{FaultTag::CoreEmpty, "there is no process " + std::to_string(pid),
                     "'ps' lists those that there are"};
    std::unique_ptr<LiveProcess> process(new LiveProcess(static_cast<pid_t>(pid), mode));
    if (mode == LiveMode::Stop)
        if (Outcome<void> stopped = process->stop(); !stopped) return stopped.fault();
    if (Outcome<void> read = process->read_program(); !read) return read.fault();
    if (mode == LiveMode::Held) {
        if (Outcome<void> taken = process->take_threads(held); !taken) return taken.fault();
    } else if (mode != LiveMode::Look) {
        process->read_threads(mode);
    }
    if (mode != LiveMode::Look && process->notes_.threads.empty())
        return Fault{FaultTag::CoreEmpty, "process " + std::to_string(pid) + " has ended"};
    return process;
}

std::string LiveProcess::directory() const {
    return directory_of(holder_of(pid_));
}

Fault LiveProcess::refused(int error, bool stopping) const {
    return why_refused(pid_, error, stopping);
}

// ---- mappings

// A process that executes a program has the old one's memory first, then some in which the new one is not complete. Its
// auxiliary vector comes last, and differs from that of another program, or of the same one at other addresses.
Outcome<void> LiveProcess::read_program() {
    std::error_code error;
    for (int round = 0;; round++) {
        const std::string before = whole(directory() + "/auxv");
        Outcome<void> read = read_maps();
        if (read) read = check_class();
        read_identity();
        const bool settled = before == auxiliary_ && notes_.auxiliary.contains(AT_ENTRY);
        if (settled || round >= kRounds) return read;
        // It has ended, or may not be looked at.
        if (std::filesystem::read_symlink(directory() + "/exe", error).empty()) return read;
        const timespec pause = {0, kPauseNs};
        nanosleep(&pause, nullptr);
        memory_.forget();
    }
}

Outcome<void> LiveProcess::read_maps() {
    std::ifstream maps(directory() + "/maps");
    if (!maps) return refused(errno, false);
    std::unordered_map<std::string, uint32_t> numbers;
    segments_.clear();
    notes_.files.clear();
    notes_.mappings.clear();
    for (std::string line; std::getline(maps, line);) {
        MapsLine mapped;
        if (!read_maps_line(line, mapped)) continue;
        segments_.push_back({mapped.start, mapped.end, {}, 0, mapped.flags[2] == 'x', mapped.flags[1] == 'w'});
        std::string_view name = mapped.name;
        if (name == "[vdso]") {
            vdso_.resize(mapped.end - mapped.start);
            uint32_t done = 0;
            while (done < vdso_.size()) {
                const uint32_t part = memory_.read_some(vdso_.data() + done, mapped.start + done,
                                                        static_cast<uint32_t>(vdso_.size()) - done);
                if (part == 0) break;
                done += part;
            }
            if (done == vdso_.size()) segments_.back().content = vdso_;
        }
        if (!name.starts_with('/')) continue;
        const bool deleted = name.ends_with(kDeletedMapping);
        if (deleted) name.remove_suffix(kDeletedMapping.size());
        const auto [found, fresh] = numbers.try_emplace(std::string(name), static_cast<uint32_t>(notes_.files.size()));
        if (fresh) notes_.files.emplace_back(name);
        notes_.mappings.push_back({mapped.start, mapped.end, mapped.place, found->second, deleted});
    }
    // A process that ends, or has no program, has an empty list, or none to read.
    if (segments_.empty()) return why_without_memory(pid_);
    char byte = 0;
    for (const Segment &segment : segments_)
        if (memory_.read_some(&byte, segment.start, 1) == 1) return {};
    return refused(memory_.error(), false);
}

Outcome<void> LiveProcess::check_class() {
    const std::string program = directory() + "/exe";
    std::ifstream file(program, std::ios::binary);
    char head[sizeof(Elf64_Ehdr)] = {};
    file.read(head, sizeof head);
    if (file && std::memcmp(head, ELFMAG, SELFMAG) == 0 && head[EI_CLASS] != ELFCLASS64)
        return Fault{FaultTag::CoreForeign, "process " + std::to_string(pid_) + " is a 32-bit one",
                     "only 64-bit processes can be looked at; without --snapshot, the kernel looks at others, too"};
    return {};
}

// ---- identity

void LiveProcess::read_identity() {
    notes_.pid = pid_;
    notes_.name = first_line(directory_of(pid_) + "/comm");
    notes_.arguments = whole(directory() + "/cmdline");
    std::replace(notes_.arguments.begin(), notes_.arguments.end(), '\0', ' ');
    const std::string numbers = first_line(directory_of(pid_) + "/stat");
    if (const size_t name_end = numbers.rfind(')'); name_end != std::string::npos) {
        std::istringstream in(numbers.substr(name_end + 1));
        std::string state;
        in >> state >> notes_.parent >> notes_.group >> notes_.session;
    }
    std::ifstream status(directory_of(pid_) + "/status");
    for (std::string word; status >> word;) {
        if (word == "Uid:") status >> notes_.uid >> notes_.euid;
        if (word == "Gid:") status >> notes_.gid >> notes_.egid;
    }
    notes_.auxiliary.clear();
    auxiliary_ = whole(directory() + "/auxv");
    for (size_t at = 0; at + 16 <= auxiliary_.size(); at += 16) {
        uint64_t pair[2];
        std::memcpy(pair, auxiliary_.data() + at, sizeof pair);
        if (pair[0] == AT_NULL) break;
        notes_.auxiliary[pair[0]] = pair[1];
    }
}

// "NUMBER ARGUMENT... SP PC", "-1 SP PC" outside of system calls, or "running"
void LiveProcess::read_place(Thread &thread) {
    std::istringstream in(first_line(directory_of(pid_) + "/task/" + std::to_string(thread.id) + "/syscall"));
    std::vector<std::string> words;
    for (std::string word; in >> word;)
        words.push_back(word);
    thread.known = Thread::Known::Nothing;
    if (words.size() < 3) {
        running_.push_back(thread.id);
        return;
    }
    thread.known = Thread::Known::Place;
    thread.set_place(std::strtoull(words.back().c_str(), nullptr, 16),
                     std::strtoull(words[words.size() - 2].c_str(), nullptr, 16));
}

void LiveProcess::read_threads(LiveMode mode) {
    std::vector<int64_t> ids;
    if (mode == LiveMode::Stop)
        for (const Held &thread : held_)
            ids.push_back(thread.id);
    else
        for (pid_t id : threads_of(pid_))
            ids.push_back(id);
    // The first thread of the process comes first; the others as they were made.
    std::sort(ids.begin(), ids.end(),
              [this](int64_t a, int64_t b) { return (a == pid_) != (b == pid_) ? a == pid_ : a < b; });
    for (int64_t id : ids) {
        Thread thread;
        thread.id = id;
        thread.name = first_line(directory_of(pid_) + "/task/" + std::to_string(id) + "/comm");
        const bool held = mode == LiveMode::Stop && std::find_if(held_.begin(), held_.end(), [&](const Held &one) {
                                                        return one.id == id && one.stopped;
                                                    }) != held_.end();
        if (!held || !read_registers(static_cast<pid_t>(id), thread)) read_place(thread);
        notes_.threads.push_back(std::move(thread));
    }
}

// Takes the threads that LiveMode::Stop found in another program.
Outcome<void> LiveProcess::take_threads(const std::string &held) {
    std::optional<std::vector<Thread>> threads = read_held_threads(whole(held));
    if (!threads)
        return Fault{FaultTag::CoreUnreadable, held + " does not tell where threads stand",
                     "stap writes it for a program of its own version"};
    for (const Thread &thread : *threads) {
        if (thread.known != Thread::Known::All) unstoppable_.push_back(thread.id);
        if (thread.known == Thread::Known::Nothing) running_.push_back(thread.id);
    }
    notes_.threads = std::move(*threads);
    return {};
}

}  // namespace tapir::core
