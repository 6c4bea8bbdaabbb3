// SPDX-License-Identifier: GPL-2.0-or-later
// Text in manual pages.
#pragma once

#include <string>
#include <string_view>

namespace tapir {

// As roff takes it for text, in lines that do not begin with a control character. Each "-" of `literal` text is the
// sign that a shell reads.
std::string roff(std::string_view text, bool literal = false);

}  // namespace tapir
