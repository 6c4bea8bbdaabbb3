// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/listener.h"

#include <fcntl.h>
#include <openssl/ssl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/version.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "common/descriptor.h"
#include "server/lock.h"
#include "server/proxy_header.h"
#include "trust/openssl.h"

namespace tapir::server {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace ssl = asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;
using Stream = beast::ssl_stream<beast::tcp_stream>;

namespace {

constexpr uint32_t kHeaderBytes = 16 * 1024;
// What is read and not yet taken apart: a header, or what chunks have beside their data, which counts as no body.
constexpr size_t kBufferBytes = 128 * 1024;
constexpr size_t kDrainedBytes = 64 * 1024 * 1024;
constexpr auto kAwait = asio::use_awaitable;

auto into(error_code &error) {
    return asio::redirect_error(kAwait, error);
}

std::string text_of(const beast::string_view &text) {
    return std::string(text.data(), text.size());
}

// A file that is gone when nobody has it open by name any more.
struct Upload {
    std::string path;
    Descriptor file;  // locked: it is being worked on
    ~Upload() {
        if (!path.empty()) unlink(path.c_str());
    }
};

}  // namespace

struct Listener::State {
    State(const ListenerSettings &given, Service &of)
        : settings(given),
          service(of),
          tls(ssl::context::tls_server),
          io(static_cast<int>(given.threads)),
          acceptor(io),
          signals(io) {}

    std::string open();
    asio::awaitable<void> accept();
    asio::awaitable<void> watch_signals(std::function<void()> reload);
    asio::awaitable<void> end();

    ListenerSettings settings;
    Service &service;
    std::mutex mutex;
    std::map<std::string, int> by_address;
    std::set<std::string> balancers;
    std::atomic<int> busy = 0;  // connections with a request that is not answered yet
    std::atomic<bool> ending = false;
    ssl::context tls;
    asio::io_context io;  // goes, with all connections, before what they use
    tcp::acceptor acceptor;
    asio::signal_set signals;
};

namespace {

using State = Listener::State;

// Counts a connection while it lives: as one of all, as one of an address, or both.
class Place {
  public:
    // `address`: "" = of none.
    Place(State &state, bool of_all, std::string address)
        : state_(state), of_all_(of_all), address_(std::move(address)) {
        const std::lock_guard lock(state_.mutex);
        const auto known = state_.by_address.find(address_);
        const int count = known == state_.by_address.end() ? 0 : known->second;
        granted_ = (!of_all_ || state_.service.connections < state_.settings.connections) &&
                   (address_.empty() || count < state_.settings.connections_per_address);
        if (!granted_) {
            ++state_.service.connections_refused;
            return;
        }
        if (!address_.empty()) ++state_.by_address[address_];
        if (of_all_) ++state_.service.connections;
    }
    ~Place() {
        if (!granted_) return;
        const std::lock_guard lock(state_.mutex);
        if (!address_.empty() && --state_.by_address[address_] == 0) state_.by_address.erase(address_);
        if (of_all_) --state_.service.connections;
    }
    Place(const Place &) = delete;
    Place &operator=(const Place &) = delete;
    bool granted() const { return granted_; }

  private:
    State &state_;
    bool of_all_;
    std::string address_;
    bool granted_ = false;
};

class Busy {
  public:
    explicit Busy(std::atomic<int> &count) : count_(count) { ++count_; }
    ~Busy() { --count_; }
    Busy(const Busy &) = delete;
    Busy &operator=(const Busy &) = delete;

  private:
    std::atomic<int> &count_;
};

// One client's connection.
class Connection : public std::enable_shared_from_this<Connection> {
  public:
    // `balanced`: the peer is a load balancer, which has to name the client.
    Connection(State &state, tcp::socket socket, std::string peer, bool balanced)
        : state_(state),
          stream_(std::move(socket), state.tls),
          timer_(std::make_shared<asio::steady_timer>(stream_.get_executor())),
          read_timer_(stream_.get_executor()),
          peer_(std::move(peer)),
          balanced_(balanced) {}

    asio::awaitable<void> serve();

  private:
    using Parser = http::request_parser<http::buffer_body>;

    // Afterwards the connection is closed.
    void within(unsigned seconds) { beast::get_lowest_layer(stream_).expires_after(std::chrono::seconds(seconds)); }
    void read_within(unsigned seconds);
    void stop_reading_in_time() { ++read_period_; }
    bool is_late(const error_code &error) const { return error && (late_ || error == beast::error::timeout); }
    Fault fault_of(const error_code &error, const std::string &what) const;
    Head head_of(const Parser::value_type &message) const;
    asio::awaitable<bool> learn_client();
    void identify();
    asio::awaitable<bool> serve_one();
    asio::awaitable<Fault> read_body(Parser &parser, const Entry &entry, std::string &body, Upload &upload);
    asio::awaitable<bool> send(const Answer &answer, bool keep);
    asio::awaitable<void> hang_up();
    asio::awaitable<void> send_events(const Head &head, const Answer &answer, const Client &client);
    asio::awaitable<bool> wait_for(const Job &job, size_t &told, std::vector<std::string> &lines);
    asio::awaitable<bool> chunk(std::string text);
    void subscribe(Job &job);

    State &state_;
    Stream stream_;
    const std::shared_ptr<asio::steady_timer> timer_;
    asio::steady_timer read_timer_;
    unsigned read_period_ = 0;  // which of the calls of read_within() counts
    bool late_ = false;
    beast::flat_buffer buffer_{kBufferBytes};
    std::string peer_;
    const bool balanced_;
    std::optional<Place> place_;  // of the client that a balancer has named
    Identity certificate_;
    std::string certificate_fault_;
    unsigned version_ = 11;
};

// Reads are given up after so long, and the connection can still be written to. Should that go wrong, it is closed.
void Connection::read_within(unsigned seconds) {
    within(seconds + 2);
    late_ = false;
    read_timer_.expires_after(std::chrono::seconds(seconds));
    read_timer_.async_wait([weak = weak_from_this(), period = ++read_period_](const error_code &error) {
        const auto here = weak.lock();
        if (error || !here || here->read_period_ != period) return;
        here->late_ = true;
        beast::get_lowest_layer(here->stream_).cancel();
    });
}

// Why `what` was not read: of what the client did wrong, else "gone".
Fault Connection::fault_of(const error_code &error, const std::string &what) const {
    if (is_late(error)) return {"too-slow", "the " + what + " did not come in time"};
    if (error == http::error::buffer_overflow || error == http::error::header_limit)
        return {"too-large", "the " + what + " has more beside its data than is taken"};
    const bool ended = error == http::error::end_of_stream || error == http::error::partial_message;
    if (!ended && error.category() == make_error_code(http::error::bad_method).category())
        return {"bad-request", "that is no HTTP request: " + error.message()};
    return {"gone", error.message()};
}

Head Connection::head_of(const Parser::value_type &message) const {
    Head head;
    head.method = text_of(message.method_string());
    head.target = text_of(message.target());
    head.authorization = text_of(message[http::field::authorization]);
    head.accept = text_of(message[http::field::accept]);
    head.peer = peer_;
    head.certificate = certificate_;
    head.certificate_fault = certificate_fault_;
    return head;
}

// Whether the certificate is good is answered to each request and not by breaking off the handshake, so that the client
// learns why.
void Connection::identify() {
    SSL *ssl = stream_.native_handle();
    const trust::Certificate certificate(SSL_get1_peer_certificate(ssl));
    if (!certificate) return;
    certificate_fault_ = state_.service.access()->authorities.check(certificate.get(), SSL_get_peer_cert_chain(ssl));
    certificate_ = {Identity::Kind::Certificate, trust::subject(certificate.get()),
                    trust::fingerprint(certificate.get())};
}

// From what the balancer sends first. False if that says nothing, or of a client that has too many connections.
asio::awaitable<bool> Connection::learn_client() {
    error_code error;
    std::string bytes;
    std::optional<size_t> misses;
    while (!error && (misses = proxy_header_misses(bytes)) && *misses > 0) {
        const size_t before = bytes.size();
        bytes.resize(before + *misses);
        co_await asio::async_read(beast::get_lowest_layer(stream_), asio::buffer(bytes.data() + before, *misses),
                                  into(error));
    }
    // Balancers look whether the port is open.
    if (error && bytes.size() == 1) co_return false;
    const auto header = error ? std::nullopt : parse_proxy_header(bytes);
    if (!header) {
        Client client;
        client.peer = peer_;
        state_.service.refuse({}, client,
                              {"bad-request", error ? "the balancer did not name the client: " + error.message()
                                                    : "the balancer did not name the client in the PROXY protocol"});
        co_return false;
    }
    if (header->address.empty()) co_return true;
    peer_ = header->address;
    place_.emplace(state_, false, peer_);
    co_return place_->granted();
}

asio::awaitable<void> Connection::serve() {
    error_code error;
    within(state_.settings.handshake_s);
    if (balanced_) {
        const bool go_on = co_await learn_client();
        if (!go_on) co_return;
    }
    co_await stream_.async_handshake(ssl::stream_base::server, into(error));
    if (error) co_return;
    for (bool more = true; more && !state_.ending;)
        more = co_await serve_one();
    co_await hang_up();
}

// A connection that is closed with bytes in it that nobody has read takes the answer away from the client: what still
// comes within a second is thrown away, unless it is far too much.
asio::awaitable<void> Connection::hang_up() {
    error_code error;
    auto &plain = beast::get_lowest_layer(stream_);
    within(2);
    co_await stream_.async_shutdown(into(error));
    error = {};
    plain.socket().shutdown(tcp::socket::shutdown_send, error);
    plain.expires_after(std::chrono::seconds(1));
    std::string part(16 * 1024, '\0');
    for (size_t left = kDrainedBytes; !error && left > 0;) {
        const size_t got = co_await plain.async_read_some(asio::buffer(part), into(error));
        left -= std::min(left, got);
    }
}

asio::awaitable<bool> Connection::serve_one() {
    error_code error;
    // Until the first byte the client is idle; from then on it has to send the header in time.
    if (buffer_.size() == 0) {
        within(state_.settings.idle_s);
        const size_t got = co_await stream_.async_read_some(buffer_.prepare(4096), into(error));
        if (error) co_return false;
        buffer_.commit(got);
    }
    const Busy busy(state_.busy);
    identify();
    Parser parser;
    parser.header_limit(kHeaderBytes);
    // read_body() counts. Not boost::none, which Boost 1.74 takes for less than any length.
    parser.body_limit(std::numeric_limits<uint64_t>::max());
    read_within(state_.settings.header_s);
    co_await http::async_read_header(stream_, buffer_, parser, into(error));
    stop_reading_in_time();
    Head head = head_of(parser.get());
    Entry entry;
    entry.client.identity = certificate_;
    entry.client.peer = peer_;
    if (error) {
        const Fault fault = fault_of(error, "header");
        if (fault.tag == "gone") co_return false;
        const Answer answer = state_.service.refuse(head, entry.client, fault);
        co_await send(answer, false);
        co_return false;
    }
    version_ = parser.get().version();
    if (const auto length = parser.content_length()) head.length = *length;
    entry = state_.service.enter(head);
    if (entry.refusal) {
        const bool more = parser.get().keep_alive() && parser.is_done();
        const bool sent = co_await send(*entry.refusal, more);
        co_return sent;
    }
    if (beast::iequals(parser.get()[http::field::expect], "100-continue")) {
        http::response<http::empty_body> go(http::status::continue_, version_);
        co_await http::async_write(stream_, go, into(error));
        if (error) co_return false;
    }
    std::string body;
    Upload upload;
    const Fault fault = co_await read_body(parser, entry, body, upload);
    stop_reading_in_time();
    if (fault) {
        if (fault.tag == "gone") co_return false;
        const Answer answer = state_.service.refuse(head, entry.client, fault);
        co_await send(answer, false);
        co_return false;
    }
    // The answer owns the file.
    if (entry.to_file) body = std::exchange(upload.path, "");
    const Answer answer = state_.service.answer(head, entry.client, body);
    const bool keep = parser.get().keep_alive() && !state_.ending;
    if (!answer.job) {
        const bool sent = co_await send(answer, keep);
        co_return sent;
    }
    subscribe(*answer.job);
    if (answer.form == Form::Events) {
        co_await send_events(head, answer, entry.client);
        co_return false;
    }
    size_t told = 0;
    for (bool ended = false; !ended;) {
        std::vector<std::string> lines;
        ended = co_await wait_for(*answer.job, told, lines);
    }
    const Answer last = state_.service.finish(head, entry.client, answer);
    const bool sent = co_await send(last, keep);
    co_return sent;
}

// Into memory, or into a file when there may be much of it.
asio::awaitable<Fault> Connection::read_body(Parser &parser, const Entry &entry, std::string &body, Upload &upload) {
    if (entry.to_file) {
        Draft draft = draft_file(state_.settings.drafts_gate, state_.settings.uploads, kUpload);
        upload.path = draft.path;
        upload.file = std::move(draft.lock);
        if (upload.path.empty())
            co_return Fault{"state-unwritable", "the upload cannot be kept: " + std::string(strerror(errno))};
    }
    const int fd = upload.file.get();
    read_within(entry.to_file ? state_.settings.upload_s : state_.settings.body_s);
    std::string part(64 * 1024, '\0');
    uint64_t total = 0;
    while (!parser.is_done()) {
        if (late_) co_return fault_of(beast::error::timeout, "body");
        parser.get().body().data = part.data();
        parser.get().body().size = part.size();
        error_code error;
        co_await http::async_read(stream_, buffer_, parser, into(error));
        if (error == http::error::need_buffer) error = {};
        if (error) co_return fault_of(error, "body");
        const size_t got = part.size() - parser.get().body().size;
        total += got;
        if (total > entry.body_limit)
            co_return Fault{"too-large", "the body has more than " + std::to_string(entry.body_limit) + " bytes"};
        if (fd < 0)
            body.append(part.data(), got);
        else if (write(fd, part.data(), got) != static_cast<ssize_t>(got))
            co_return Fault{"state-unwritable", "the upload cannot be kept: " + std::string(strerror(errno))};
    }
    co_return Fault{};
}

asio::awaitable<bool> Connection::send(const Answer &answer, bool keep) {
    http::response<http::string_body> message(static_cast<http::status>(answer.status), version_);
    message.set(http::field::server, "tapir");
    message.set(http::field::content_type, answer.type);
    for (const auto &[name, value] : answer.headers)
        message.set(name, value);
    message.body() = answer.body;
    message.keep_alive(keep);
    message.prepare_payload();
    within(state_.settings.write_s);
    error_code error;
    co_await http::async_write(stream_, message, into(error));
    co_return !error && keep;
}

// News wakes the connection through its timer. The job may outlive the connection, and then wakes nobody.
void Connection::subscribe(Job &job) {
    job.subscribe([timer = std::weak_ptr(timer_), executor = stream_.get_executor()] {
        asio::post(executor, [timer] {
            if (const auto there = timer.lock()) there->expires_at(asio::steady_timer::time_point::min());
        });
    });
}

// Waits for news; true when the job has ended.
asio::awaitable<bool> Connection::wait_for(const Job &job, size_t &told, std::vector<std::string> &lines) {
    // Set before news is looked for: what comes later runs on the same strand and so finds the timer waiting.
    timer_->expires_after(std::chrono::seconds(1));
    bool ended = job.news(told, lines);
    if (!ended && lines.empty()) {
        error_code error;
        co_await timer_->async_wait(into(error));
        ended = job.news(told, lines);
    }
    told += lines.size();
    co_return ended;
}

asio::awaitable<bool> Connection::chunk(std::string text) {
    within(state_.settings.write_s);
    error_code error;
    co_await asio::async_write(stream_, http::make_chunk(asio::const_buffer(text.data(), text.size())), into(error));
    co_return !error;
}

// A line of JSON for each piece of news, and the answer as the last one.
asio::awaitable<void> Connection::send_events(const Head &head, const Answer &answer, const Client &client) {
    http::response<http::empty_body> message(http::status::ok, version_);
    message.set(http::field::server, "tapir");
    message.set(http::field::content_type, "application/x-ndjson");
    message.chunked(true);
    message.keep_alive(false);
    http::response_serializer<http::empty_body> serializer(message);
    within(state_.settings.write_s);
    error_code error;
    co_await http::async_write_header(stream_, serializer, into(error));
    size_t told = 0;
    bool ended = false;
    while (!error && !ended) {
        std::vector<std::string> lines;
        ended = co_await wait_for(*answer.job, told, lines);
        for (const std::string &line : lines) {
            const nlohmann::json event = {{"event", "message"}, {"text", line}};
            const bool sent =
                co_await chunk(event.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n");
            if (!sent) co_return;
        }
    }
    if (error) co_return;
    const Answer last = state_.service.finish(head, client, answer);
    nlohmann::json event = nlohmann::json::parse(last.body, nullptr, false);
    event["event"] = "end";
    event["status"] = last.status;
    const bool sent = co_await chunk(event.dump() + "\n");
    if (!sent) co_return;
    co_await asio::async_write(stream_, http::make_chunk_last(), into(error));
}

}  // namespace

std::string Listener::State::open() {
    error_code error;
    tls.set_options(ssl::context::no_sslv2 | ssl::context::no_sslv3 | ssl::context::no_tlsv1 |
                    ssl::context::no_tlsv1_1 | ssl::context::single_dh_use);
    SSL_CTX *context = tls.native_handle();
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    // A session that is taken up again would not show its certificate again.
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context, 0);
    tls.use_certificate_chain_file(settings.certificate, error);
    if (error) return settings.certificate + ": " + error.message();
    tls.use_private_key_file(settings.key, ssl::context::pem, error);
    if (error) return settings.key + ": " + error.message();
    if (settings.ask_for_certificates) {
        tls.set_verify_mode(ssl::verify_peer);
        // identify() decides.
        tls.set_verify_callback([](bool, ssl::verify_context &) { return true; });
    }
    for (const std::string &balancer : settings.balancers) {
        const auto known = asio::ip::make_address(balancer, error);
        if (error) return "'" + balancer + "' is no address (--balancer)";
        balancers.insert(plain_address(known.to_string()));
    }
    const auto address = asio::ip::make_address(settings.address, error);
    if (error) return "'" + settings.address + "' is no address";
    const tcp::endpoint endpoint(address, settings.port);
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error && address.is_v6()) acceptor.set_option(asio::ip::v6_only(false), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(4096, error);
    return error ? settings.address + ", port " + std::to_string(settings.port) + ": " + error.message() : "";
}

asio::awaitable<void> Listener::State::accept() {
    for (;;) {
        error_code error;
        tcp::socket socket(asio::make_strand(io));
        co_await acceptor.async_accept(socket, into(error));
        if (error == asio::error::operation_aborted || ending) co_return;
        if (error) {
            // Out of descriptors, most likely: others end.
            asio::steady_timer pause(io, std::chrono::milliseconds(100));
            co_await pause.async_wait(into(error));
            continue;
        }
        const auto endpoint = socket.remote_endpoint(error);
        if (error) continue;
        const std::string peer = plain_address(endpoint.address().to_string());
        const bool balanced = balancers.count(peer) != 0;
        auto place = std::make_shared<Place>(*this, true, balanced ? "" : peer);
        if (!place->granted()) continue;
        const auto executor = socket.get_executor();
        auto connection = std::make_shared<Connection>(*this, std::move(socket), peer, balanced);
        asio::co_spawn(
            executor, [connection, place]() -> asio::awaitable<void> { co_await connection->serve(); }, asio::detached);
    }
}

asio::awaitable<void> Listener::State::end() {
    error_code ignored;
    ending = true;
    acceptor.close(ignored);
    service.stop();
    const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(settings.grace_s);
    asio::steady_timer pause(io);
    while (busy > 0 && std::chrono::steady_clock::now() < last) {
        pause.expires_after(std::chrono::milliseconds(50));
        co_await pause.async_wait(into(ignored));
    }
    io.stop();
}

asio::awaitable<void> Listener::State::watch_signals(std::function<void()> reload) {
    for (;;) {
        error_code error;
        const int number = co_await signals.async_wait(into(error));
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

std::string Listener::open() {
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
    for (unsigned i = 1; i < state_->settings.threads; ++i)
        threads.emplace_back([this] { state_->io.run(); });
    state_->io.run();
    for (std::thread &thread : threads)
        thread.join();
}

}  // namespace tapir::server
