// SPDX-License-Identifier: GPL-2.0-or-later
// Names of code made at run time, in files that anybody can have written. Each address of the text's own numbers is
// looked up.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "common/perf_map.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const std::string text(reinterpret_cast<const char *>(data), size);
    const tapir::PerfMap map = tapir::PerfMap::parse(text);
    size_t bytes = 0;
    for (size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
        const uint64_t address = std::strtoull(text.c_str() + at, nullptr, 16);
        bytes += map.name(address).size() + map.name(address - 1).size() + map.name(address + 1).size();
    }
    return bytes == SIZE_MAX;
}
