// SPDX-License-Identifier: GPL-2.0-or-later
#include "debuginfod/debug_servers.h"

#include <pwd.h>
#include <unistd.h>

#include <charconv>
#include <sstream>
#include <string_view>

#include "common/program_start.h"

namespace tapir::debuginfod {

namespace {

// Leaves the number as it is where the variable has none, or 0.
template <typename Number>
void take_number(const char *name, Number &number) {
    const std::string text = own_variable(name);
    Number value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value > 0) number = value;
}

// As elfutils' library finds it, so that what one program has fetched serves all.
std::string cache_directory() {
    if (std::string path = own_variable("DEBUGINFOD_CACHE_PATH"); !path.empty()) return path;
    std::string home = own_variable("HOME");
    if (home.empty()) {
        const passwd *entry = getpwuid(geteuid());
        home = entry && entry->pw_dir ? entry->pw_dir : "/root";
    }
    // The directory that versions before 0.181 made.
    if (const std::string old = home + "/.debuginfod_client_cache"; access(old.c_str(), F_OK) == 0) return old;
    const std::string config = own_variable("XDG_CACHE_HOME");
    return (config.empty() ? home + "/.cache" : config) + "/debuginfod_client";
}

bool is_url(std::string_view text) {
    // curl(1) takes more for an address, with braces and brackets.
    constexpr std::string_view kOther = "{}\\\"<>^`|";
    for (const unsigned char c : text)
        if (c <= ' ' || c >= 0x7f || kOther.find(static_cast<char>(c)) != std::string_view::npos) return false;
    return text.starts_with("http://") || text.starts_with("https://");
}

}  // namespace

DebugServers servers_of_environment() {
    DebugServers servers;
    std::istringstream urls(own_variable("DEBUGINFOD_URLS"));
    for (std::string url; urls >> url;) {
        while (url.ends_with('/'))
            url.pop_back();
        if (is_url(url)) servers.urls.push_back(url);
    }
    servers.cache = cache_directory();
    take_number("DEBUGINFOD_TIMEOUT", servers.stall_s);
    take_number("DEBUGINFOD_MAXTIME", servers.deadline_s);
    take_number("DEBUGINFOD_MAXSIZE", servers.most_bytes);
    servers.progress = !own_variable("DEBUGINFOD_PROGRESS").empty();
    return servers;
}

Outcome<DebugServers> servers_of_settings(const std::optional<std::string> &server) {
    DebugServers servers = servers_of_environment();
    // Most users have neither, and no settings to be wrong.
    if (!server && servers.urls.empty()) return servers;
    if (server && !server->empty()) {
        const Outcome<std::string> url = client::parse_url(*server);
        if (!url) return url.fault();
        servers.known.url = *url;
    }
    if (const Outcome<void> added = client::add_settings_of_files(servers.known); !added) return added.fault();
    if (server && servers.known.url.empty())
        return Fault{FaultTag::ServerAddressWrong, "which build server? Its address is not known",
                     "give --use-server=URL, or url= in ~/.config/tapir/client.conf"};
    if (server) {
        std::erase(servers.urls, servers.known.url);
        servers.urls.insert(servers.urls.begin(), servers.known.url);
    }
    return servers;
}

}  // namespace tapir::debuginfod
