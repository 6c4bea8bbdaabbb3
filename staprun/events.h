// SPDX-License-Identifier: GPL-2.0-or-later
// Events around the session: signals, ends of children, readiness of descriptors, time.
#pragma once

#include <cstdint>

namespace tapir::staprun {

struct Event {
    unsigned stops = 0;          // SIGINT, SIGTERM, SIGHUP since the last wait
    bool detach = false;         // SIGQUIT
    bool switch_output = false;  // SIGUSR2
    bool children = false;       // SIGCHLD: somebody may be reaped
    bool control = false;        // the control file is readable
    bool writable = false;       // the descriptor to write to can take more, or is broken
    bool reader_gone = false;    // the reader of stdout has gone
    bool input = false;          // there is something to read, or its end
    bool commands = false;       // likewise
};

class Events {
  public:
    virtual ~Events() = default;

    struct Watch {
        int control = -1;   // readable
        int writable = -1;  // writable
        int reader = -1;    // only its other end's disappearance
        int input = -1;     // readable
        int commands = -1;  // readable
    };
    // Returns when something happened or after timeout_ms.
    virtual Event wait(const Watch &watch, int timeout_ms) = 0;
    // A clock that does not jump, in ns.
    virtual uint64_t now() = 0;
};

// The real ones. The signals are blocked from construction on; a SIGHUP that nohup had ignored stays ignored.
class SystemEvents final : public Events {
  public:
    SystemEvents();
    ~SystemEvents() override;
    SystemEvents(const SystemEvents &) = delete;
    SystemEvents &operator=(const SystemEvents &) = delete;

    Event wait(const Watch &watch, int timeout_ms) override;
    uint64_t now() override;

  private:
    void take_signals(Event &event);
    int fd_ = -1;
};

}  // namespace tapir::staprun
