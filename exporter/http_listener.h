// SPDX-License-Identifier: GPL-2.0-or-later
// HTTP or HTTPS for the exporter, on a port or on a socket in the file system.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/outcome.h"
#include "exporter/metrics_service.h"

namespace tapir::exporter {

struct ListenerSettings {
    std::string address = "127.0.0.1";
    uint16_t port = 9779;          // 0: any that is free
    std::string socket;            // a path; "": the port
    std::string certificate, key;  // PEM files; "": plain HTTP
};

class HttpListener {
  public:
    HttpListener(const ListenerSettings &settings, Service &service);
    ~HttpListener();

    // Else BadConfiguration.
    Outcome<void> open();
    uint16_t port() const { return port_; }
    // Serves until stop(), which another thread may call.
    void run();
    void stop();

  private:
    struct State;
    const ListenerSettings settings_;
    uint16_t port_ = 0;
    std::unique_ptr<State> state_;
};

}  // namespace tapir::exporter
