// SPDX-License-Identifier: GPL-2.0-or-later
// Requests and notifications about documents.
#include <algorithm>

#include "complete/uses.h"
#include "format/format_script.h"
#include "lsp/request_refusal.h"
#include "lsp/server.h"
#include "syntax/parser.h"

namespace tapir::lsp {

namespace {

using nlohmann::json;

constexpr size_t kMostDocuments = 1000, kMostBytes = size_t{64} << 20;

// CompletionItemKind
int item_kind(complete::Kind kind) {
    using Kind = complete::Kind;
    switch (kind) {
        case Kind::Function:
            return 3;
        case Kind::Member:
            return 5;
        case Kind::Global:
        case Kind::Local:
        case Kind::Target:
            return 6;
        case Kind::Option:
            return 10;
        case Kind::Point:
            return 23;
        case Kind::Operator:
            return 24;
        case Kind::Fact:
            return 21;
        case Kind::Macro:
            return 15;
        case Kind::Keyword:
            break;
    }
    return 14;
}

// SymbolKind
int symbol_kind(complete::Kind kind) {
    using Kind = complete::Kind;
    return kind == Kind::Function ? 12 : kind == Kind::Point ? 24 : kind == Kind::Macro ? 14 : 13;
}

std::string shown(const complete::Name &name, bool markdown) {
    std::string text;
    const std::string &head = name.signature.empty() ? name.name : name.signature;
    text = markdown ? "```systemtap\n" + head + "\n```" : head;
    if (!name.text.empty()) text += "\n\n" + name.text;
    return text;
}

size_t byte_at(const Document &document, const json &params, Encoding encoding) {
    return document.offset(params.at("position"), encoding);
}

// Where a word of this length begins and ends around an offset.
std::pair<size_t, size_t> word_around(const std::string &text, size_t offset) {
    const auto part = [&](size_t i) { return std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_'; };
    size_t begin = offset, end = offset;
    while (begin > 0 && part(begin - 1))
        begin--;
    while (end < text.size() && part(end))
        end++;
    if (begin > 0 && (text[begin - 1] == '$' || text[begin - 1] == '@')) begin--;
    return {begin, end};
}

json item_of(const complete::Suggestion &suggestion, const json &range, bool markdown) {
    const complete::Name &name = suggestion.name;
    json item = {{"label", name.name},
                 {"kind", item_kind(name.kind)},
                 {"filterText", suggestion.insert},
                 {"textEdit", {{"range", range}, {"newText", suggestion.insert}}}};
    if (!name.signature.empty()) item["detail"] = name.signature;
    if (!name.text.empty())
        item["documentation"] = {{"kind", markdown ? "markdown" : "plaintext"}, {"value", name.text}};
    return item;
}

// Where a name is declared: in the document itself, its own place in its line.
json place_of(const complete::Name &name, const Document &document, Encoding encoding) {
    if (name.file != path_of(document.uri())) {
        const json at = {{"line", name.line - 1}, {"character", 0}};
        return {{"uri", uri_of(name.file)}, {"range", {{"start", at}, {"end", at}}}};
    }
    const std::string plain = name.name.starts_with('@') ? name.name.substr(1) : name.name;
    const size_t begin =
        std::min(document.text().find(plain, document.offset_of(name.line, 1)), document.text().size());
    return {{"uri", document.uri()}, {"range", document.range(begin, begin + plain.size(), encoding)}};
}

}  // namespace

const Document &Server::document_of(const json &params) const {
    const std::string uri = params.at("textDocument").at("uri");
    const auto found = documents_.find(uri);
    if (found == documents_.end()) throw Refusal{kInvalidParams, "'" + uri + "' is not open"};
    return found->second;
}

SourceFile Server::source_of(const Document &document) const {
    return SourceFile(path_of(document.uri()), document.text(), Origin::UserScript);
}

json Server::initialize(const json &params) {
    phase_ = Phase::Running;
    const json capabilities = params.value("capabilities", json::object());
    const json general = capabilities.value("general", json::object());
    const json encodings = general.value("positionEncodings", json::array());
    // UTF-8 needs no counting.
    if (std::ranges::find(encodings, json("utf-8")) != encodings.end())
        encoding_ = Encoding::Utf8;
    else if (!encodings.empty() && std::ranges::find(encodings, json("utf-16")) == encodings.end() &&
             std::ranges::find(encodings, json("utf-32")) != encodings.end())
        encoding_ = Encoding::Utf32;
    const char *encoding = encoding_ == Encoding::Utf8 ? "utf-8" : encoding_ == Encoding::Utf32 ? "utf-32" : "utf-16";
    const auto formats = capabilities.value("/textDocument/hover/contentFormat"_json_pointer, json::array());
    markdown_ = std::ranges::find(formats, json("markdown")) != formats.end();
    return {{"serverInfo", {{"name", "stap"}}},
            {"capabilities",
             {{"positionEncoding", encoding},
              {"textDocumentSync", {{"openClose", true}, {"change", 2}}},
              {"completionProvider", {{"triggerCharacters", {".", "$", "@", ">", "\""}}}},
              {"hoverProvider", true},
              {"definitionProvider", true},
              {"referencesProvider", true},
              {"documentHighlightProvider", true},
              {"documentSymbolProvider", true},
              {"renameProvider", {{"prepareProvider", true}}},
              {"documentFormattingProvider", true}}}};
}

json Server::shutdown(const json &) {
    phase_ = Phase::ShutDown;
    return nullptr;
}

void Server::open(const json &params) {
    const json &item = params.at("textDocument");
    std::string uri = item.at("uri"), text = item.at("text");
    size_t bytes = text.size();
    for (const auto &[known, document] : documents_)
        bytes += document.text().size();
    if (documents_.size() >= kMostDocuments || bytes > kMostBytes)
        throw std::runtime_error("too many or too large documents are open; '" + uri + "' is left out");
    documents_.erase(uri);
    documents_.emplace(uri, Document(uri, std::move(text), item.value("version", int64_t{0})));
    changed_.insert(uri);
}

void Server::change(const json &params) {
    const json &item = params.at("textDocument");
    const std::string uri = item.at("uri");
    const auto found = documents_.find(uri);
    if (found == documents_.end()) throw std::runtime_error("'" + uri + "' is not open");
    if (!found->second.change(params.at("contentChanges"), item.value("version", int64_t{0}), encoding_))
        throw std::runtime_error("the change of '" + uri + "' is malformed");
    // A text that has grown too large is let go.
    if (found->second.text().size() > kMostBytes) documents_.erase(found);
    changed_.insert(uri);
}

void Server::close(const json &params) {
    const std::string uri = params.at("textDocument").at("uri");
    const auto found = documents_.find(uri);
    if (found == documents_.end()) return;
    publish(found->second, {});
    documents_.erase(found);
    changed_.erase(uri);
    unchecked_.erase(uri);
}

json Server::complete(const json &params) {
    const Document &document = document_of(params);
    const size_t offset = byte_at(document, params, encoding_);
    const SourceFile source = source_of(document);
    const complete::Completer completer(host_.vocabulary(), host_.target_names());
    const complete::Completion found = completer.complete(source, offset);
    const json range = document.range(found.begin, offset, encoding_);
    json items = json::array();
    for (const complete::Suggestion &suggestion : found.names)
        items.push_back(item_of(suggestion, range, markdown_));
    return {{"isIncomplete", !found.whole}, {"items", std::move(items)}};
}

json Server::hover(const json &params) {
    const Document &document = document_of(params);
    const size_t offset = byte_at(document, params, encoding_);
    const SourceFile source = source_of(document);
    std::string word, text;
    const complete::Completer completer(host_.vocabulary(), host_.target_names());
    for (const complete::Name &name : completer.meanings(source, offset, word))
        text += (text.empty() ? "" : "\n\n") + shown(name, markdown_);
    if (text.empty()) return nullptr;
    const auto [begin, end] = word_around(document.text(), offset);
    return {{"contents", {{"kind", markdown_ ? "markdown" : "plaintext"}, {"value", text}}},
            {"range", document.range(begin, end, encoding_)}};
}

json Server::definition(const json &params) {
    const Document &document = document_of(params);
    const size_t offset = byte_at(document, params, encoding_);
    const SourceFile source = source_of(document);
    json places = json::array();
    std::string word;
    const complete::Completer completer(host_.vocabulary(), nullptr);
    for (const complete::Name &name : completer.meanings(source, offset, word))
        if (name.line) places.push_back(place_of(name, document, encoding_));
    if (!places.empty()) return places;
    // A local variable is declared where it stands first.
    const std::vector<size_t> same = complete::same_name(document.text(), offset);
    if (same.empty()) return nullptr;
    const size_t length = word_around(document.text(), same.front()).second - same.front();
    return {{"uri", document.uri()}, {"range", document.range(same.front(), same.front() + length, encoding_)}};
}

json Server::references(const json &params) {
    const Document &document = document_of(params);
    json places = json::array();
    for (const size_t begin : complete::same_name(document.text(), byte_at(document, params, encoding_))) {
        const size_t end = word_around(document.text(), begin).second;
        places.push_back({{"uri", document.uri()}, {"range", document.range(begin, end, encoding_)}});
    }
    return places;
}

json Server::highlights(const json &params) {
    json places = references(params);
    for (json &place : places)
        place.erase("uri");
    return places;
}

json Server::prepare_rename(const json &params) {
    const Document &document = document_of(params);
    const size_t offset = byte_at(document, params, encoding_);
    const auto [begin, end] = word_around(document.text(), offset);
    // A name that nothing has.
    const auto places = complete::rename_places(document.text(), offset, "tapir_renamed_");
    if (!places) throw Refusal{kRequestFailed, places.fault().message()};
    return document.range(begin, end, encoding_);
}

json Server::rename(const json &params) {
    const Document &document = document_of(params);
    const std::string name = params.at("newName");
    const auto places = complete::rename_places(document.text(), byte_at(document, params, encoding_), name);
    if (!places) throw Refusal{kRequestFailed, places.fault().message()};
    json edits = json::array();
    for (const size_t begin : *places) {
        const size_t end = word_around(document.text(), begin).second;
        edits.push_back({{"range", document.range(begin, end, encoding_)}, {"newText", name}});
    }
    return {{"changes", {{document.uri(), std::move(edits)}}}};
}

json Server::format(const json &params) {
    const Document &document = document_of(params);
    const SourceFile source = source_of(document);
    Diagnostics diagnostics;
    const auto text = formatter::format_script(source, {}, diagnostics);
    if (!text) throw Refusal{kRequestFailed, diagnostics.all().front()->message};
    if (*text == document.text()) return json::array();
    return json::array({{{"range", document.range(0, document.text().size(), encoding_)}, {"newText", *text}}});
}

json Server::symbols(const json &params) {
    const Document &document = document_of(params);
    json list = json::array();
    for (const complete::Name &name : complete::names_of_script(source_of(document))) {
        const size_t begin = document.offset_of(name.line, 1);
        const size_t end = std::min(document.text().find('\n', begin), document.text().size());
        const json range = document.range(begin, end, encoding_);
        list.push_back(
            {{"name", name.name}, {"kind", symbol_kind(name.kind)}, {"range", range}, {"selectionRange", range}});
    }
    return list;
}

}  // namespace tapir::lsp
