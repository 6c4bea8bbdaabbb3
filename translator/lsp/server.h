// SPDX-License-Identifier: GPL-2.0-or-later
// A language server for scripts: the language server protocol 3.17 over two descriptors.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "complete/complete.h"
#include "lsp/channel.h"
#include "lsp/document.h"

namespace tapir::lsp {

// A message about a script. Lines and columns count from 1, columns in bytes; line 0: about the script as a whole.
struct Problem {
    uint32_t line = 0, column = 0;
    size_t length = 0;
    bool warning = false;
    std::string text;
};
std::vector<Problem> problems_of(const Diagnostics &diagnostics, const SourceFile &script);
nlohmann::json to_json(const std::vector<Problem> &problems);
std::vector<Problem> problems_from(const nlohmann::json &list);

// The translator, as far as the server needs it.
class Host {
  public:
    virtual ~Host() = default;
    // Made when first asked for.
    virtual const complete::Vocabulary &vocabulary() = 0;
    virtual complete::TargetNames *target_names() = 0;
    // Problems that a look at the text alone shows, at once.
    virtual std::vector<Problem> parse(const SourceFile &script) = 0;
    // Prepares answers that take long at first. It is called once, when the client asks for nothing.
    virtual void warm_up() {}
    // Begins to look for all problems of a script, instead of any it looks for now.
    virtual void begin_check(const std::string &text) = 0;
    // A descriptor for poll(); -1: nothing is looked for.
    virtual int check_descriptor() = 0;
    // They are found, unless nothing.
    virtual std::optional<std::vector<Problem>> take_check() = 0;
};

class Server {
  public:
    Server(Host &host, int input, int output) : host_(host), input_(input), output_(output) {}
    // Serves until "exit", or until the client is gone. Returns the exit status: 0 after "shutdown", else 1.
    int run();

  private:
    using json = nlohmann::json;
    using Method = json (Server::*)(const json &params);

    bool read_input();
    void take_messages();
    void handle(const json &message);
    void handle_request(const json &message, const std::string &method);
    void handle_notification(const json &params, const std::string &method);
    void send(const json &message);
    void fail(const json &id, int code, const std::string &text);

    json initialize(const json &params);
    json shutdown(const json &params);
    json complete(const json &params);
    json hover(const json &params);
    json definition(const json &params);
    json references(const json &params);
    json highlights(const json &params);
    json prepare_rename(const json &params);
    json rename(const json &params);
    json format(const json &params);
    json symbols(const json &params);

    void open(const json &params);
    void change(const json &params);
    void close(const json &params);
    void publish(Document &document, const std::vector<Problem> &problems);
    void look_at_changes();
    void take_check();

    // The document and the place in it that a request is about; throws Refusal.
    const Document &document_of(const json &params) const;
    SourceFile source_of(const Document &document) const;

    Host &host_;
    int input_, output_;
    Framing framing_;
    std::deque<json> queue_;
    std::map<std::string, Document> documents_;  // by URI
    std::set<std::string> changed_;              // whose problems are not known yet
    std::string checked_;                        // URI of the one that is checked
    int64_t checked_version_ = 0;
    std::set<std::string> unchecked_;  // parsed, and to be checked when there is time
    Encoding encoding_ = Encoding::Utf16;
    bool markdown_ = false;
    bool cold_ = false;  // warm_up() is due
    enum class Phase : uint8_t { New, Running, ShutDown } phase_ = Phase::New;
    std::optional<int> exit_;
};

}  // namespace tapir::lsp
