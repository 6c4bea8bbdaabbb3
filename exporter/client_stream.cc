// SPDX-License-Identifier: GPL-2.0-or-later
#include "exporter/client_stream.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tapir::exporter {

namespace {

using std::chrono::seconds;

// How long a client may take to send a request, to read the answer, and to begin the next request.
constexpr seconds kRequest{10}, kAnswer{30}, kIdle{5};
// Requests have no body, and few headers.
constexpr size_t kLongestRequest = size_t{64} << 10;

}  // namespace

ClientStream::ClientStream(int socket, SSL_CTX *tls, Clients &clients)
    : socket_(socket),
      clients_(clients),
      place_(clients.enter(socket)),
      tls_(tls ? SSL_new(tls) : nullptr, SSL_free),
      until_(Clock::now() + kRequest) {
    fcntl(socket_, F_SETFL, fcntl(socket_, F_GETFL) | O_NONBLOCK);
}

ClientStream::~ClientStream() {
    // Says that nothing was cut off. It does not wait for the answer.
    if (tls_ && SSL_is_init_finished(tls_.get())) SSL_shutdown(tls_.get());
    tls_.reset();
    clients_.leave(place_);
}

// False: the client's time has ended, or the connection.
bool ClientStream::wait(short events) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - Clock::now());
    if (left.count() <= 0) return false;
    clients_.begin_wait(place_);
    pollfd watched = {socket_, events, 0};
    const int ready = poll(&watched, 1, static_cast<int>(left.count()));
    clients_.end_wait(place_);
    return ready > 0 || (ready < 0 && errno == EINTR);
}

// A call of the TLS library has this result. True: call it again.
bool ClientStream::wait_for_tls(int result) {
    switch (SSL_get_error(tls_.get(), result)) {
        case SSL_ERROR_WANT_READ:
            return wait(POLLIN);
        case SSL_ERROR_WANT_WRITE:
            return wait(POLLOUT);
        default:
            return false;
    }
}

bool ClientStream::open() {
    if (!tls_) return true;
    if (SSL_set_fd(tls_.get(), socket_) != 1) return false;
    for (;;) {
        ERR_clear_error();
        const int result = SSL_accept(tls_.get());
        if (result == 1) return true;
        if (!wait_for_tls(result)) return false;
    }
}

bool ClientStream::await_request() {
    until_ = Clock::now() + kIdle;
    received_ = filled_ - at_;
    writes_ = false;
    if (at_ == filled_ && fill() <= 0) return false;
    until_ = Clock::now() + kRequest;
    return true;
}

// Reads more into the buffer, which is used up.
ssize_t ClientStream::fill() {
    at_ = filled_ = 0;
    for (;;) {
        ssize_t got;
        if (tls_) {
            ERR_clear_error();
            got = SSL_read(tls_.get(), buffer_, sizeof buffer_);
            if (got <= 0 && wait_for_tls(static_cast<int>(got))) continue;
        } else {
            got = recv(socket_, buffer_, sizeof buffer_, 0);
            if (got < 0 && (errno == EINTR || (errno == EAGAIN && wait(POLLIN)))) continue;
        }
        if (got <= 0) return got < 0 ? -1 : 0;
        filled_ = static_cast<size_t>(got);
        received_ += filled_;
        return received_ > kLongestRequest ? -1 : got;
    }
}

ssize_t ClientStream::read(char *into, size_t size) {
    if (at_ == filled_)
        if (const ssize_t got = fill(); got <= 0) return got;
    const size_t taken = std::min(size, filled_ - at_);
    std::memcpy(into, buffer_ + at_, taken);
    at_ += taken;
    return static_cast<ssize_t>(taken);
}

ssize_t ClientStream::write(const char *from, size_t size) {
    if (!writes_) until_ = Clock::now() + kAnswer;
    writes_ = true;
    if (size == 0) return 0;
    for (;;) {
        if (tls_) {
            ERR_clear_error();
            constexpr size_t kRecord = 16384;
            const int done = SSL_write(tls_.get(), from, static_cast<int>(std::min(size, kRecord)));
            if (done > 0) return done;
            if (!wait_for_tls(done)) return -1;
        } else {
            const ssize_t done = send(socket_, from, size, MSG_NOSIGNAL);
            if (done >= 0) return done;
            if (errno != EINTR && (errno != EAGAIN || !wait(POLLOUT))) return -1;
        }
    }
}

}  // namespace tapir::exporter
