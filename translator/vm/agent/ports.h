// SPDX-License-Identifier: GPL-2.0-or-later
// The agent's ends of the virtio-serial ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "vm/protocol.h"

namespace tapir::vm::agent {

// Descriptors, non-blocking except control, which is written in whole frames.
struct Ports {
    int control = -1, in = -1, out = -1, err = -1;
};

// Waits (up to `seconds`) until all ports exist and their host ends are open. Needs /sys and /dev.
bool open_ports(Ports &ports, int seconds);

// Writes one frame, blocking. Losing the host means losing the machine, so there is no error to return.
void send_frame(const Ports &ports, FrameType type, const void *payload, size_t length);
void send_text(const Ports &ports, FrameType type, const std::string &text);

// Takes frames apart as they arrive.
class FrameReader {
  public:
    // Reads what is there without blocking; false at the end of file.
    bool fill(int fd);
    // The next whole frame, false if there is none yet.
    bool next(FrameType &type, std::string &payload);

  private:
    std::string buffer_;
};

}  // namespace tapir::vm::agent
