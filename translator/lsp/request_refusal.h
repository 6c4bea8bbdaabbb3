// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

namespace tapir::lsp {

// Codes of errors, of JSON-RPC and of the language server protocol.
inline constexpr int kInvalidParams = -32602, kRequestFailed = -32803;

// Thrown by the methods of the server, which answers with it: JSON's library throws for parameters, too.
struct Refusal {
    int code;
    std::string text;
};

}  // namespace tapir::lsp
