// SPDX-License-Identifier: GPL-2.0-or-later
#include "exporter/http_listener.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <utility>

#include <httplib.h>
#include <openssl/ssl.h>

#include "common/descriptor.h"
#include "exporter/client_stream.h"
#include "exporter/clients.h"

namespace tapir::exporter {

namespace {

constexpr int kQueue = 16;
constexpr size_t kThreads = 16;
constexpr int kRequestsEach = 100;  // of a connection

// The library's threads. One that comes when all have work takes the place of a client that lets others wait.
class Threads : public httplib::ThreadPool {
  public:
    explicit Threads(Clients &clients) : ThreadPool(kThreads), clients_(clients) {}
    void enqueue(std::function<void()> work) override {
        clients_.come();
        ThreadPool::enqueue(std::move(work));
    }

  private:
    Clients &clients_;
};

// The library listens on ports, and waits for a client as long as bytes come now and then. This server takes a socket
// that listens already, too, and gives each client a time.
class Server : public httplib::Server {
  public:
    explicit Server(SSL_CTX *tls) : tls_(tls) {
        new_task_queue = [this] { return new Threads(clients_); };
    }
    void take(int socket) { svr_sock_ = socket; }
    // stop() alone would wait until all clients have ended.
    void end() {
        stop();
        clients_.end_all();
    }

  private:
    bool process_and_close_socket(socket_t socket) override {
        const Descriptor closed(socket);
        ClientStream stream(socket, tls_, clients_);
        if (!stream.open()) return false;
        for (int left = kRequestsEach; left > 0 && stream.await_request(); left--) {
            bool is_last = false;
            if (!process_request(stream, left == 1 || clients_.are_ended(), is_last, nullptr)) return false;
            if (is_last) break;
        }
        return true;
    }

    SSL_CTX *const tls_;
    Clients clients_{kThreads};
};

using Tls = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

// HTTPS with this certificate; null: it cannot be used.
Tls tls_with(const std::string &certificate, const std::string &key) {
    Tls tls(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
    if (!tls) return tls;
    SSL_CTX_set_min_proto_version(tls.get(), TLS1_2_VERSION);
    if (SSL_CTX_use_certificate_chain_file(tls.get(), certificate.c_str()) != 1 ||
        SSL_CTX_use_PrivateKey_file(tls.get(), key.c_str(), SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(tls.get()) != 1)
        tls.reset();
    return tls;
}

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
    explicit State(const ListenerSettings &settings)
        : tls(settings.certificate.empty() ? Tls(nullptr, SSL_CTX_free) : tls_with(settings.certificate, settings.key)),
          server(tls.get()) {}
    const Tls tls;
    Server server;
};

HttpListener::HttpListener(const ListenerSettings &settings, Service &service)
    : settings_(settings), state_(std::make_unique<State>(settings)) {
    Server &server = state_->server;
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
    Server &server = state_->server;
    if (!settings_.certificate.empty() && !state_->tls)
        return Fault{FaultTag::BadConfiguration,
                     "cannot use the certificate '" + settings_.certificate + "' with the key '" + settings_.key + "'"};
    if (!settings_.socket.empty()) {
        const Outcome<int> socket = open_socket(settings_.socket);
        if (!socket) return socket.fault();
        server.take(*socket);
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
    state_->server.listen_after_bind();
}

void HttpListener::stop() {
    state_->server.end();
}

}  // namespace tapir::exporter
