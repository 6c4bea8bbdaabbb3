// SPDX-License-Identifier: GPL-2.0-or-later
// A server of HTTP on loopback that behaves as a test wants.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/descriptor.h"

namespace tapir::debuginfod {

class StandIn {
  public:
    // Makes the answer to a request's first line, head and body; "" keeps the connection open and says nothing.
    using Behaviour = std::function<std::string(const std::string &request)>;

    explicit StandIn(Behaviour behaviour) : behaviour_(std::move(behaviour)) {
        listener_ = Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in at = {};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at;
        if (bind(listener_.get(), reinterpret_cast<sockaddr *>(&at), size) != 0 || listen(listener_.get(), 16) != 0)
            std::abort();
        getsockname(listener_.get(), reinterpret_cast<sockaddr *>(&at), &size);
        port_ = ntohs(at.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    ~StandIn() {
        ending_ = true;
        thread_.join();
    }

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    std::vector<std::string> requests() {
        const std::lock_guard lock(mutex_);
        return requests_;
    }

  private:
    void serve() {
        std::vector<Descriptor> silent;
        while (!ending_) {
            pollfd ready = {listener_.get(), POLLIN, 0};
            if (poll(&ready, 1, 50) <= 0) continue;
            Descriptor client(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            std::string request(65536, '\0');
            const ssize_t got = read(client.get(), request.data(), request.size());
            request.resize(got > 0 ? static_cast<size_t>(got) : 0);
            {
                const std::lock_guard lock(mutex_);
                requests_.push_back(request.substr(0, request.find('\r')));
            }
            const std::string answer = behaviour_(request);
            for (size_t at = 0; at < answer.size();) {
                const ssize_t sent = send(client.get(), answer.data() + at, answer.size() - at, MSG_NOSIGNAL);
                if (sent <= 0) break;
                at += static_cast<size_t>(sent);
            }
            if (answer.empty() || answer.ends_with("\x01more")) silent.push_back(std::move(client));
        }
    }

    Behaviour behaviour_;
    Descriptor listener_;
    uint16_t port_ = 0;
    std::atomic<bool> ending_ = false;
    std::mutex mutex_;
    std::vector<std::string> requests_;
    std::thread thread_;
};

inline std::string http_answer(const std::string &status, const std::string &body, const std::string &headers = {}) {
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n" +
           headers + "\r\n" + body;
}

}  // namespace tapir::debuginfod
