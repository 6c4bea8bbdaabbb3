// SPDX-License-Identifier: GPL-2.0-or-later
// A core file of any content gives an error or a process whose memory, files and tables can be asked for. Its paths are
// below a directory that does not exist: what is to be found is in the file itself.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/remains.h"

using namespace tapir;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Outcome<core::CoreFile> file = core::CoreFile::parse({reinterpret_cast<const char *>(data), size});
    if (!file) return 0;
    uint64_t before = 0;
    for (const core::Segment &segment : file->segments()) {
        if (segment.start < before || segment.end <= segment.start) abort();
        if (segment.content.size() > segment.end - segment.start) abort();
        before = segment.end;
    }
    core::RemainsOptions options;
    options.sysroot = "/nowhere";
    std::vector<uint64_t> borders;
    for (const core::Segment &segment : file->segments())
        borders.insert(borders.end(), {segment.start, segment.end, segment.start + segment.content.size()});
    Outcome<std::unique_ptr<core::Remains>> opened = core::Remains::of(std::move(*file), options);
    if (!opened) return 0;
    core::Remains &process = **opened;
    char text[256];
    const auto look = [&](uint64_t at) {
        process.read(text, at, 8);
        process.read_string(text, at - 4, sizeof text);
        tapir_unwind_mapping mapping = {};
        uint8_t end = 0;
        process.table_of(at, mapping, end);
    };
    for (const uint64_t border : borders)
        look(border);
    for (const core::Mapping &mapping : process.notes().mappings) {
        look(mapping.start);
        process.build_id_in_memory(mapping.file);
        process.bias_of("00", "/nowhere", mapping.place, 0);
    }
    for (const core::Thread &thread : process.notes().threads)
        look(thread.place());
    process.program();
    return 0;
}
