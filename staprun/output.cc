// SPDX-License-Identifier: GPL-2.0-or-later
#include "output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "common/plain_text.h"
#include "local_time.h"

namespace tapir::staprun {

namespace {

constexpr size_t kBuffer = 64 * 1024;

bool is_kind(int fd, mode_t kind) {
    struct stat info = {};
    return fstat(fd, &info) == 0 && (info.st_mode & S_IFMT) == kind;
}

}  // namespace

int open_unblocking(int fd) {
    if (!is_kind(fd, S_IFIFO) && !isatty(fd)) return fd;
    std::string path = format("/proc/self/fd/%d", fd);
    int again = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    return again >= 0 ? again : fd;
}

Output::Output(const OutputSettings &settings, WaitWritable wait) : settings_(settings), wait_(std::move(wait)) {}

Output::~Output() {
    for (auto &[cpu, target] : targets_)
        if (target->fd > STDERR_FILENO) close(target->fd);
}

Outcome<void> Output::open() {
    const auto failed = [](const std::string &text) { return Fault{FaultTag::SetUpFailed, text}; };
    if (settings_.bulk) {
        if (settings_.file.empty()) settings_.file = "stpd_cpu";
        first_name_ = expand_time(settings_.file, time(nullptr));
        // Files appear when their CPU has output; that the directory can be written is worth knowing now.
        size_t slash = first_name_.rfind('/');
        std::string directory = slash == std::string::npos ? "." : first_name_.substr(0, slash + 1);
        if (access(directory.c_str(), W_OK | X_OK) != 0)
            return failed(format("Couldn't write output files in '%s': %s", directory.c_str(), strerror(errno)));
        return {};
    }
    auto target = std::make_unique<Target>();
    bool good = true;
    if (settings_.file.empty()) {
        target->fd = open_unblocking(STDOUT_FILENO);
    } else {
        good = open_file(*target, false);
        first_name_ = target->name;
    }
    targets_[-1] = std::move(target);
    return good ? Outcome<void>() : Outcome<void>(failed(failure_));
}

// FILE, FILE_<cpu>, FILE.<n>, FILE_<cpu>.<n>
std::string Output::file_name(const Target &target) const {
    std::string name = expand_time(settings_.file, time(nullptr));
    if (settings_.bulk) append(name, name == "stpd_cpu" ? "%d" : "_%d", target.cpu);
    if (settings_.rotate_bytes) append(name, ".%llu", static_cast<unsigned long long>(target.number));
    return name;
}

bool Output::open_file(Target &target, bool append) {
    target.name = file_name(target);
    target.fd = ::open(target.name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0666);
    target.size = 0;
    if (target.fd >= 0) return true;
    fail(target, format("Couldn't open output file '%s': %s", target.name.c_str(), strerror(errno)));
    return false;
}

bool Output::next_file(Target &target) {
    if (!flush(target)) return false;
    close(target.fd);
    target.fd = -1;
    if (!settings_.rotate_bytes) return open_file(target, true);
    target.kept.push_back(target.name);
    // The file about to be opened counts too.
    while (settings_.rotate_files && target.kept.size() >= settings_.rotate_files) {
        unlink(target.kept.front().c_str());
        target.kept.pop_front();
    }
    target.number++;
    return open_file(target, false);
}

Output::Target &Output::target_for(unsigned cpu) {
    int key = settings_.bulk ? static_cast<int>(cpu) : -1;
    std::unique_ptr<Target> &target = targets_[key];
    if (!target) {
        target = std::make_unique<Target>();
        target->cpu = key;
        open_file(*target, false);
    }
    return *target;
}

// The first failure is the one to tell of.
void Output::fail(Target &target, const std::string &failure) {
    target.failed = true;
    if (failed_) return;
    failed_ = true;
    failure_ = failure;
}

bool Output::flush(Target &target) {
    if (target.buffer.empty()) return !target.failed;
    size_t written = 0;
    WriteResult result = WriteResult::Failed;
    if (!target.failed) {
        result = write_patiently(target.fd, target.buffer, wait_, written);
        int error = errno;
        bool to_stdout = target.name.empty();
        if (result == WriteResult::Failed) {
            if (to_stdout && (error == EPIPE || error == ECONNRESET)) reader_gone_ = true;
            fail(target, format("%s: %s",
                                to_stdout ? "Couldn't write to stdout"
                                          : format("Couldn't write to output file '%s'", target.name.c_str()).c_str(),
                                strerror(error)));
        } else if (result == WriteResult::GaveUp) {
            fail(target, "Gave up writing: the reader of the output takes nothing");
        }
    }
    bytes_written_ += written;
    bytes_lost_ += target.buffer.size() - written;
    target.buffer.clear();
    return result == WriteResult::Ok;
}

bool Output::write(unsigned cpu, std::string_view data) {
    Target &target = target_for(cpu);
    bool full = settings_.rotate_bytes && target.size > 0 && target.size + data.size() > settings_.rotate_bytes;
    if (target.failed || (full && !next_file(target))) {
        bytes_lost_ += data.size();
        return false;
    }
    target.size += data.size();
    target.buffer += data;
    return target.buffer.size() < kBuffer || flush(target);
}

bool Output::flush() {
    bool good = true;
    for (auto &[cpu, target] : targets_)
        good = flush(*target) && good;
    return good && !failed_;
}

void Output::part() {
    if (!bytes_written_) return;
    write(0, "\n");
    flush();
}

bool Output::switch_files() {
    if (settings_.file.empty()) return false;
    for (auto &[cpu, target] : targets_)
        if (!target->failed) next_file(*target);
    return true;
}

void Output::set_reader_gone() {
    reader_gone_ = true;
    fail(target_for(0), format("Couldn't write to stdout: %s", strerror(EPIPE)));
}

int Output::stdout_descriptor() const {
    auto found = targets_.find(-1);
    return found != targets_.end() && found->second->name.empty() ? found->second->fd : -1;
}

}  // namespace tapir::staprun
