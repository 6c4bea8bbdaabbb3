// SPDX-License-Identifier: GPL-2.0-or-later
#include "exporter/http_listener.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <httplib.h>

#include "common/descriptor.h"

namespace tapir::exporter {

namespace {

constexpr int kReadSeconds = 10, kWriteSeconds = 30, kIdleSeconds = 5, kThreads = 4, kQueue = 16;

// The library listens on ports. This gives a server a socket that listens already.
template <typename Server>
class ServerOnSocket : public Server {
  public:
    using Server::Server;
    void take(int socket) { this->svr_sock_ = socket; }
};

Fault failed(const std::string &what, int error) {
    return {FaultTag::BadConfiguration, what + ": " + std::strerror(error)};
}

Outcome<int> open_socket(const std::string &path) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        return Fault{FaultTag::BadConfiguration, "the path of the socket is too long: " + path};
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    // One that an exporter left which was killed.
    struct stat status;
    if (lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) unlink(path.c_str());
    // Its owner and group may connect.
    const mode_t before = umask(0117);
    const int bound = bind(socket.get(), reinterpret_cast<sockaddr *>(&address), sizeof address);
    const int error = errno;
    umask(before);
    if (bound != 0) return failed("cannot listen on '" + path + "'", error);
    if (listen(socket.get(), kQueue) != 0) return failed("cannot listen on '" + path + "'", errno);
    return socket.release();
}

}  // namespace

struct HttpListener::State {
    std::unique_ptr<httplib::Server> server;
};

HttpListener::HttpListener(const ListenerSettings &settings, Service &service)
    : settings_(settings), state_(std::make_unique<State>()) {
    if (settings_.certificate.empty())
        state_->server = std::make_unique<ServerOnSocket<httplib::Server>>();
    else
        state_->server =
            std::make_unique<ServerOnSocket<httplib::SSLServer>>(settings_.certificate.c_str(), settings_.key.c_str());
    httplib::Server &server = *state_->server;
    server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    server.set_read_timeout(kReadSeconds);
    server.set_write_timeout(kWriteSeconds);
    server.set_keep_alive_timeout(kIdleSeconds);
    server.set_payload_max_length(0);
    server.Get(".*", [&service](const httplib::Request &request, httplib::Response &response) {
        const Answer answer =
            service.answer(request.path, request.get_header_value("Authorization"), request.get_header_value("Accept"));
        response.status = answer.status;
        response.set_content(answer.body, answer.type.c_str());
        if (answer.status == 401) response.set_header("WWW-Authenticate", "Bearer");
    });
}

HttpListener::~HttpListener() {
    if (!settings_.socket.empty()) unlink(settings_.socket.c_str());
}

Outcome<void> HttpListener::open() {
    httplib::Server &server = *state_->server;
    if (!server.is_valid())
        return Fault{FaultTag::BadConfiguration,
                     "cannot use the certificate '" + settings_.certificate + "' with the key '" + settings_.key + "'"};
    if (!settings_.socket.empty()) {
        const Outcome<int> socket = open_socket(settings_.socket);
        if (!socket) return socket.fault();
        if (settings_.certificate.empty())
            static_cast<ServerOnSocket<httplib::Server> &>(server).take(*socket);
        else
            static_cast<ServerOnSocket<httplib::SSLServer> &>(server).take(*socket);
        return {};
    }
    const int port = settings_.port
                         ? (server.bind_to_port(settings_.address.c_str(), settings_.port) ? settings_.port : -1)
                         : server.bind_to_any_port(settings_.address.c_str());
    if (port <= 0)
        return failed("cannot listen on " + settings_.address + " port " + std::to_string(settings_.port), errno);
    port_ = static_cast<uint16_t>(port);
    return {};
}

void HttpListener::run() {
    state_->server->listen_after_bind();
}

void HttpListener::stop() {
    state_->server->stop();
}

}  // namespace tapir::exporter
