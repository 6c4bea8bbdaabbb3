// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/unwind_table.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "unwind/lines.h"
#include "unwind/object_symbols.h"
#include "unwind/rules.h"

namespace tapir::unwind {

namespace {

// The first row of each bucket.
std::vector<uint32_t> buckets_of(const std::vector<uint32_t> &places) {
    std::vector<uint32_t> buckets;
    if (!places.empty()) buckets.resize((places.back() >> TAPIR_UNWIND_BUCKET) + 1);
    size_t row = 0;
    for (size_t i = 0; i < buckets.size(); i++) {
        while (row < places.size() && places[row] >> TAPIR_UNWIND_BUCKET < i)
            row++;
        buckets[i] = static_cast<uint32_t>(row);
    }
    buckets.push_back(static_cast<uint32_t>(places.size()));
    return buckets;
}

u32 add_name(std::string &names, const std::string &name) {
    const size_t at = names.size();
    names.append(name.c_str(), name.size() + 1);
    return static_cast<u32>(at);
}

// Where the file's code is, and samples of it, evenly spread over all its parts.
void describe_code(const ElfFile &file, Image &image, tapir_unwind_table &table) {
    constexpr uint64_t kPlaces = std::numeric_limits<u32>::max();
    std::vector<Segment> code;
    uint64_t bytes = 0, first = kPlaces, last = 0;
    for (const Segment &segment : file.segments()) {
        if (segment.place == 0) table.lead = static_cast<u32>(segment.address);
        if (!segment.executable) continue;
        table.bias = static_cast<u32>(segment.address - segment.place);
        if (segment.place > kPlaces || segment.bytes > kPlaces - segment.place) continue;
        code.push_back(segment);
        bytes += segment.bytes;
        first = std::min(first, segment.place);
        last = std::max(last, segment.place + segment.bytes);
    }
    table.code = static_cast<u32>(std::min(first, last));
    table.code_end = static_cast<u32>(last);
    for (unsigned i = 0; i < TAPIR_UNWIND_SAMPLES && bytes; i++) {
        uint64_t at = (2 * i + 1) * bytes / (2 * TAPIR_UNWIND_SAMPLES);
        size_t in = 0;
        for (; at >= code[in].bytes; in++)
            at -= code[in].bytes;
        tapir_unwind_sample &sample = table.samples[i];
        sample.place = static_cast<u32>(code[in].place + at);
        const std::string_view part = image.part(sample.place, sizeof sample.words);
        if (part.size() == sizeof sample.words) memcpy(sample.words, part.data(), sizeof sample.words);
    }
}

template <typename T>
size_t bytes_of(const std::vector<T> &part) {
    return part.size() * sizeof(T);
}

}  // namespace

class TableWriter {
  public:
    TableWriter(Table &table, size_t bytes) : table_(table), at_(0) {
        // As new[] does not: 8-aligned and zeroed.
        table_.block_ = std::make_unique<char[]>(bytes);
        table_.bytes_ = bytes;
    }
    void put(const void *data, size_t bytes) {
        if (bytes) memcpy(table_.block_.get() + at_, data, bytes);
        at_ += bytes;
    }
    template <typename T>
    void put(const std::vector<T> &part) {
        put(part.data(), bytes_of(part));
    }

  private:
    Table &table_;
    size_t at_;
};

std::string make_table(Image &image, const TableOptions &options, Table &table, TableFacts &facts) {
    ElfFile file;
    std::string why = file.parse(image);
    if (!why.empty()) return why;
    tapir_unwind_table header = {};
    header.magic = TAPIR_UNWIND_MAGIC;
    header.machine = file.machine();
    if (!tapir_unwind_is_machine(file.machine())) return "for a machine whose stacks are not walked";
    header.return_register = tapir_unwind_return_register(file.machine());
    header.stack_register = tapir_unwind_stack_register(file.machine());
    describe_code(file, image, header);
    RuleSet rules(file.machine());
    Rows rows;
    if (options.rows) rows = collect_rows(file, rules);
    header.end = static_cast<u32>(std::min<uint64_t>(file.loaded_end(), std::numeric_limits<u32>::max()));
    Symbols symbols;
    symbols.names.push_back('\0');
    DebugFile debug(file, options.path, options.debug_directory);
    if (options.symbols) symbols = collect_symbols(file, debug, options.mangled);
    std::vector<tapir_unwind_line> lines;
    if (options.lines) {
        const ElfFile *with_lines = file.section(".debug_line") ? &file : debug.get();
        if (with_lines) lines = collect_lines(file, *with_lines, symbols.names);
    }
    header.path = add_name(symbols.names, options.path);
    header.build_id = add_name(symbols.names, file.build_id());
    const std::vector<uint32_t> buckets = buckets_of(rows.places);
    const auto count = [](size_t n) { return static_cast<u32>(n); };
    header.nrules = count(rules.rules().size());
    header.nsaved = count(rules.saved().size());
    header.nsymbols = count(symbols.rows.size());
    header.nlines = count(lines.size());
    header.nrows = count(rows.places.size());
    header.nbuckets = count(buckets.size() - 1);
    header.nstrings = count(symbols.names.size());
    TableWriter out(table, sizeof header + bytes_of(rules.rules()) + bytes_of(rules.saved()) + bytes_of(symbols.rows) +
                               bytes_of(lines) + 2 * bytes_of(rows.places) + bytes_of(buckets) + symbols.names.size());
    out.put(&header, sizeof header);
    out.put(rules.rules());
    out.put(rules.saved());
    out.put(symbols.rows);
    out.put(lines);
    out.put(rows.places);
    out.put(rows.rules);
    out.put(buckets);
    out.put(symbols.names.data(), symbols.names.size());
    facts = {rows.damaged, rows.inexpressible, rows.outside};
    return {};
}

}  // namespace tapir::unwind
