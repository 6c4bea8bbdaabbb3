// SPDX-License-Identifier: GPL-2.0-or-later
// Asks BTF for everything there is.
#pragma once

#include "target/btf.h"
#include "target/calling_convention.h"

namespace tapir::target {

inline void walk_all(const BtfTypes &types) {
    std::vector<ctypes::Type> all;
    for (ctypes::TypeId id = 0; id < 256; ++id) {
        const ctypes::Type type{&types, id};
        ctypes::type_name(type);
        ctypes::type_size(type);
        ctypes::member_names(type);
        ctypes::find_member(type, "no such member");
        types.enumerators(id);
        types.named_parameters(id);
        type.stripped();
        type.completed();
        all.push_back(type);
    }
    argument_places("x86_64", all, all.empty() ? ctypes::Type{} : all.back());
    argument_places("aarch64", all, all.empty() ? ctypes::Type{} : all.back());
    types.find_type("struct file");
    types.find_function("vfs_read");
    types.functions_with_prefix("");
    types.find_enumerator("WIDE");
}

}  // namespace tapir::target
