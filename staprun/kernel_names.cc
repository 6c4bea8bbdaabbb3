// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel_names.h"

#include <algorithm>

#include "common/files.h"
#include "common/plain_text.h"

namespace tapir::staprun {

namespace {

constexpr size_t kMaxList = 64u << 20;

bool has_prefix(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

bool same_name(std::string_view a, std::string_view b) {
    const auto plain = [](char c) { return c == '-' ? '_' : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [plain](char one, char other) { return plain(one) == plain(other); });
}

}  // namespace

bool lists_module(std::string_view list, std::string_view name) {
    for (size_t begin = 0, end = 0; begin < list.size(); begin = end + 1) {
        end = std::min(list.find('\n', begin), list.size());
        // kernel/drivers/block/loop.ko.xz: others it needs
        std::string_view path = list.substr(begin, end - begin);
        path = path.substr(0, path.find(':'));
        if (has_prefix(path, "tapir/") || has_prefix(path, "systemtap/")) continue;
        path.remove_prefix(path.rfind('/') + 1);
        const size_t ending = path.find(".ko");
        if (ending != std::string_view::npos && same_name(path.substr(0, ending), name)) return true;
    }
    return false;
}

bool is_kernel_module(const std::string &directory, const std::string &name) {
    for (const char *file : {"/modules.dep", "/modules.builtin"}) {
        std::string list;
        if (read_file((directory + file).c_str(), kMaxList, list) == 0 && lists_module(list, name)) return true;
    }
    return false;
}

}  // namespace tapir::staprun
