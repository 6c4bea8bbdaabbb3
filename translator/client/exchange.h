// SPDX-License-Identifier: GPL-2.0-or-later
// One question to a build server. curl(1) speaks HTTPS for stap, so that proxies ($https_proxy) and other settings
// work as users expect, and stap does not load libraries that most of its runs do not need.
#pragma once

#include <functional>
#include <string>

#include "client/answer.h"
#include "client/settings.h"

namespace tapir::client {

struct ExchangeOptions {
    std::string curl = "curl";  // the program, looked up in PATH
    int attempts = 6;           // while the server cannot be reached, is cut off, or has too much to do
    int pause_ms = 500;         // before the second attempt; doubled each time, 8 s at most
    int connect_seconds = 15;
    int total_seconds = 600;                         // of one attempt
    std::function<void(const std::string &)> note;   // lines of progress of the server
    std::function<void(const std::string &)> retry;  // why it is asked again
};

// POSTs `body` to /v1/modules. Asking again is harmless: the server goes on with what it began, or has it. Returns the
// answer, or one of kind Refused with the tag "unreachable", "untrusted" (the server's certificate, or ours) or
// "no-curl" and a text that says what happened.
Answer ask(const Settings &settings, const std::string &body, const ExchangeOptions &options);

}  // namespace tapir::client
