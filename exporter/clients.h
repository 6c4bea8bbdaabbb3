// SPDX-License-Identifier: GPL-2.0-or-later
// The connections of clients, of which none may hold the others.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>

namespace tapir::exporter {

// Its functions may be called by any thread.
class Clients {
  public:
    using Clock = std::chrono::steady_clock;
    struct Client {
        int socket;
        std::optional<Clock::time_point> waits_since;  // the exporter waits for the client to send or to read
    };
    using Place = std::list<Client>::iterator;

    // `most`: how many connections have a thread.
    explicit Clients(size_t most) : most_(most) {}

    // A connection came, and will get a thread. If all are busy, the client that the exporter has waited for longest
    // loses its connection: the other side sees an end, and a wait for it ends at once.
    void come();
    // The connection has its thread.
    Place enter(int socket);
    // The connection has ended. Call it before the socket is closed.
    void leave(Place place);
    void begin_wait(Place place);
    void end_wait(Place place);
    // Cuts all connections, and those that still come.
    void end_all();
    bool are_ended() const;

  private:
    const size_t most_;
    mutable std::mutex mutex_;
    std::list<Client> clients_;
    size_t coming_ = 0;  // without a thread so far
    bool ended_ = false;
};

}  // namespace tapir::exporter
