// SPDX-License-Identifier: GPL-2.0-or-later
// A client's connection: the requests that come in on it, and their answers.
#pragma once

#include <utility>  // before Boost 1.74, which needs it and does not include it

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

#include "server/listener.h"
#include "server/places.h"
#include "server/service.h"

namespace tapir::server {

// The state that the connections of a listener share. It outlives them.
struct Surroundings {
    Surroundings(const ListenerSettings &given, Service &of)
        : settings(given),
          service(of),
          tls(boost::asio::ssl::context::tls_server),
          places({given.connections, given.connections_per_address}, of) {}

    const ListenerSettings settings;
    Service &service;
    boost::asio::ssl::context tls;
    Places places;
    std::atomic<int> busy = 0;  // connections with a request that is not answered yet
    std::atomic<bool> ending = false;
};

// Serves the client at the other end of `socket` until it goes, has to go, or the listener ends. `balanced`: the peer
// is a load balancer, which has to name the client. `place` is released at the end.
boost::asio::awaitable<void> serve_connection(Surroundings &around, boost::asio::ip::tcp::socket socket,
                                              std::string peer, bool balanced, std::shared_ptr<const Place> place);

}  // namespace tapir::server
