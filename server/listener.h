// SPDX-License-Identifier: GPL-2.0-or-later
// HTTPS: a coroutine for each connection, on few threads, so that slow clients cost memory only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/service.h"

namespace tapir::server {

// The prefix of the names of uploads.
inline constexpr char kUpload[] = "upload-";

struct ListenerSettings {
    std::string address = "::";
    uint16_t port = 8443;          // 0: any that is free
    std::string certificate, key;  // PEM files; the certificate's may have a chain
    bool ask_for_certificates = false;
    unsigned threads = 2;
    unsigned handshake_s = 10, header_s = 10, body_s = 60, write_s = 60, idle_s = 30, upload_s = 1800;
    unsigned grace_s = 30;  // how long requests may continue after SIGTERM
    int connections = 8192, connections_per_address = 64;
    std::vector<std::string> balancers;  // addresses of load balancers, which name the clients (PROXY protocol)
    std::string uploads;                 // directory of bodies that are too big for memory
    std::string drafts_gate;             // of these (lock.h)
};

class Listener {
  public:
    struct State;

    Listener(const ListenerSettings &settings, Service &service);
    ~Listener();
    // Opens the port and reads the certificate. Else BadConfiguration.
    Outcome<void> open();
    uint16_t port() const;
    // Serves until SIGTERM or SIGINT; SIGHUP calls `reload`.
    void run(const std::function<void()> &reload);

  private:
    std::unique_ptr<State> state_;
};

}  // namespace tapir::server
