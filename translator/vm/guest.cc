// SPDX-License-Identifier: GPL-2.0-or-later
// Starting and stopping the machine; conversation.cc talks to it.
#include "vm/guest.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "arch/arch.h"
#include "common/files.h"
#include "common/find_program.h"
#include "common/patient_write.h"

namespace tapir::vm {
namespace {

void close_fd(int &fd) {
    if (fd >= 0) close(fd);
    fd = -1;
}

// Reads the file from its beginning; the writer's position does not matter.
std::string read_whole(int fd) {
    return fd < 0 ? "" : read_file("/proc/self/fd/" + std::to_string(fd)).value_or("");
}

// QEMU lives and dies with this process, and signals of the terminal are this process's to handle.
Program qemu_program(const std::string &file, const GuestConfig &config, const QemuDescriptors &descriptors,
                     int errors) {
    Program program{qemu_arguments(config, descriptors)};
    program.file = file;
    program.output = Stream::nothing();
    program.errors = Stream::descriptor(errors);
    for (const int fd : descriptors.ports)
        program.further.emplace_back(fd, Stream::descriptor(fd));
    for (const int fd : {descriptors.initramfs, descriptors.console})
        program.further.emplace_back(fd, Stream::descriptor(fd));
    program.group = ProcessGroup::Session;
    program.death_signal = SIGKILL;
    return program;
}

}  // namespace

bool Guest::start_qemu(const GuestConfig &config, Diagnostics &diagnostics) {
    auto fail = [&](Tag tag, const std::string &message) {
        diagnostics.report(tag, message);
        return false;
    };
    const arch::Guest &qemu = arch::host().guest;
    const Outcome<std::string> program = find_program(std::string(qemu.program));
    if (!program)
        return fail(Tag::VmQemuMissing, "there is no " + std::string(qemu.program) +
                                            " on this machine, which runs the guest; install QEMU (Debian, Ubuntu: "
                                            "apt-get install " +
                                            std::string(qemu.debian_package) + "; Fedora: dnf install " +
                                            std::string(qemu.fedora_package) + ")");
    auto initramfs = make_initramfs(config, diagnostics);
    if (!initramfs) return false;

    int initramfs_fd = memfd_create("initramfs", MFD_CLOEXEC);
    console_fd_ = config.console.empty() ? memfd_create("console", MFD_CLOEXEC)
                                         : open(config.console.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    qemu_errors_ = memfd_create("qemu-stderr", MFD_CLOEXEC);
    QemuDescriptors descriptors{{-1, -1, -1, -1}, initramfs_fd, console_fd_};
    bool made = initramfs_fd >= 0 && console_fd_ >= 0 && qemu_errors_ >= 0 && write_all(initramfs_fd, *initramfs);
    for (size_t i = 0; i < ports_.size() && made; ++i) {
        int pair[2];
        made = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0;
        if (!made) break;
        ports_[i] = pair[0];
        descriptors.ports[i] = pair[1];
        fcntl(ports_[i], F_SETFL, O_NONBLOCK);
    }
    std::string reason = strerror(errno);
    if (made)
        if (const Outcome<void> started = qemu_.start(qemu_program(*program, config, descriptors, qemu_errors_));
            !started)
            reason = started.fault().message();
    close_fd(initramfs_fd);
    for (int &fd : descriptors.ports)
        close_fd(fd);
    if (qemu_.started()) return true;
    return fail(Tag::VmQemuFailed, "cannot prepare the guest" +
                                       (config.console.empty() ? "" : " (console " + config.console + ")") + ": " +
                                       reason);
}

void Guest::stop() {
    qemu_.kill();
    qemu_.forget();
    for (int &port : ports_)
        close_fd(port);
    close_fd(qemu_errors_);
}

std::string Guest::console_tail(size_t lines, const std::string &indent) const {
    std::string text = read_whole(console_fd_);
    std::erase(text, '\r');
    while (text.ends_with('\n'))
        text.pop_back();
    size_t at = text.size();
    for (size_t line = 0; line < lines && at != std::string::npos && at != 0; ++line)
        at = text.rfind('\n', at - 1);
    // A panic's reason comes before its trace, which may be longer. "---[ end Kernel panic" comes after it.
    constexpr std::string_view kPanic = "Kernel panic - not syncing", kEnd = "end ";
    const size_t panic = text.find(kPanic);
    if (panic < at && at != std::string::npos && !std::string_view(text).substr(0, panic).ends_with(kEnd))
        at = text.rfind('\n', panic);
    text.erase(0, at == std::string::npos || at == 0 ? 0 : at + 1);
    std::string result;
    while (!text.empty()) {
        size_t end = std::min(text.find('\n'), text.size());
        std::string line = text.substr(0, end);
        for (char &c : line)
            if (static_cast<unsigned char>(c) < ' ' && c != '\t') c = '?';
        result += indent + line + "\n";
        text.erase(0, end + 1);
    }
    return result;
}

// QEMU or the kernel has ended before the agent was ready.
bool Guest::report_dead_start(Diagnostics &diagnostics) {
    std::string complaint = read_whole(qemu_errors_);
    while (complaint.ends_with('\n'))
        complaint.pop_back();
    stop();
    std::string console = console_tail(15, "    ");
    if (console.empty())
        diagnostics.report(Tag::VmQemuFailed,
                           "QEMU cannot run the guest: " + (complaint.empty() ? "it ended without a word" : complaint));
    else
        diagnostics.report(Tag::VmBootFailed, "the guest's kernel stopped before it was up; its console ends with\n" +
                                                  console.substr(0, console.size() - 1));
    return false;
}

bool Guest::await_ready(const GuestConfig &config, int signal_fd, Diagnostics &diagnostics) {
    auto deadline = Clock::now() + std::chrono::seconds(config.boot_seconds);
    for (;;) {
        FrameType type;
        std::string payload;
        while (next_frame(type, payload)) {
            if (type == FrameType::Ready) return true;
            if (type != FrameType::Failed) continue;
            diagnostics.report(Tag::VmBootFailed, "the guest cannot prepare its file system: " + payload);
            stop();
            return false;
        }
        auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) {
            stop();
            std::string console = console_tail(15, "    ");
            diagnostics.report(
                Tag::VmBootFailed,
                "the guest was not up after " + std::to_string(config.boot_seconds) + " seconds" +
                    (console.empty() ? "" : "; its console ends with\n" + console.substr(0, console.size() - 1)));
            return false;
        }
        pollfd entries[2] = {{ports_[0], POLLIN, 0}, {signal_fd, POLLIN, 0}};
        if (poll(entries, 2, static_cast<int>(left)) < 0) continue;
        signalfd_siginfo information;
        if (entries[1].revents && read(signal_fd, &information, sizeof information) == sizeof information &&
            information.ssi_signo != SIGWINCH) {
            interrupted_by_ = static_cast<int>(information.ssi_signo);
            stop();
            return false;
        }
        if (entries[0].revents && !receive_control()) return report_dead_start(diagnostics);
    }
}

bool Guest::boot(const GuestConfig &config, int signal_fd, Diagnostics &diagnostics) {
    stop();
    close_fd(console_fd_);
    control_buffer_.clear();
    stdin_bytes_ = stdout_bytes_ = stderr_bytes_ = 0;
    if (start_qemu(config, diagnostics)) return await_ready(config, signal_fd, diagnostics);
    stop();
    return false;
}

// Takes in what the control port has. False when the machine is gone.
bool Guest::receive_control() {
    char chunk[16384];
    ssize_t count = read(ports_[0], chunk, sizeof chunk);
    if (count > 0) control_buffer_.append(chunk, count);
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

bool Guest::next_frame(FrameType &type, std::string &payload) {
    FrameHeader header;
    if (control_buffer_.size() < sizeof header) return false;
    memcpy(&header, control_buffer_.data(), sizeof header);
    if (control_buffer_.size() < sizeof header + header.length) return false;
    type = static_cast<FrameType>(header.type);
    payload.assign(control_buffer_, sizeof header, header.length);
    control_buffer_.erase(0, sizeof header + header.length);
    return true;
}

void Guest::send(FrameType type, const void *payload, size_t length) {
    FrameHeader header{static_cast<uint32_t>(type), static_cast<uint32_t>(length)};
    std::string frame(reinterpret_cast<const char *>(&header), sizeof header);
    frame.append(static_cast<const char *>(payload), length);
    // The agent always reads its control port; a machine that no longer does is found hung soon enough.
    int tries = 0;
    const auto wait = [&tries](int fd) {
        pollfd entry{fd, POLLOUT, 0};
        poll(&entry, 1, 100);
        return ++tries < 100;
    };
    size_t written = 0;
    write_patiently(ports_[0], frame, wait, written);
}

void Guest::send_run(const RunRequest &request) {
    RunHeader header{};
    header.flags =
        (request.terminal ? run_terminal : 0) | (request.stdin_fd < 0 && !request.terminal ? run_no_stdin : 0);
    header.argument_count = static_cast<uint32_t>(request.argv.size());
    header.environment_count = static_cast<uint32_t>(request.environment.size());
    header.rows = request.rows;
    header.columns = request.columns;
    header.stdin_start = stdin_bytes_;
    std::string payload(reinterpret_cast<const char *>(&header), sizeof header);
    auto add = [&payload](const std::string &text) { payload.append(text.c_str(), strlen(text.c_str()) + 1); };
    add(request.directory);
    for (const std::string &argument : request.argv)
        add(argument);
    for (const std::string &variable : request.environment)
        add(variable);
    send(FrameType::Run, payload.data(), payload.size());
}

}  // namespace tapir::vm
