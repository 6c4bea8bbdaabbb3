// SPDX-License-Identifier: GPL-2.0-or-later
// A connection as the HTTP library reads from it and writes to it, with or without TLS. A wait for its client has an
// end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include <httplib.h>

#include "exporter/clients.h"

namespace tapir::exporter {

class ClientStream : public httplib::Stream {
  public:
    // `tls`: the settings of HTTPS, or null. The socket stays the caller's.
    ClientStream(int socket, SSL_CTX *tls, Clients &clients);
    ~ClientStream() override;
    ClientStream(const ClientStream &) = delete;
    ClientStream &operator=(const ClientStream &) = delete;

    // TLS begins. False: it does not.
    bool open();
    // Waits until a request begins, which then has the usual time. False: none comes.
    bool await_request();

    bool is_readable() const override { return true; }
    bool is_writable() const override { return true; }
    ssize_t read(char *into, size_t size) override;
    ssize_t write(const char *from, size_t size) override;
    void get_remote_ip_and_port(std::string &, int &) const override {}
    void get_local_ip_and_port(std::string &, int &) const override {}
    socket_t socket() const override { return socket_; }

  private:
    using Clock = Clients::Clock;

    bool wait(short events);
    bool wait_for_tls(int result);
    ssize_t fill();

    const int socket_;
    Clients &clients_;
    const Clients::Place place_;
    std::unique_ptr<SSL, decltype(&SSL_free)> tls_;
    Clock::time_point until_;  // the client's time ends
    bool writes_ = false;
    size_t received_ = 0;  // of the request
    char buffer_[4096];
    size_t at_ = 0, filled_ = 0;
};

}  // namespace tapir::exporter
