// SPDX-License-Identifier: GPL-2.0-or-later
// Messages of the language server protocol: a header with Content-Length, an empty line, JSON.
#pragma once

#include <cstddef>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>

namespace tapir::lsp {

// Longer messages are skipped, so that memory is bounded.
inline constexpr size_t kMaxMessage = size_t{32} << 20;

// Takes messages out of any bytes.
class Framing {
  public:
    void add(std::string_view bytes);
    // The text of the next whole message. False: there is none yet. `text` is empty for one that was too long.
    bool take(std::string &text);

  private:
    bool take_header();

    std::string buffer_;
    bool in_body_ = false;
    size_t length_ = 0;  // of the body
    size_t skip_ = 0;    // bytes of a message that is too long
    bool too_long_ = false;
};

std::string framed(const nlohmann::json &message);

}  // namespace tapir::lsp
