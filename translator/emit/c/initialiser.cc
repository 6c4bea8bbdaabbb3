// SPDX-License-Identifier: GPL-2.0-or-later
#include "emit/c/initialiser.h"

#include <limits>

#include "emit/c/c_text.h"

namespace tapir::emit {

Initialiser &Initialiser::value(std::string_view member, std::string_view expression) {
    if (expression == "NULL" || expression == "0") return *this;
    if (!members_.empty()) members_ += ", ";
    members_.append(".").append(member).append(" = ").append(expression);
    return *this;
}

Initialiser &Initialiser::text(std::string_view member, std::string_view bytes) {
    return value(member, c_string(bytes));
}

Initialiser &Initialiser::signed_number(std::string_view member, int64_t n) {
    const bool small = n >= std::numeric_limits<int32_t>::min() && n <= std::numeric_limits<int32_t>::max();
    return value(member, small ? std::to_string(n) : constant(n));
}

Initialiser &Initialiser::unsigned_number(std::string_view member, uint64_t n) {
    const bool small = n <= std::numeric_limits<int32_t>::max();
    return value(member, std::to_string(n) + (small ? "" : "ull"));
}

}  // namespace tapir::emit
