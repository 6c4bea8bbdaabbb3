// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/listener.h"

#include <openssl/ssl.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <set>
#include <thread>

#include "server/connection.h"
#include "server/proxy_header.h"

namespace tapir::server {

namespace asio = boost::asio;
namespace ssl = asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

auto reports_to(error_code &error) {
    return asio::redirect_error(asio::use_awaitable, error);
}

}  // namespace

struct Listener::State {
    State(const ListenerSettings &settings, Service &service)
        : around(settings, service), io(static_cast<int>(settings.threads)), acceptor(io), signals(io) {}

    Outcome<void> open();
    Outcome<void> prepare_tls();
    asio::awaitable<void> accept();
    asio::awaitable<void> watch_signals(std::function<void()> reload);
    asio::awaitable<void> end();

    Surroundings around;
    std::set<std::string> balancers;
    asio::io_context io;  // ends, with all connections, before the objects that they use
    tcp::acceptor acceptor;
    asio::signal_set signals;
};

static Fault bad(const std::string &why) {
    return {FaultTag::BadConfiguration, why};
}

// The certificate, the key, and what of TLS is spoken.
Outcome<void> Listener::State::prepare_tls() {
    error_code error;
    around.tls.set_options(ssl::context::no_sslv2 | ssl::context::no_sslv3 | ssl::context::no_tlsv1 |
                           ssl::context::no_tlsv1_1 | ssl::context::single_dh_use);
    SSL_CTX *context = around.tls.native_handle();
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    // A session that is taken up again would not show its certificate again.
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context, 0);
    around.tls.use_certificate_chain_file(around.settings.certificate, error);
    if (error) return bad(around.settings.certificate + ": " + error.message());
    around.tls.use_private_key_file(around.settings.key, ssl::context::pem, error);
    if (error) return bad(around.settings.key + ": " + error.message());
    if (around.settings.ask_for_certificates) {
        around.tls.set_verify_mode(ssl::verify_peer);
        // Connection::identify() decides.
        around.tls.set_verify_callback([](bool, ssl::verify_context &) { return true; });
    }
    return {};
}

Outcome<void> Listener::State::open() {
    if (Outcome<void> prepared = prepare_tls(); !prepared) return prepared;
    error_code error;
    for (const std::string &balancer : around.settings.balancers) {
        const auto known = asio::ip::make_address(balancer, error);
        if (error) return bad("'" + balancer + "' is not an IP address (--balancer)");
        balancers.insert(plain_address(known.to_string()));
    }
    const auto address = asio::ip::make_address(around.settings.address, error);
    if (error) return bad("'" + around.settings.address + "' is not an IP address");
    const tcp::endpoint endpoint(address, around.settings.port);
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error && address.is_v6()) acceptor.set_option(asio::ip::v6_only(false), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(4096, error);
    if (!error) return {};
    return bad(around.settings.address + ", port " + std::to_string(around.settings.port) + ": " + error.message());
}

asio::awaitable<void> Listener::State::accept() {
    for (;;) {
        error_code error;
        tcp::socket socket(asio::make_strand(io));
        co_await acceptor.async_accept(socket, reports_to(error));
        if (error == asio::error::operation_aborted || around.ending) co_return;
        if (error) {
            // Out of descriptors, most likely: others end.
            asio::steady_timer pause(io, std::chrono::milliseconds(100));
            co_await pause.async_wait(reports_to(error));
            continue;
        }
        const auto endpoint = socket.remote_endpoint(error);
        if (error) continue;
        const std::string peer = plain_address(endpoint.address().to_string());
        const bool balanced = balancers.count(peer) != 0;
        auto place = std::make_shared<const Place>(around.places, true, balanced ? "" : peer);
        if (!place->granted()) continue;
        const auto executor = socket.get_executor();
        asio::co_spawn(executor, serve_connection(around, std::move(socket), peer, balanced, std::move(place)),
                       asio::detached);
    }
}

asio::awaitable<void> Listener::State::end() {
    error_code ignored;
    around.ending = true;
    acceptor.close(ignored);
    around.service.stop();
    const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(around.settings.grace_s);
    asio::steady_timer pause(io);
    while (around.busy > 0 && std::chrono::steady_clock::now() < last) {
        pause.expires_after(std::chrono::milliseconds(50));
        co_await pause.async_wait(reports_to(ignored));
    }
    io.stop();
}

asio::awaitable<void> Listener::State::watch_signals(std::function<void()> reload) {
    for (;;) {
        error_code error;
        const int number = co_await signals.async_wait(reports_to(error));
        if (error) co_return;
        if (number == SIGHUP) {
            reload();
            continue;
        }
        co_await end();
        co_return;
    }
}

Listener::Listener(const ListenerSettings &settings, Service &service)
    : state_(std::make_unique<State>(settings, service)) {}

Listener::~Listener() = default;

Outcome<void> Listener::open() {
    return state_->open();
}

uint16_t Listener::port() const {
    error_code error;
    return state_->acceptor.local_endpoint(error).port();
}

void Listener::run(const std::function<void()> &reload) {
    for (const int number : {SIGTERM, SIGINT, SIGHUP})
        state_->signals.add(number);
    asio::co_spawn(state_->io, state_->watch_signals(reload), asio::detached);
    asio::co_spawn(state_->io, state_->accept(), asio::detached);
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < state_->around.settings.threads; ++i)
        threads.emplace_back([this] { state_->io.run(); });
    state_->io.run();
    for (std::thread &thread : threads)
        thread.join();
}

}  // namespace tapir::server
