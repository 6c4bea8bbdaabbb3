// SPDX-License-Identifier: GPL-2.0-or-later
#include "lsp/server.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "common/files.h"
#include "lsp/request_refusal.h"

namespace tapir::lsp {

namespace {

using nlohmann::json;

constexpr int kParseError = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601, kInternal = -32603,
              kNotInitialized = -32002, kCancelled = -32800;

// A client that writes is not disturbed by what takes long.
constexpr int kPauseMs = 300;

json params_of(const json &message) {
    const auto found = message.find("params");
    return found == message.end() ? json::object() : *found;
}

}  // namespace

void Server::send(const json &message) {
    if (!write_all(output_, framed(message))) exit_ = exit_.value_or(1);
}

void Server::fail(const json &id, int code, const std::string &text) {
    send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", text}}}});
}

// False: the client is gone.
bool Server::read_input() {
    constexpr size_t kPiece = 65536;
    std::array<char, kPiece> bytes;
    const ssize_t count = read(input_, bytes.data(), bytes.size());
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    framing_.add({bytes.data(), static_cast<size_t>(count)});
    return count > 0;
}

void Server::take_messages() {
    constexpr size_t kMostWaiting = 10'000;
    std::string text;
    while (queue_.size() < kMostWaiting && framing_.take(text)) {
        if (text.empty()) {
            fail(nullptr, kInvalidRequest, "the message is too long");
            continue;
        }
        json message = json::parse(text, nullptr, false);
        if (message.is_discarded()) {
            fail(nullptr, kParseError, "the message is not JSON");
            continue;
        }
        if (message.is_object() && message.value("method", json()) == "$/cancelRequest") {
            const json id = params_of(message).is_object() ? params_of(message).value("id", json()) : json();
            const auto waiting = std::ranges::find_if(queue_, [&](const json &one) {
                return one.is_object() && one.contains("id") && one["id"] == id && one.contains("method");
            });
            if (waiting == queue_.end()) continue;
            queue_.erase(waiting);
            fail(id, kCancelled, "cancelled");
            continue;
        }
        queue_.push_back(std::move(message));
    }
}

void Server::handle(const json &message) {
    if (!message.is_object() || message.value("jsonrpc", json()) != "2.0") {
        fail(nullptr, kInvalidRequest, "this is no message of JSON-RPC 2.0");
        return;
    }
    const bool has_id = message.contains("id");
    if (!message.contains("method")) return;  // an answer; nothing was asked
    if (!message["method"].is_string()) {
        fail(has_id ? message["id"] : json(), kInvalidRequest, "the method is no text");
        return;
    }
    const std::string method = message["method"];
    if (has_id)
        handle_request(message, method);
    else
        handle_notification(params_of(message), method);
}

void Server::handle_request(const json &message, const std::string &method) {
    static const std::map<std::string, Method> methods = {
        {"initialize", &Server::initialize},
        {"shutdown", &Server::shutdown},
        {"textDocument/completion", &Server::complete},
        {"textDocument/hover", &Server::hover},
        {"textDocument/definition", &Server::definition},
        {"textDocument/references", &Server::references},
        {"textDocument/documentHighlight", &Server::highlights},
        {"textDocument/prepareRename", &Server::prepare_rename},
        {"textDocument/rename", &Server::rename},
        {"textDocument/formatting", &Server::format},
        {"textDocument/documentSymbol", &Server::symbols},
    };
    const json &id = message["id"];
    if (phase_ == Phase::New && method != "initialize") return fail(id, kNotInitialized, "'initialize' comes first");
    if (phase_ == Phase::Running && method == "initialize")
        return fail(id, kInvalidRequest, "'initialize' came already");
    if (phase_ == Phase::ShutDown) return fail(id, kInvalidRequest, "the server is shut down");
    const auto found = methods.find(method);
    if (found == methods.end()) return fail(id, kMethodNotFound, "there is no method '" + method + "'");
    try {
        json result = (this->*found->second)(params_of(message));
        send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
    } catch (const Refusal &refusal) {
        fail(id, refusal.code, refusal.text);
    } catch (const json::exception &wrong) {
        fail(id, kInvalidParams, std::string("parameters are not as they should be: ") + wrong.what());
    } catch (const std::exception &wrong) {
        fail(id, kInternal, wrong.what());
    }
}

void Server::handle_notification(const json &params, const std::string &method) {
    if (method == "exit") {
        exit_ = phase_ == Phase::ShutDown ? 0 : 1;
        return;
    }
    if (phase_ != Phase::Running) return;
    try {
        if (method == "textDocument/didOpen") open(params);
        if (method == "textDocument/didChange") change(params);
        if (method == "textDocument/didClose") close(params);
        // The names of the library are read before someone waits for them.
        if (method == "initialized") host_.vocabulary(), cold_ = true;
    } catch (const std::exception &wrong) {
        send({{"jsonrpc", "2.0"},
              {"method", "window/logMessage"},
              {"params", {{"type", 2}, {"message", method + ": " + wrong.what()}}}});
    }
}

void Server::publish(Document &document, const std::vector<Problem> &problems) {
    json list = json::array();
    for (const Problem &problem : problems) {
        const size_t begin = document.offset_of(problem.line, problem.column);
        const size_t line_end = std::min(document.text().find('\n', begin), document.text().size());
        const size_t end = std::min(begin + std::max<size_t>(problem.length, 1), std::max(line_end, begin));
        list.push_back({{"range", document.range(begin, end, encoding_)},
                        {"severity", problem.warning ? 2 : 1},
                        {"source", "stap"},
                        {"message", problem.text}});
    }
    send({{"jsonrpc", "2.0"},
          {"method", "textDocument/publishDiagnostics"},
          {"params", {{"uri", document.uri()}, {"version", document.version()}, {"diagnostics", std::move(list)}}}});
}

// Tells the problems that are seen at once of documents that changed.
void Server::look_at_changes() {
    for (const std::string &uri : changed_) {
        const auto found = documents_.find(uri);
        if (found == documents_.end()) continue;
        const SourceFile source = source_of(found->second);
        const std::vector<Problem> problems = host_.parse(source);
        publish(found->second, problems);
        if (std::ranges::all_of(problems, [](const Problem &problem) { return problem.warning; }))
            unchecked_.insert(uri);
        else
            unchecked_.erase(uri);
    }
    changed_.clear();
}

void Server::take_check() {
    const auto problems = host_.take_check();
    if (!problems) return;
    const auto found = documents_.find(std::exchange(checked_, {}));
    if (found != documents_.end() && found->second.version() == checked_version_) publish(found->second, *problems);
}

int Server::run() {
    bool gone = false;
    // Messages that the client sent before it went are handled.
    while (!exit_ && !(gone && queue_.empty())) {
        std::array<pollfd, 2> wait{{{gone ? -1 : input_, POLLIN, 0}, {host_.check_descriptor(), POLLIN, 0}}};
        const bool idle = queue_.empty();
        const int timeout = !idle || cold_ ? 0 : unchecked_.empty() || wait[1].fd >= 0 ? -1 : kPauseMs;
        const int ready = poll(wait.data(), wait.size(), timeout);
        if (ready < 0 && errno != EINTR) return 1;
        if (ready > 0 && wait[0].revents) gone = !read_input();
        if (ready > 0 && wait[1].revents) take_check();
        take_messages();
        if (!queue_.empty()) {
            const json message = std::move(queue_.front());
            queue_.pop_front();
            handle(message);
        } else if (ready == 0 && idle && cold_) {
            cold_ = false;
            host_.warm_up();
        } else if (ready == 0 && idle && !unchecked_.empty() && host_.check_descriptor() < 0) {
            checked_ = *unchecked_.begin();
            unchecked_.erase(unchecked_.begin());
            if (const auto found = documents_.find(checked_); found != documents_.end()) {
                checked_version_ = found->second.version();
                host_.begin_check(found->second.text());
            }
        }
        if (queue_.empty() && !changed_.empty()) look_at_changes();
    }
    return exit_.value_or(1);
}

}  // namespace tapir::lsp
