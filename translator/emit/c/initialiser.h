// SPDX-License-Identifier: GPL-2.0-or-later
// Designated initialisers of C. Private to emit/.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace tapir::emit {

// The text "{ .member = value, ... }", a member at a time. Leaves out zeros, which C fills in.
class Initialiser {
  public:
    // A C expression as it stands. "NULL" and "0" are left out.
    Initialiser &value(std::string_view member, std::string_view expression);
    // A string literal.
    Initialiser &text(std::string_view member, std::string_view bytes);
    Initialiser &optional_text(std::string_view member, std::string_view bytes) {
        return bytes.empty() ? *this : text(member, bytes);
    }
    Initialiser &number(std::string_view member, std::integral auto n) {
        if constexpr (std::unsigned_integral<decltype(n)>)
            return unsigned_number(member, n);
        else
            return signed_number(member, n);
    }
    // "{ 0 }" if all is zero.
    std::string str() const { return members_.empty() ? "{ 0 }" : "{ " + members_ + " }"; }

  private:
    Initialiser &signed_number(std::string_view member, int64_t n);
    Initialiser &unsigned_number(std::string_view member, uint64_t n);
    std::string members_;
};

}  // namespace tapir::emit
