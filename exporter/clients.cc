// SPDX-License-Identifier: GPL-2.0-or-later
#include "exporter/clients.h"

#include <sys/socket.h>

namespace tapir::exporter {

void Clients::come() {
    const std::lock_guard lock(mutex_);
    coming_++;
    if (clients_.size() + coming_ <= most_) return;
    auto longest = clients_.end();
    for (auto at = clients_.begin(); at != clients_.end(); ++at)
        if (at->waits_since && (longest == clients_.end() || *at->waits_since < *longest->waits_since)) longest = at;
    if (longest == clients_.end()) return;
    shutdown(longest->socket, SHUT_RDWR);
    longest->waits_since.reset();  // the next one that comes needs another
}

Clients::Place Clients::enter(int socket) {
    const std::lock_guard lock(mutex_);
    if (coming_) coming_--;
    if (ended_) shutdown(socket, SHUT_RDWR);
    return clients_.insert(clients_.end(), {socket, std::nullopt});
}

void Clients::leave(Place place) {
    const std::lock_guard lock(mutex_);
    clients_.erase(place);
}

void Clients::begin_wait(Place place) {
    const std::lock_guard lock(mutex_);
    place->waits_since = Clock::now();
}

void Clients::end_wait(Place place) {
    const std::lock_guard lock(mutex_);
    place->waits_since.reset();
}

void Clients::end_all() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    for (const Client &client : clients_)
        shutdown(client.socket, SHUT_RDWR);
}

bool Clients::are_ended() const {
    const std::lock_guard lock(mutex_);
    return ended_;
}

}  // namespace tapir::exporter
