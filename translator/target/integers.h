// SPDX-License-Identifier: GPL-2.0-or-later
// Types for values with a known size and sign only: arguments of marks, results of unknown functions.
#pragma once

#include <string>
#include <vector>

#include "ctypes/type.h"

namespace tapir::target {

class Integers final : public ctypes::TypeSource {
  public:
    static const Integers &all() {
        static const Integers integers;
        return integers;
    }
    static ctypes::TypeId id(uint32_t bytes, bool is_signed) { return 2 * bytes + is_signed; }

    ctypes::TypeInfo info(ctypes::TypeId id) const override {
        ctypes::TypeInfo info;
        info.kind = ctypes::TypeKind::Integer;
        info.encoding = id & 1 ? ctypes::Encoding::Signed : ctypes::Encoding::Unsigned;
        info.size = id / 2;
        info.name = (id & 1 ? "int" : "uint") + std::to_string(info.size * 8) + "_t";
        return info;
    }
    std::vector<ctypes::Member> members(ctypes::TypeId) const override { return {}; }
    std::vector<ctypes::Enumerator> enumerators(ctypes::TypeId) const override { return {}; }
    std::vector<ctypes::TypeId> parameters(ctypes::TypeId) const override { return {}; }
    std::optional<ctypes::TypeId> find_type(std::string_view) const override { return std::nullopt; }
};

}  // namespace tapir::target
