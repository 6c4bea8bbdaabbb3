// SPDX-License-Identifier: GPL-2.0-or-later
// Tables and storage that stand before the functions: sites, formats, regular expressions, globals, lock sets.
#include <tapir/abi.h>
#include <tapir/items.h>

#include <algorithm>
#include <functional>
#include <set>

#include "emit/c/initialiser.h"
#include "emit/c/regex_table.h"
#include "emit/c/writer.h"

namespace tapir::emit {

namespace {

const char *type_of(ast::Type type) {
    return type == ast::Type::String ? "TAPIR_STRING" : type == ast::Type::Stat ? "TAPIR_STAT" : "TAPIR_LONG";
}

// A statistic's histograms, as NAME_hists, and its descriptor, as NAME_stat.
std::string stat_descs(const std::string &name, const ast::StatUse &use) {
    static const char *const kTypes[] = {"LOG", "LINEAR", "LOGLINEAR"};
    std::string out;
    uint32_t buckets = 0;
    for (const ast::HistShape &hist : use.hists) {
        Initialiser row;
        row.value("type", std::string("TAPIR_HIST_") + kTypes[static_cast<int>(hist.kind)]);
        row.number("low", hist.low).number("high", hist.high).number("width", hist.width);
        out += "\t" + row.number("buckets", hist.buckets()).number("first", buckets).str() + ",\n";
        buckets += hist.buckets();
    }
    if (!out.empty()) out = "static const struct tapir_hist_desc " + name + "_hists[] = {\n" + out + "};\n";
    Initialiser desc;
    desc.number("min_max", int{use.min_max}).number("variance", int{use.variance}).number("sketch", int{use.sketch});
    desc.number("nhists", use.hists.size()).number("buckets", buckets);
    if (!out.empty()) desc.value("hists", name + "_hists");
    return out + "static const struct tapir_stat_desc " + name + "_stat = " + desc.str() + ";\n";
}

std::string map_desc(const ir::Global &g) {
    std::string keys;
    for (ast::Type type : g.key_types)
        keys += (keys.empty() ? "" : ", ") + std::string(type_of(type));
    Initialiser desc;
    desc.number("nkeys", g.key_types.size())
        .value("key_types", "{ " + keys + " }")
        .value("value_type", type_of(g.type));
    desc.number("wrap", int{g.wrap})
        .number("stable", int{g.stable})
        .number("reported", (g.copied ? TAPIR_REPORTED_COPIES : 0u) | (g.cut ? TAPIR_REPORTED_CUT : 0u));
    desc.number("known", int{g.known}).number("max_entries", g.max_entries.value_or(0));
    return desc.number("age", g.age).str();
}

std::string format_piece(const ir::FormatPiece &p) {
    static const char *const kConversions[] = {"LITERAL", "DECIMAL", "UNSIGNED", "HEX",    "HEX_UPPER", "OCTAL",
                                               "POINTER", "STRING",  "CHAR",     "BINARY", "MEMORY",    "MEMORY_HEX"};
    static const char *const kFlags[] = {"0",
                                         "TAPIR_FMT_ZERO",
                                         "TAPIR_FMT_PLUS",
                                         "TAPIR_FMT_LEFT",
                                         "TAPIR_FMT_SPACE",
                                         "TAPIR_FMT_ALTERNATE",
                                         "TAPIR_FMT_ROW",
                                         "TAPIR_FMT_TABLE",
                                         "TAPIR_FMT_TRIGGER",
                                         "TAPIR_FMT_RECALL"};
    const auto size = [](const std::optional<uint32_t> &n) { return n ? std::to_string(*n) : "TAPIR_FMT_UNSET"; };
    std::string flags = kFlags[static_cast<int>(p.flag)];
    if (p.width_from_arg) flags += " | TAPIR_FMT_WIDTH_ARG";
    if (p.precision_from_arg) flags += " | TAPIR_FMT_PRECISION_ARG";
    Initialiser piece;
    piece.value("conv", std::string("TAPIR_CONV_") + kConversions[static_cast<int>(p.conv)]).value("flags", flags);
    piece.value("width", size(p.width)).value("precision", size(p.precision));
    if (p.conv == ast::FormatPiece::Conv::Literal)
        piece.text("literal", p.literal).number("literal_len", p.literal.size());
    return piece.str();
}

// Calls `use` with the operation and the format of each instruction that has one.
void each_format(const ir::Module &m, const std::function<void(ir::Op, int)> &use) {
    const auto look = [&](const ir::Body &body) {
        for (const ir::Inst &inst : body.code)
            if (inst.op == ir::Op::Printf || inst.op == ir::Op::Sprintf || inst.op == ir::Op::Recall)
                use(inst.op, inst.index);
    };
    for (const ir::Function &f : m.functions)
        look(f.body);
    for (const ir::Handler &h : m.handlers)
        look(h.body);
}

// A row of tapir_formats.
std::string format_row(const ir::Format &format, int index, size_t number) {
    uint32_t strings = 0, args = 0;
    using Flag = ast::FormatPiece::Flag;
    const Flag flag = format.front().flag;
    const bool is_line = flag == Flag::Table || flag == Flag::Trigger || flag == Flag::Recall;
    for (const ir::FormatPiece &piece : format) {
        if (piece.conv == ast::FormatPiece::Conv::String) strings |= 1u << args;
        args += piece.conv != ast::FormatPiece::Conv::Literal;
    }
    Initialiser row;
    row.value("pieces", "format" + std::to_string(index)).number("npieces", format.size()).number("number", number);
    row.number("nargs", args).number("ends_line", int{is_line || format.back().literal.ends_with('\n')});
    return row.number("strings", strings).str();
}

std::string live_range(const std::string &name, const ast::LiveRange &live) {
    Initialiser range;
    range.number("least", live.least).number("most", live.most);
    if (!live.choices.empty()) range.text("choices", live.choices);
    return "static const struct tapir_live " + name + "_live = " + range.str() + ";\n";
}

std::string scalar_or_array(const ir::Module &m, size_t i) {
    const ir::Global &g = m.globals[i];
    const std::string name = global_name(m, static_cast<int>(i));
    std::string out;
    if (g.live) out += live_range(name, *g.live);
    if (g.type == ast::Type::Stat) out += stat_descs(name, g.stat);
    if (!g.key_types.empty())
        return out + "static " + (g.size_option.empty() ? "const " : "") + "struct tapir_map_desc " +
               map_desc_name(m, static_cast<int>(i)) + " = " + map_desc(g) + ";\nstatic struct tapir_map *" + name +
               ";\n";
    if (g.type == ast::Type::Stat) return out + "static struct tapir_stat_slot *" + name + ";\n";
    if (g.type == ast::Type::String)
        return out + "static char " + name + "[MAXSTRINGLEN] __attribute__((__aligned__(8)));\n";
    // Counters have a cache line of their own.
    const bool counter = g.access == ir::Access::Atomic;
    return out + "static s64 " + name + (counter ? " __attribute__((__aligned__(64)));\n" : ";\n");
}

std::string global_row(const ir::Module &m, size_t i) {
    const ir::Global &g = m.globals[i];
    const std::string name = global_name(m, static_cast<int>(i));
    const bool array = !g.key_types.empty(), stat = g.type == ast::Type::Stat, string = g.type == ast::Type::String;
    Initialiser row;
    row.text("name", g.name);
    row.value("kind", array    ? "TAPIR_GLOBAL_MAP"
                      : stat   ? "TAPIR_GLOBAL_STAT"
                      : string ? "TAPIR_GLOBAL_STRING"
                               : "TAPIR_GLOBAL_LONG");
    row.number("settable", int{g.settable && !array && !stat});
    if (array) row.value("map", "&" + map_desc_name(m, static_cast<int>(i)));
    if (stat) row.value("stat", "&" + name + "_stat");
    row.value("storage", (string && !array ? "" : "&") + name);
    if (g.live) row.value("live", "&" + name + "_live");
    if (g.monitored) row.number("monitored", 1);
    return row.value("lock", "&tapir_locks[" + std::to_string(i) + "]").str();
}

std::string lock_sets(const ir::Module &m) {
    std::string out;
    std::set<std::string> done;
    for (size_t i = 0; i < m.handlers.size(); i++) {
        const std::vector<int> &locks = m.handlers[i].locks;
        const std::string name = lockset_name(m, static_cast<int>(i));
        if (locks.empty() || !done.insert(name).second) continue;
        std::string globals;
        for (int lock : locks)
            globals += (globals.empty() ? "" : ", ") + std::to_string(lock);
        Initialiser set;
        set.number("count", locks.size()).value("globals", "{ " + globals + " }");
        out += "static const struct tapir_lockset " + name + " = " + set.str() + ";\n";
    }
    return out;
}

std::string snapshot_sets(const ir::Module &m) {
    std::string out;
    for (size_t i = 0; i < m.snapshots.size(); i++) {
        std::string rows;
        for (const ir::Snapshot &s : m.snapshots[i]) {
            const char *order = s.sort.direction == 0 ? "NONE" : s.sort.direction > 0 ? "ASCENDING" : "DESCENDING";
            Initialiser row;
            row.number("global", s.global).value("sort", std::string("TAPIR_SORT_") + order);
            rows += " " + row.number("column", s.sort.column).number("limit", s.limit).number("cut", int{s.cut}).str() +
                    ",";
        }
        Initialiser set;
        set.number("count", m.snapshots[i].size()).value("of", "{" + rows + " }");
        out += "static const struct tapir_snapshots snapshots" + std::to_string(i) + " = " + set.str() + ";\n";
    }
    return out;
}

}  // namespace

std::string site_table(const ir::Module &m) {
    if (m.sites.empty()) return {};
    std::string out = "static const struct tapir_site tapir_sites[] = {\n";
    for (const std::string &site : m.sites)
        out += "\t" + Initialiser().text("text", site).str() + ",\n";
    return out + "};\n\n";
}

bool left_to_loader(const ir::Module &m, int format) {
    using Conv = ast::FormatPiece::Conv;
    uint64_t spread = 0, args = 0;
    for (const ir::FormatPiece &piece : m.formats[static_cast<size_t>(format)]) {
        if (piece.conv == Conv::MemoryRaw || piece.conv == Conv::MemoryHex) return false;
        if (piece.width_from_arg || piece.precision_from_arg) return false;
        const uint64_t width = piece.width.value_or(0), precision = piece.precision.value_or(0);
        args += piece.conv != Conv::Literal;
        if (piece.flag == ast::FormatPiece::Flag::Table) continue;
        if (piece.flag == ast::FormatPiece::Flag::Trigger || piece.flag == ast::FormatPiece::Flag::Recall) {
            spread += TAPIR_EVENT_SPREAD;
            continue;
        }
        spread += piece.conv == Conv::Literal  ? piece.literal.size()
                  : piece.conv == Conv::String ? width
                                               : std::max<uint64_t>(width, precision + TAPIR_ITEM_DIGITS);
    }
    return args <= TAPIR_ITEM_ARGS && spread <= TAPIR_ITEM_SPREAD && format < static_cast<int>(TAPIR_ITEM_FORMATS);
}

std::vector<int> loader_formats(const ir::Module &m) {
    std::set<int> used;
    each_format(m, [&](ir::Op op, int format) {
        if (op == ir::Op::Recall || (op == ir::Op::Printf && left_to_loader(m, format))) used.insert(format);
    });
    return {used.begin(), used.end()};
}

std::string format_tables(const ir::Module &m) {
    std::set<int> used;
    each_format(m, [&](ir::Op, int format) { used.insert(format); });
    std::string out;
    for (int i : used) {
        out += "static const struct tapir_fmt format" + std::to_string(i) + "[] = {\n";
        for (const ir::FormatPiece &piece : m.formats[static_cast<size_t>(i)])
            out += "\t" + format_piece(piece) + ",\n";
        out += "};\n\n";
    }
    const std::vector<int> formats = loader_formats(m);
    if (formats.empty()) return out;
    out += "static const struct tapir_item_format tapir_formats[] = {\n";
    for (size_t i = 0; i < formats.size(); i++)
        out += "\t" + format_row(m.formats[static_cast<size_t>(formats[i])], formats[i], i) + ",\n";
    out += "};\nenum {\n";
    for (size_t i = 0; i < formats.size(); i++)
        out += "\tnumber" + std::to_string(formats[i]) + " = " + std::to_string(i) + ",\n";
    return out + "};\n\n";
}

std::string regex_tables(const ir::Module &m) {
    std::string out;
    if (m.regex_groups)
        out +=
            "struct last_match {\n\tstruct tapir_regex_last last;\n\tchar subject[MAXSTRINGLEN];\n};\n"
            "#define LAST_MATCH_BYTES TAPIR_FRAME_BYTES(struct last_match)\n\n";
    for (size_t i = 0; i < m.regexes.size(); i++)
        out += regex_table("regex" + std::to_string(i), m.regexes[i].table);
    return out;
}

std::string recall_tables(const ir::Module &m) {
    std::string out, rows;
    for (size_t i = 0; i < m.rings.size(); i++) {
        const std::string storage = "tapir_ring" + std::to_string(i);
        Initialiser row;
        row.text("name", m.rings[i].name).number("events", m.rings[i].events);
        rows += "\t" + row.number("of_cpu", int{m.rings[i].of_cpu}).value("storage", "&" + storage).str() + ",\n";
        out += "static struct tapir_recalls *" + storage + ";\n";
    }
    if (rows.empty()) return {};
    return out + "static const struct tapir_recall_desc tapir_recalls[] = {\n" + rows + "};\n\n";
}

std::string global_tables(const ir::Module &m) {
    std::string out;
    if (!m.addresses.empty()) out += "static u64 tapir_address_values[" + std::to_string(m.addresses.size()) + "];\n";
    for (size_t i = 0; i < m.globals.size(); i++)
        out += scalar_or_array(m, i);
    out += "\n";
    if (m.globals.empty()) return out;
    out += "static struct tapir_lock tapir_locks[" + std::to_string(m.globals.size()) +
           "] __attribute__((__aligned__(64)));\n";
    out += "static const struct tapir_global tapir_globals[] = {\n";
    for (size_t i = 0; i < m.globals.size(); i++)
        out += "\t" + global_row(m, i) + ",\n";
    return out + "};\n\n" + lock_sets(m) + snapshot_sets(m) + "\n";
}

std::string global_initialiser(const ir::Module &m) {
    std::string out = "static void tapir_init_globals(void)\n{\n";
    for (size_t i = 0; i < m.globals.size(); i++) {
        const ir::Value &v = m.globals[i].initial;
        const std::string name = global_name(m, static_cast<int>(i));
        if (v.kind == ir::ValueKind::Int) {
            out += "\t" + name + " = " + constant(v.n) + ";\n";
        } else if (v.kind == ir::ValueKind::Literal) {
            const std::string &text = m.literals[static_cast<size_t>(v.n)];
            out +=
                "\t__builtin_memcpy(" + name + ", " + c_string(text) + ", " + std::to_string(text.size() + 1) + ");\n";
        }
    }
    return out + "}\n\n";
}

}  // namespace tapir::emit
