// SPDX-License-Identifier: GPL-2.0-or-later
#include "remote/host_name.h"

#include <tapir/wire.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "common/files.h"
#include "common/quoting.h"

namespace tapir::remote {
namespace {

constexpr size_t kLongestName = TAPIR_REMOTE_MAX - 1;
constexpr std::string_view kForms = "it should be [user@]host[:port] or ssh://[user@]host[:port]";

std::string wrong(std::string_view text, const std::string &why) {
    return "'" + printable(text) + "' is not a host: " + why;
}

// Nothing that a shell, ssh's configuration or an option parser would take for something else.
bool is_plain(std::string_view name, std::string_view more) {
    return !name.empty() && name[0] != '-' && std::all_of(name.begin(), name.end(), [more](unsigned char c) {
        return std::isalnum(c) || more.find(static_cast<char>(c)) != std::string_view::npos;
    });
}

// Takes the port off the end of `rest`; false if there is one that is none.
bool take_port(std::string_view &rest, int &port) {
    size_t colon = rest.rfind(':');
    const bool bracketed = !rest.empty() && rest[0] == '[';
    if (bracketed && colon != std::string_view::npos && rest.find(']') > colon) colon = std::string_view::npos;
    // An IPv6 address without brackets has no port.
    if (colon == std::string_view::npos || (!bracketed && rest.find(':') != colon)) return true;
    const std::string_view digits = rest.substr(colon + 1);
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    rest = rest.substr(0, colon);
    return error == std::errc() && end == digits.data() + digits.size() && port >= 1 && port <= 65535;
}

}  // namespace

std::string parse_host(std::string_view text, Host &host) {
    host = {};
    host.uri = text;
    if (text.size() > kLongestName)
        return wrong(text.substr(0, 40), "its name is longer than " + std::to_string(kLongestName) + " bytes");
    std::string_view rest = text;
    if (rest.starts_with("ssh://"))
        rest.remove_prefix(6);
    else if (rest.find("://") != std::string_view::npos)
        return wrong(text, "hosts are reached by ssh:// only");
    std::string user;
    if (size_t at = rest.rfind('@'); at != std::string_view::npos) {
        user = rest.substr(0, at);
        rest.remove_prefix(at + 1);
        if (!is_plain(user, "._-@+")) return wrong(text, "the user's name is empty or has odd characters");
    }
    if (!take_port(rest, host.port)) return wrong(text, "the port should be 1 to 65535");
    if (rest.size() > 2 && rest.front() == '[' && rest.back() == ']') rest = rest.substr(1, rest.size() - 2);
    if (!is_plain(rest, "._-:%")) return wrong(text, std::string(kForms));
    host.destination = (user.empty() ? "" : user + "@") + std::string(rest);
    return {};
}

std::string add_hosts(const std::string &text, std::vector<Host> &hosts) {
    Host host;
    if (!text.starts_with('@')) {
        std::string why = parse_host(text, host);
        if (why.empty()) hosts.push_back(std::move(host));
        return why;
    }
    const std::string path = text.substr(1);
    const std::optional<std::string> list = read_file(path);
    if (!list) return "Cannot read the list of hosts '" + path + "': " + std::strerror(errno);
    const size_t before = hosts.size();
    size_t number = 0;
    for (size_t at = 0; at < list->size();) {
        const size_t end = std::min(list->find('\n', at), list->size());
        std::string_view line = std::string_view(*list).substr(at, end - at);
        line = trim(line.substr(0, line.find('#')));
        ++number;
        at = end + 1;
        if (line.empty()) continue;
        const std::string why = parse_host(line, host);
        if (!why.empty()) return path + ":" + std::to_string(number) + ": " + why;
        hosts.push_back(host);
    }
    return hosts.size() > before ? "" : "The list of hosts '" + path + "' names none";
}

}  // namespace tapir::remote
