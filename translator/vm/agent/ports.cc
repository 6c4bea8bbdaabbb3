// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/agent/ports.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <cstdio>

#include "common/patient_write.h"

namespace tapir::vm::agent {
namespace {

constexpr char class_dir[] = "/sys/class/virtio-ports";

// Opens the port called `wanted` ("tapir.stdin"); -1 while the kernel has not made it yet.
int open_named(const char *wanted) {
    DIR *dir = opendir(class_dir);
    if (!dir) return -1;
    int fd = -1;
    while (const dirent *entry = readdir(dir)) {
        if (entry->d_name[0] == '.') continue;
        std::string path = std::string(class_dir) + "/" + entry->d_name + "/name";
        char name[64] = "";
        int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) continue;
        ssize_t length = read(file, name, sizeof name - 1);
        close(file);
        if (length <= 0) continue;
        name[strcspn(name, "\n")] = 0;
        if (strcmp(name, wanted) != 0) continue;
        fd = open((std::string("/dev/") + entry->d_name).c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
        break;
    }
    closedir(dir);
    return fd;
}

// A port hangs up until the host's end is open; reading earlier would look like the end of the stream.
bool connected(int fd) {
    pollfd entry{fd, POLLIN, 0};
    return poll(&entry, 1, 0) >= 0 && !(entry.revents & POLLHUP);
}

}  // namespace

bool open_ports(Ports &ports, int seconds) {
    struct {
        const char *name;
        int *fd;
    } wanted[] = {
        {port_control, &ports.control}, {port_stdin, &ports.in}, {port_stdout, &ports.out}, {port_stderr, &ports.err}};
    for (int tries = seconds * 500; tries > 0; --tries) {
        bool all = true;
        for (auto &port : wanted) {
            if (*port.fd < 0) *port.fd = open_named(port.name);
            all = all && *port.fd >= 0 && connected(*port.fd);
        }
        if (all) return true;
        usleep(2000);
    }
    return false;
}

void send_frame(const Ports &ports, FrameType type, const void *payload, size_t length) {
    FrameHeader header{static_cast<uint32_t>(type), static_cast<uint32_t>(length)};
    std::string frame(reinterpret_cast<const char *>(&header), sizeof header);
    frame.append(static_cast<const char *>(payload), length);
    const auto wait = [](int fd) {
        pollfd entry{fd, POLLOUT, 0};
        poll(&entry, 1, 100);
        return true;
    };
    size_t written = 0;
    write_patiently(ports.control, frame, wait, written);
}

void send_text(const Ports &ports, FrameType type, const std::string &text) {
    send_frame(ports, type, text.data(), text.size());
}

bool FrameReader::fill(int fd) {
    char chunk[16384];
    for (;;) {
        ssize_t count = read(fd, chunk, sizeof chunk);
        if (count > 0)
            buffer_.append(chunk, count);
        else if (count < 0 && errno == EINTR)
            continue;
        else
            return count < 0 && errno == EAGAIN;
    }
}

bool FrameReader::next(FrameType &type, std::string &payload) {
    FrameHeader header;
    if (buffer_.size() < sizeof header) return false;
    memcpy(&header, buffer_.data(), sizeof header);
    if (header.length > max_frame || buffer_.size() < sizeof header + header.length) return false;
    type = static_cast<FrameType>(header.type);
    payload.assign(buffer_, sizeof header, header.length);
    buffer_.erase(0, sizeof header + header.length);
    return true;
}

}  // namespace tapir::vm::agent
