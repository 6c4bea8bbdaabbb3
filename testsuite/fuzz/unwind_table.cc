// SPDX-License-Identifier: GPL-2.0-or-later
// An ELF file of any content gives a valid table or an error, and a walk over any stack by that table ends within its
// bounds.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "unwind/unwind_table.h"

using namespace tapir::unwind;

namespace {

struct Walk {
    const tapir_unwind_table *table;
    std::string_view memory;
};

const tapir_unwind_table *find(void *data, u64 address, u32 *place, u8 *) {
    *place = static_cast<u32>(address);
    return static_cast<Walk *>(data)->table;
}

int read(void *data, void *dst, u64 address, u32 length) {
    const std::string_view memory = static_cast<Walk *>(data)->memory;
    if (address > memory.size() || length > memory.size() - address) return -1;
    memcpy(dst, memory.data() + address, length);
    return 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const std::string_view content(reinterpret_cast<const char *>(data), size);
    MemoryImage image(content);
    TableOptions options;
    options.path = "fuzzed";
    options.debug_directory = "/nowhere";
    options.lines = true;
    Table table;
    TableFacts facts;
    if (!make_table(image, options, table, facts).empty()) return 0;
    if (!tapir_unwind_valid(table.block().data(), table.block().size())) abort();
    const u32 *places = tapir_unwind_places(&table.header());
    for (u32 i = 1; i < table.header().nrows; i++)
        if (places[i] <= places[i - 1]) abort();
    Walk walk = {&table.header(), content};
    const tapir_unwind_source source = {&walk, TAPIR_UNWIND_X86_64, nullptr, find, read, nullptr, nullptr};
    for (u32 i = 0; i < table.header().nrows; i += table.header().nrows / 16 + 1) {
        tapir_unwind_frame frame = {};
        frame.pc = places[i];
        frame.regs[7] = i;
        u64 addresses[64];
        u32 count = 0;
        if (tapir_unwind_walk(&source, &frame, addresses, 64, &count) >= TAPIR_UNWIND_ENDS || count > 64) abort();
        tapir_unwind_find_symbol(&table.header(), places[i]);
        tapir_unwind_find_line(&table.header(), places[i]);
    }
    return 0;
}
