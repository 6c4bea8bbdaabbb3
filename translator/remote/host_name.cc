// SPDX-License-Identifier: GPL-2.0-or-later
#include "remote/host_name.h"

#include <tapir/wire.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "common/command_words.h"
#include "common/files.h"
#include "common/quoting.h"
#include "common/regular_file.h"

namespace tapir::remote {
namespace {

constexpr size_t kLongestName = TAPIR_REMOTE_MAX - 1;
constexpr std::string_view kForms = "it should be [user@]host[:port] or ssh://[user@]host[:port]";

Fault wrong(std::string_view text, const std::string &why) {
    return {FaultTag::HostNameWrong, "'" + printable(text) + "' is not a host: " + why};
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

Outcome<Host> parse_host(std::string_view text) {
    Host host;
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
    return host;
}

Outcome<Host> parse_host_line(std::string_view line) {
    const size_t end = std::min(line.find_first_of(" \t"), line.size());
    Outcome<Host> host = parse_host(line.substr(0, end));
    const std::string_view rest = trim(line.substr(end));
    if (!host || rest.empty()) return host;
    // A word in front, since what begins a command may be a word of the shell's own.
    std::vector<std::string> words;
    if (!split_words("ssh " + std::string(rest), words))
        return wrong(line, "its options have a quote without an end, or what only a shell understands");
    words.erase(words.begin());
    for (std::string &word : words) {
        const size_t equals = word.find('=');
        if (equals == std::string::npos || !is_plain(std::string_view(word).substr(0, equals), ""))
            return wrong(line, "behind it stands NAME=VALUE for ssh's -o, not '" + printable(word) + "'");
        host->ssh_options.push_back(std::move(word));
    }
    return host;
}

Outcome<void> add_hosts(const std::string &text, std::vector<Host> &hosts) {
    if (!text.starts_with('@')) {
        Outcome<Host> host = parse_host(text);
        if (!host) return host.fault();
        hosts.push_back(std::move(*host));
        return {};
    }
    const auto unusable = [](const std::string &why) { return Fault{FaultTag::HostListUnusable, why}; };
    const std::string path = text.substr(1);
    const std::optional<std::string> list = read_file(path);
    if (!list) return unusable("Cannot read the list of hosts '" + path + "': " + file_error(errno));
    const size_t before = hosts.size();
    size_t number = 0;
    for (size_t at = 0; at < list->size();) {
        const size_t end = std::min(list->find('\n', at), list->size());
        std::string_view line = std::string_view(*list).substr(at, end - at);
        line = trim(line.substr(0, line.find('#')));
        ++number;
        at = end + 1;
        if (line.empty()) continue;
        Outcome<Host> host = parse_host_line(line);
        if (!host) return Fault{host.fault().tag, path + ":" + std::to_string(number) + ": " + host.fault().text};
        hosts.push_back(std::move(*host));
    }
    return hosts.size() > before ? Outcome<void>() : unusable("The list of hosts '" + path + "' names none");
}

}  // namespace tapir::remote
