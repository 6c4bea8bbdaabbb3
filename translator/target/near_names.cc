// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/near_names.h"

#include <algorithm>

#include "base/name_patterns.h"

namespace tapir::target {

namespace {

std::vector<std::string_view> names_of(NameKind kind, const dwarf::Index &index) {
    std::vector<std::string_view> names;
    auto collect = [&](const auto &entries) {
        for (const auto &entry : entries)
            names.push_back(index.text(entry.name));
    };
    if (kind == NameKind::Type) collect(index.types());
    if (kind == NameKind::Variable) collect(index.variables());
    if (kind == NameKind::Enumerator) collect(index.enumerators());
    return names;
}

}  // namespace

std::vector<std::string> near_names(NameKind kind, std::string_view name, const DebugInfo &debug,
                                    const ObjectName &where) {
    const DebugObject *object = nullptr;
    std::string error;
    if (where.user)
        object = debug.program(where.module, error);
    else
        object = where.module.empty() ? debug.kernel() : debug.module(where.module);
    std::vector<std::string_view> names;
    if (object && object->index) names = names_of(kind, *object->index);
    for (std::string_view keyword : {"struct ", "union ", "enum "})
        if (kind == NameKind::Type && name.starts_with(keyword)) name.remove_prefix(keyword.size());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::erase(names, "");
    return similar_views(name, names);
}

}  // namespace tapir::target
