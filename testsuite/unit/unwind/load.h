// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of real files.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <string>

#include "unwind/unwind_table.h"

namespace tapir::unwind {

struct Object {
    explicit Object(const std::string &path, TableOptions options = {}) {
        const int error = image.open(path);
        why = error ? "cannot be opened" : file.parse(image);
        options.path = path;
        options.lines = true;
        if (why.empty()) why = make_table(image, options, table, facts);
    }
    FileImage image;
    ElfFile file;
    Table table;
    TableFacts facts;
    std::string why;
};

// Where a library is that this process has or can load.
inline std::string library_path(const char *name) {
    void *handle = dlopen(name, RTLD_LAZY);
    link_map *map = nullptr;
    if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return {};
    return map->l_name;
}

}  // namespace tapir::unwind
