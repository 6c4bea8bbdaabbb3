// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/connection.h"

#include <openssl/ssl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/version.hpp>
#include <cerrno>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/descriptor.h"
#include "common/files.h"
#include "server/lock.h"
#include "server/proxy_header.h"
#include "server/request_head.h"
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
// Bytes read but not parsed yet: a header, or the framing of chunks, which does not count as body.
constexpr size_t kBufferBytes = 128 * 1024;
constexpr size_t kDrainedBytes = 64 * 1024 * 1024;
constexpr auto kAwait = asio::use_awaitable;

auto into(error_code &error) {
    return asio::redirect_error(kAwait, error);
}

std::string text_of(const beast::string_view &text) {
    return std::string(text.data(), text.size());
}

// A temporary file; the destructor removes its name.
struct Upload {
    std::string path;
    Descriptor file;  // locked: it is being worked on
    ~Upload() {
        if (!path.empty()) unlink(path.c_str());
    }
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
    Connection(Surroundings &around, tcp::socket socket, std::string peer, bool balanced)
        : around_(around),
          stream_(std::move(socket), around.tls),
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
    Fault fault_of(const error_code &error, const std::string &what);
    Head head_of(const Parser::value_type &message) const;
    asio::awaitable<bool> learn_client();
    void identify();
    asio::awaitable<bool> serve_one();
    asio::awaitable<Outcome<void>> read_head();
    asio::awaitable<Outcome<void>> read_header(Parser &parser);
    asio::awaitable<void> refuse(const Head &head, const Client &client, const Fault &fault);
    asio::awaitable<bool> answer_request(const Head &head, const Client &client, const std::string &body, bool keep);
    asio::awaitable<Outcome<void>> read_body(Parser &parser, const Entry &entry, std::string &body, Upload &upload);
    asio::awaitable<bool> send(const Answer &answer, bool keep);
    asio::awaitable<bool> send_file(const Answer &answer, bool keep);
    asio::awaitable<void> hang_up();
    asio::awaitable<void> send_events(const Head &head, const Answer &answer, const Client &client);
    asio::awaitable<bool> wait_for(const Job &job, size_t &told, std::vector<std::string> &lines);
    asio::awaitable<bool> chunk(std::string text);
    void subscribe(Job &job);

    Surroundings &around_;
    Stream stream_;
    const std::shared_ptr<asio::steady_timer> timer_;
    asio::steady_timer read_timer_;
    unsigned read_period_ = 0;  // which of the calls of read_within() counts
    bool late_ = false;
    bool gone_ = false;  // the client has gone
    beast::flat_buffer buffer_{kBufferBytes};
    std::string peer_;
    const bool balanced_;
    std::optional<Place> place_;  // of the client that a balancer has named
    Identity certificate_;
    Outcome<void> certificate_good_;
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

// Returns why `what` was not read: the client's mistake, unless it is gone_.
Fault Connection::fault_of(const error_code &error, const std::string &what) {
    if (is_late(error)) return {FaultTag::TooSlow, "the " + what + " did not come in time"};
    if (error == http::error::buffer_overflow || error == http::error::header_limit)
        return {FaultTag::TooLarge, "the " + what + " has more beside its data than is taken"};
    const bool ended = error == http::error::end_of_stream || error == http::error::partial_message;
    if (!ended && error.category() == make_error_code(http::error::bad_method).category())
        return {FaultTag::BadRequest, "that is no HTTP request: " + error.message()};
    gone_ = true;
    return {FaultTag::BadRequest, error.message()};
}

Head Connection::head_of(const Parser::value_type &message) const {
    Head head;
    head.method = text_of(message.method_string());
    head.target = text_of(message.target());
    head.authorization = text_of(message[http::field::authorization]);
    head.accept = text_of(message[http::field::accept]);
    head.peer = peer_;
    head.certificate = certificate_;
    head.certificate_good = certificate_good_;
    return head;
}

// The answer to each request says whether the certificate is good. Breaking off the handshake would not tell the client
// why.
void Connection::identify() {
    SSL *ssl = stream_.native_handle();
    const trust::Certificate certificate(SSL_get1_peer_certificate(ssl));
    if (!certificate) return;
    certificate_good_ = around_.service.access()->authorities.check(certificate.get(), SSL_get_peer_cert_chain(ssl));
    certificate_ = {Identity::Kind::Certificate, trust::subject(certificate.get()),
                    trust::fingerprint(certificate.get())};
}

// Learns the client from the balancer's header. False if that is unusable, or if the client has too many connections.
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
        around_.service.refuse(
            {}, client,
            {FaultTag::BadRequest, error ? "the balancer did not name the client: " + error.message()
                                         : "the balancer did not name the client in the PROXY protocol"});
        co_return false;
    }
    if (header->address.empty()) co_return true;
    peer_ = header->address;
    place_.emplace(around_.places, false, peer_);
    co_return place_->granted();
}

asio::awaitable<void> Connection::serve() {
    error_code error;
    within(around_.settings.handshake_s);
    if (balanced_) {
        const bool go_on = co_await learn_client();
        if (!go_on) co_return;
    }
    co_await stream_.async_handshake(ssl::stream_base::server, into(error));
    if (error) co_return;
    for (bool more = true; more && !around_.ending;)
        more = co_await serve_one();
    co_await hang_up();
}

// Closing a socket with unread bytes resets the connection, and the client loses the answer. So this discards what
// arrives within a second, up to a limit.
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

// The bytes of the next request's header into the buffer, before anybody takes them apart.
asio::awaitable<Outcome<void>> Connection::read_head() {
    for (;;) {
        const auto bytes = buffer_.data();
        const Outcome<size_t> length = check_head({static_cast<const char *>(bytes.data()), bytes.size()});
        if (!length) co_return length.fault();
        if (*length > 0) co_return Outcome<void>();
        if (bytes.size() >= kHeaderBytes) co_return fault_of(http::error::header_limit, "header");
        error_code error;
        const size_t got = co_await stream_.async_read_some(buffer_.prepare(4096), into(error));
        if (error) co_return fault_of(error, "header");
        buffer_.commit(got);
    }
}

// Reads the header of the next request, or returns the fault in it. Sets gone_ if no request comes.
asio::awaitable<Outcome<void>> Connection::read_header(Parser &parser) {
    error_code error;
    identify();
    parser.header_limit(kHeaderBytes);
    // read_body() counts. Not boost::none, which Boost 1.74 takes for less than any length.
    parser.body_limit(std::numeric_limits<uint64_t>::max());
    read_within(around_.settings.header_s);
    const Outcome<void> head = co_await read_head();
    if (head) co_await http::async_read_header(stream_, buffer_, parser, into(error));
    stop_reading_in_time();
    if (!head) co_return head.fault();
    if (error) co_return fault_of(error, "header");
    version_ = parser.get().version();
    co_return Outcome<void>();
}

// Answers a wrong request; does nothing if the client has gone.
asio::awaitable<void> Connection::refuse(const Head &head, const Client &client, const Fault &fault) {
    if (gone_) co_return;
    const Answer answer = around_.service.refuse(head, client, fault);
    co_await send(answer, false);
}

// False when nothing more can come on this connection, here and below.
asio::awaitable<bool> Connection::serve_one() {
    error_code error;
    // Until the first byte the client is idle; from then on it has to send the header in time.
    if (buffer_.size() == 0) {
        within(around_.settings.idle_s);
        const size_t got = co_await stream_.async_read_some(buffer_.prepare(4096), into(error));
        if (error) co_return false;
        buffer_.commit(got);
    }
    const Busy busy(around_.busy);
    Parser parser;
    Outcome<void> read = co_await read_header(parser);
    Head head = head_of(parser.get());
    Entry entry;
    entry.client.identity = certificate_;
    entry.client.peer = peer_;
    if (!read) {
        co_await refuse(head, entry.client, read.fault());
        co_return false;
    }
    if (const auto length = parser.content_length()) head.length = *length;
    entry = around_.service.enter(head);
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
    read = co_await read_body(parser, entry, body, upload);
    stop_reading_in_time();
    if (!read) {
        co_await refuse(head, entry.client, read.fault());
        co_return false;
    }
    // The answer owns the file.
    if (entry.to_file) body = std::exchange(upload.path, "");
    const bool more = co_await answer_request(head, entry.client, body, parser.get().keep_alive());
    co_return more;
}

asio::awaitable<bool> Connection::answer_request(const Head &head, const Client &client, const std::string &body,
                                                 bool keep) {
    const Answer answer = around_.service.answer(head, client, body);
    keep = keep && !around_.ending;
    if (!answer.job) {
        const bool sent = co_await send(answer, keep);
        co_return sent;
    }
    subscribe(*answer.job);
    if (answer.form == Form::Events) {
        co_await send_events(head, answer, client);
        co_return false;
    }
    size_t told = 0;
    for (bool ended = false; !ended;) {
        std::vector<std::string> lines;
        ended = co_await wait_for(*answer.job, told, lines);
    }
    const Answer last = around_.service.finish(head, client, answer);
    const bool sent = co_await send(last, keep);
    co_return sent;
}

// Into memory, or into a file when there may be much of it.
asio::awaitable<Outcome<void>> Connection::read_body(Parser &parser, const Entry &entry, std::string &body,
                                                     Upload &upload) {
    if (entry.to_file) {
        Draft draft = draft_file(around_.settings.drafts_gate, around_.settings.uploads, kUpload);
        upload.path = draft.path;
        upload.file = std::move(draft.lock);
        if (upload.path.empty())
            co_return Fault{FaultTag::StateUnwritable, "the upload cannot be kept: " + std::string(strerror(errno))};
    }
    const int fd = upload.file.get();
    read_within(entry.to_file ? around_.settings.upload_s : around_.settings.body_s);
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
            co_return Fault{FaultTag::TooLarge,
                            "the body has more than " + std::to_string(entry.body_limit) + " bytes"};
        if (fd < 0)
            body.append(part.data(), got);
        else if (!write_all(fd, std::string_view(part).substr(0, got)))
            co_return Fault{FaultTag::StateUnwritable, "the upload cannot be kept: " + std::string(strerror(errno))};
    }
    co_return Outcome<void>();
}

// Piece by piece: each has to be taken in time.
asio::awaitable<bool> Connection::send_file(const Answer &answer, bool keep) {
    http::response<http::empty_body> message(static_cast<http::status>(answer.status), version_);
    message.set(http::field::server, "tapir");
    message.set(http::field::content_type, answer.type);
    for (const auto &[name, value] : answer.headers)
        message.set(name, value);
    message.content_length(answer.file_bytes);
    message.keep_alive(keep);
    http::response_serializer<http::empty_body> serializer(message);
    within(around_.settings.write_s);
    error_code error;
    co_await http::async_write_header(stream_, serializer, into(error));
    std::string part(64 * 1024, '\0');
    for (uint64_t at = 0; !error && at < answer.file_bytes;) {
        const size_t wanted = static_cast<size_t>(std::min<uint64_t>(part.size(), answer.file_bytes - at));
        const ssize_t got = pread(answer.file->get(), part.data(), wanted, static_cast<off_t>(at));
        if (got <= 0) co_return false;
        within(around_.settings.write_s);
        co_await asio::async_write(stream_, asio::buffer(part.data(), static_cast<size_t>(got)), into(error));
        at += static_cast<uint64_t>(got);
    }
    co_return !error && keep;
}

asio::awaitable<bool> Connection::send(const Answer &answer, bool keep) {
    if (answer.file) {
        const bool sent = co_await send_file(answer, keep);
        co_return sent;
    }
    http::response<http::string_body> message(static_cast<http::status>(answer.status), version_);
    message.set(http::field::server, "tapir");
    message.set(http::field::content_type, answer.type);
    for (const auto &[name, value] : answer.headers)
        message.set(name, value);
    message.body() = answer.body;
    message.keep_alive(keep);
    message.prepare_payload();
    within(around_.settings.write_s);
    error_code error;
    co_await http::async_write(stream_, message, into(error));
    co_return !error && keep;
}

// News wakes the connection through its timer. The job may outlive the connection; then news wakes nothing.
void Connection::subscribe(Job &job) {
    job.subscribe([timer = std::weak_ptr(timer_), executor = stream_.get_executor()] {
        asio::post(executor, [timer] {
            if (const auto there = timer.lock()) there->expires_at(asio::steady_timer::time_point::min());
        });
    });
}

// Waits for news; true when the job has ended.
asio::awaitable<bool> Connection::wait_for(const Job &job, size_t &told, std::vector<std::string> &lines) {
    // Set before looking for news: later news runs on the same strand and so finds the timer waiting.
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
    within(around_.settings.write_s);
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
    within(around_.settings.write_s);
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
    const Answer last = around_.service.finish(head, client, answer);
    nlohmann::json event = nlohmann::json::parse(last.body, nullptr, false);
    event["event"] = "end";
    event["status"] = last.status;
    const bool sent = co_await chunk(event.dump() + "\n");
    if (!sent) co_return;
    co_await asio::async_write(stream_, http::make_chunk_last(), into(error));
}

}  // namespace

asio::awaitable<void> serve_connection(Surroundings &around, tcp::socket socket, std::string peer, bool balanced,
                                       std::shared_ptr<const Place> place) {
    const auto connection = std::make_shared<Connection>(around, std::move(socket), std::move(peer), balanced);
    co_await connection->serve();
    place.reset();
}

}  // namespace tapir::server
