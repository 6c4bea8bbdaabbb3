// SPDX-License-Identifier: GPL-2.0-or-later
// Where the build server is, and who we are to it.
#pragma once

#include <string>
#include <string_view>

#include "common/outcome.h"

namespace tapir::client {

struct Settings {
    std::string url;          // "https://HOST[:PORT]", without a slash at the end; "" = none known
    std::string authority;    // file of certificates that the server's is checked against; "" = the system's
    std::string certificate;  // file of the client's certificate; "" = none
    std::string key;          // file of its private key
    std::string token_file;   // file that holds a token; "" = none
    std::string signers;      // file of certificates that have to sign its debug files; "" = see FileSigners
};

inline constexpr int kDefaultPort = 8443;

// Takes "HOST[:PORT]" or "https://HOST[:PORT][/]", an IPv6 address in brackets; without a port it is kDefaultPort.
// Gives what Settings have as `url`, else ServerAddressWrong.
Outcome<std::string> parse_url(std::string_view text);

// Sets what is still "" from the text of a configuration file: lines NAME=VALUE with the names url, ca, certificate,
// key, token-file, signers; "#" begins a comment. A text with another URL than the one that is set is about another
// server: it sets nothing. Else ClientSettingsWrong or ServerAddressWrong.
Outcome<void> add_settings(const std::string &text, Settings &settings);

// The same from the files that there are: $TAPIR_CLIENT_CONFIG if set, else ~/.config/tapir/client.conf
// ($XDG_CONFIG_HOME), then /etc/tapir/client.conf. Faults say which file is wrong; FileUnreadable is one, too.
Outcome<void> add_settings_of_files(Settings &settings);

// Reads the token from a file, without blanks around it. Fails with TokenUnusable if the file is missing or
// empty, or has characters that no token has.
Outcome<std::string> read_token(const std::string &path);

}  // namespace tapir::client
