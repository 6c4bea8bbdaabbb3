// SPDX-License-Identifier: GPL-2.0-or-later
// Bytes as text in JSON (RFC 4648, section 4).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tapir {

std::string to_base64(std::string_view bytes);
// Nothing if the text is not base64, with its padding and without line ends.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace tapir
