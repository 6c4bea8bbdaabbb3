// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/request_head.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace tapir::server {
namespace {

constexpr size_t kMostDigits = 18;  // of a length: it fits into 64 bits

bool is_name_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_control(char c) {
    return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
}

bool is_number(std::string_view text) {
    return !text.empty() && text.size() <= kMostDigits &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool same(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string_view trimmed(std::string_view text) {
    const size_t from = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(from);
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

Fault bad_head(std::string text) {
    return {FaultTag::BadRequest, std::move(text)};
}

// The header's fields that decide where the body ends and whom the request is for.
class Fields {
  public:
    explicit Fields(std::string_view request) : old_(request.ends_with("HTTP/1.0")) {}

    Outcome<void> add(std::string_view line) {
        if (line[0] == ' ' || line[0] == '\t') return bad_head("a line of the header goes on in the next one");
        const size_t colon = line.find(':');
        const std::string_view name = line.substr(0, colon);
        if (colon == std::string_view::npos || name.empty() ||
            !std::all_of(name.begin(), name.end(), is_name_character))
            return bad_head("a line of the header is not NAME: VALUE, without a blank before the ':'");
        const std::string_view value = trimmed(line.substr(colon + 1));
        if (same(name, "Host") && ++hosts_ > 1) return bad_head("there is more than one Host");
        if (same(name, "Content-Length")) {
            if (++lengths_ > 1) return bad_head("there is more than one Content-Length");
            if (!is_number(value)) return bad_head("Content-Length is not a number");
        }
        if (same(name, "Transfer-Encoding")) {
            if (++encodings_ > 1) return bad_head("there is more than one Transfer-Encoding");
            if (!same(value, "chunked") || old_)
                return bad_head("Transfer-Encoding can only be 'chunked', in HTTP/1.1");
        }
        return {};
    }

    Outcome<void> check() const {
        if (lengths_ && encodings_) return bad_head("there are both Content-Length and Transfer-Encoding");
        if (!hosts_ && !old_) return bad_head("there is no Host");
        return {};
    }

  private:
    const bool old_;
    int hosts_ = 0, lengths_ = 0, encodings_ = 0;
};

Outcome<void> check_lines(const std::vector<std::string_view> &lines) {
    Fields fields(lines[0]);
    for (size_t i = 1; i < lines.size(); ++i)
        if (Outcome<void> added = fields.add(lines[i]); !added) return added;
    return fields.check();
}

}  // namespace

Outcome<size_t> check_head(std::string_view bytes) {
    std::vector<std::string_view> lines;
    size_t at = 0;
    for (size_t end; (end = bytes.find('\n', at)) != std::string_view::npos; at = end + 1) {
        if (end == at || bytes[end - 1] != '\r') return bad_head("a line of the header does not end in CR LF");
        const std::string_view line = bytes.substr(at, end - 1 - at);
        if (line.empty() && lines.empty()) return bad_head("that is no HTTP request: its first line is empty");
        if (std::any_of(line.begin(), line.end(), is_control)) return bad_head("the header has a control character");
        if (line.empty()) {
            const Outcome<void> good = check_lines(lines);
            return good ? Outcome<size_t>(end + 1) : good.fault();
        }
        lines.push_back(line);
    }
    std::string_view rest = bytes.substr(at);
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    if (std::any_of(rest.begin(), rest.end(), is_control)) return bad_head("the header has a control character");
    if (!bytes.empty() && !is_name_character(bytes[0])) return bad_head("that is no HTTP request");
    return size_t{0};
}

}  // namespace tapir::server
