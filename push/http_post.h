// SPDX-License-Identifier: GPL-2.0-or-later
// One POST, by curl(1): it has limits of time and size, TLS, and the proxies of the environment.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace tapir::push {

struct HttpSettings {
    std::vector<std::string> headers;  // "NAME: VALUE"
    std::string authority;             // a file of certificates; "": the system's
    std::string directory;             // where temporary files go, of this process alone
    std::chrono::seconds limit{30};    // for all of it
};

// Asked several times a second: true ends the attempt.
using GiveUp = std::function<bool()>;

struct HttpAnswer {
    int status = 0;  // 0: there was none
    std::string type, retry_after, body;
    std::string complaint;  // why there was none
};

// Does not follow redirections: headers have tokens.
HttpAnswer http_post(const HttpSettings &settings, const std::string &url, const std::string &type,
                     const std::string &body, const GiveUp &give_up);

}  // namespace tapir::push
