// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/settings.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "base/option_error.h"
#include "common/files.h"
#include "common/quoting.h"
#include "common/regular_file.h"

namespace tapir::client {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kScheme = "https://";

bool is_port(std::string_view text) {
    int port = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc() && end == text.data() + text.size() && port > 0 && port < 65536;
}

bool is_host(std::string_view text) {
    const bool address = text.size() > 2 && text.front() == '[' && text.back() == ']';
    if (address) text = text.substr(1, text.size() - 2);
    const std::string_view others = address ? ":.%" : "-._";
    return !text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), [others](unsigned char c) {
        return std::isalnum(c) || others.find(static_cast<char>(c)) != std::string_view::npos;
    });
}

std::string home_file() {
    if (const char *config = std::getenv("XDG_CONFIG_HOME"); config && *config == '/')
        return std::string(config) + "/tapir/client.conf";
    const char *home = std::getenv("HOME");
    return home && *home == '/' ? std::string(home) + "/.config/tapir/client.conf" : "";
}

}  // namespace

Outcome<std::string> parse_url(std::string_view text) {
    const auto wrong = [text](const char *why) {
        return Fault{FaultTag::ServerAddressWrong, "'" + printable(text) + "'" + why};
    };
    std::string_view rest = text;
    if (rest.starts_with(kScheme))
        rest.remove_prefix(kScheme.size());
    else if (rest.find("://") != std::string_view::npos)
        return wrong(" is not the address of a build server: it begins with https:// or with the host's name");
    if (rest.ends_with('/')) rest.remove_suffix(1);
    const size_t bracket = rest.starts_with('[') ? rest.find(']') : 0;
    const size_t colon = bracket == std::string_view::npos ? bracket : rest.find(':', bracket);
    const std::string_view host = rest.substr(0, colon);
    if (!is_host(host)) return wrong(" is not the address of a build server: it should be https://HOST[:PORT]");
    const bool has_port = colon != std::string_view::npos;
    if (has_port && !is_port(rest.substr(colon + 1)))
        return wrong(" has no valid port behind the ':': it should be a number up to 65535");
    return std::string(kScheme) + std::string(host) + ":" +
           (has_port ? std::string(rest.substr(colon + 1)) : std::to_string(kDefaultPort));
}

Outcome<void> add_settings(const std::string &text, Settings &settings) {
    po::options_description known;
    const auto add = [&known](const char *name) { known.add_options()(name, po::value<std::string>()); };
    for (const char *name : {"url", "ca", "certificate", "key", "token-file", "signers"})
        add(name);
    po::variables_map values;
    try {
        std::istringstream in(text);
        po::store(po::parse_config_file(in, known), values);
    } catch (const po::error &e) {
        return Fault{FaultTag::ClientSettingsWrong, option_error_text(e)};
    }
    const auto take = [&values](const char *name, std::string &field) {
        if (field.empty() && values.count(name)) field = values[name].as<std::string>();
    };
    if (values.count("url")) {
        const Outcome<std::string> url = parse_url(values["url"].as<std::string>());
        if (!url) return url.fault();
        // A key or token for one server must not go to another one.
        if (!settings.url.empty() && settings.url != *url) return {};
        settings.url = *url;
    }
    take("ca", settings.authority);
    // The two belong together: a key of one file is of no use for the certificate of another.
    if (settings.certificate.empty() && settings.key.empty()) {
        take("certificate", settings.certificate);
        take("key", settings.key);
    }
    take("token-file", settings.token_file);
    take("signers", settings.signers);
    return {};
}

Outcome<void> add_settings_of_files(Settings &settings) {
    const char *named = std::getenv("TAPIR_CLIENT_CONFIG");
    const bool only_named = named && *named;
    const std::string paths[] = {only_named ? named : home_file(), only_named ? "" : "/etc/tapir/client.conf"};
    for (const std::string &path : paths) {
        if (path.empty()) continue;
        const auto text = read_file(path);
        if (!text && errno == ENOENT && !only_named) continue;
        const Outcome<void> added =
            text ? add_settings(*text, settings) : Fault{FaultTag::FileUnreadable, file_error(errno)};
        if (!added) return Fault{added.fault().tag, path + ": " + added.fault().text};
    }
    return {};
}

Outcome<std::string> read_token(const std::string &path) {
    const auto unusable = [](const std::string &why) { return Fault{FaultTag::TokenUnusable, why}; };
    const auto text = read_file(path);
    if (!text) return unusable("Cannot read the token in " + path + ": " + file_error(errno));
    std::string token(trim(*text));
    if (token.empty()) return unusable("There is no token in " + path);
    const bool valid = std::all_of(token.begin(), token.end(), [](unsigned char c) { return c > ' ' && c < 0x7f; });
    if (!valid) return unusable("What is in " + path + " is not a token: it should be one word");
    return token;
}

}  // namespace tapir::client
