// SPDX-License-Identifier: GPL-2.0-or-later
// The file as a whole: storage, tables and descriptors around the functions.
#include "emit/emit.h"

#include <algorithm>
#include "emit/regex_table.h"
#include "emit/syscall_tables.h"

#include <map>
#include <set>

#include "emit/writer.h"

namespace tapir::emit {

namespace {

std::string number(int64_t n) {
    return std::to_string(n);
}
std::string number(uint64_t n) {
    return std::to_string(n) + "ull";
}

class FileWriter {
  public:
    explicit FileWriter(const ir::Module &module) : m_(module) {}
    std::string write();

  private:
    void head();
    void embedded();
    void sites();
    void formats();
    void regexes();
    void storage();
    void global_table();
    void functions();
    void handlers();
    void initialiser();
    void frame_needs();
    void objects();
    void programs();
    void addresses();
    void syscalls();
    void syscall_arg(const probes::SyscallPlaces &places, const std::string &name);
    void probes();
    void module();
    int symbol(const std::string &name);
    std::string attach(const probes::Attach &a, const ir::Handler &handler);
    std::string function_arg(const probes::Attach &a, const std::string &name);
    std::string program(const std::string &path) const;
    void user_arg(const probes::Attach &a, const ir::Handler &handler, const std::string &name);
    std::string touches(const std::vector<ir::TouchStep> &list, const std::string &name);
    std::string stat_desc(const ast::StatUse &use) const;
    std::string map_desc(const ir::Global &g) const;
    bool reported(const ir::Global &g) const;
    bool known(const ir::Global &g) const;
    std::set<LeafForm> forms(size_t i) const;
    size_t body_handler(size_t i) const {
        const ir::Handler &h = m_.handlers[i];
        return h.same_as >= 0 ? static_cast<size_t>(h.same_as) : i;
    }

    const ir::Module &m_;
    std::string out_;
    std::vector<std::string> symbols_;
    std::map<std::string, int> symbol_index_;
    int args_ = 0;
    int probe_count_ = 0;
};

void FileWriter::head() {
    out_ += "#include <tapir/tapir.h>\n";
    if (m_.user_c) out_ += "#ifdef TAPIR_KMOD\n#include <kmod/kernel_headers.h>\n#endif\n";
    out_ += "\n";
    out_ += "#define MAXSTRINGLEN " + number(int64_t{m_.limits.string_capacity}) + "\n";
    out_ += "#define TAPIR_NESTING " + number(int64_t{m_.limits.max_nesting}) + "\n";
    out_ += "#define TAPIR_STACK_RESERVE 2048 /* what the runtime and an interrupt may need below a function */\n";
    out_ += "#define TAPIR_FRAME_BYTES(type) (((u32)sizeof(type) + 15u) & ~15u)\n";
    out_ += "#define TAPIR_LARGER(a, b) ((a) > (b) ? (a) : (b))\n\n";
}

void FileWriter::embedded() {
    for (const auto &[name, text] : m_.c_defines)
        out_ += "#ifndef " + name + "\n#define " + name + " " + text + "\n#endif\n";
    bool any = !m_.embedded.empty() || !m_.snippets.empty();
    for (const ir::Function &f : m_.functions)
        any |= f.embedded.has_value();
    if (!any) return;
    out_ +=
        "#define CONTEXT tapir_context_\n"
        "#define STAP_ERROR(...) do { tapir_errorf(CONTEXT, NULL, __VA_ARGS__); return; } while (0)\n"
        "#define STAP_PRINTF(...) tapir_outf(CONTEXT, __VA_ARGS__)\n"
        "#define STAP_NEXT do { *tapir_next_ = 1; return; } while (0)\n\n";
    for (const ir::Snippet &snippet : m_.embedded)
        out_ += placed_code(snippet.at, snippet.code, 2) + "\n";
    out_ +=
        "#define CATCH_DEREF_FAULT() do { } while (0)\n"
        "#define TAPIR_READ(p, how) __extension__ ({ \\\n"
        "\tunion { __typeof__(*(p)) v; char b[sizeof(*(p))]; } u_; \\\n"
        "\tu64 at_ = (u64)(unsigned long)(p); \\\n"
        "\tif (how(u_.b, at_, sizeof(u_.b))) { tapir_error_fault(CONTEXT, \"read\", at_); return; } \\\n"
        "\tu_.v; })\n"
        "#undef kread\n#define kread(p) TAPIR_READ(p, tapir_port_read_kernel)\n"
        "#undef uread\n#define uread(p) TAPIR_READ(p, tapir_port_read_user)\n"
        "#define TAPIR_WRITE(p, value, how) __extension__ ({ \\\n"
        "\t__typeof__(*(p)) v_ = (value); \\\n"
        "\tu64 at_ = (u64)(unsigned long)(p); \\\n"
        "\tif (how(at_, &v_, sizeof(v_))) { tapir_error_fault(CONTEXT, \"write\", at_); return; } })\n"
        "#undef kwrite\n#define kwrite(p, value) TAPIR_WRITE(p, value, tapir_port_write_kernel)\n"
        "#undef uwrite\n#define uwrite(p, value) TAPIR_WRITE(p, value, tapir_port_write_user)\n\n";
}

void FileWriter::sites() {
    if (!m_.sites.empty()) {
        out_ += "static const struct tapir_site tapir_sites[] = {\n";
        for (const std::string &site : m_.sites)
            out_ += "\t{ " + quoted(site) + " },\n";
        out_ += "};\n\n";
    }
    out_ +=
        "/* An error came out of a call: the call is its place, or one more step of the way there. */\n"
        "static __attribute__((__noinline__, __cold__, __unused__)) void call_failed(struct tapir_ctx *c, const struct "
        "tapir_site "
        "*site)\n"
        "{\n"
        "\tif (c->site)\n"
        "\t\ttapir_error_frame(c, site);\n"
        "\telse\n"
        "\t\ttapir_error_site(c, site);\n"
        "}\n\n";
}

void FileWriter::formats() {
    static const char *const conversions[] = {"LITERAL", "DECIMAL", "UNSIGNED", "HEX",    "HEX_UPPER", "OCTAL",
                                              "POINTER", "STRING",  "CHAR",     "BINARY", "MEMORY",    "MEMORY_HEX"};
    static const char *const flags[] = {
        "0", "TAPIR_FMT_ZERO", "TAPIR_FMT_PLUS", "TAPIR_FMT_LEFT", "TAPIR_FMT_SPACE", "TAPIR_FMT_ALTERNATE"};
    std::set<int> used;
    auto look = [&](const ir::Body &body) {
        for (const ir::Inst &inst : body.code)
            if (inst.op == ir::Op::Printf || inst.op == ir::Op::Sprintf) used.insert(inst.index);
    };
    for (const ir::Function &f : m_.functions)
        look(f.body);
    for (const ir::Handler &h : m_.handlers)
        look(h.body);
    for (size_t i = 0; i < m_.formats.size(); i++) {
        if (!used.count(static_cast<int>(i))) continue;
        out_ += "static const struct tapir_fmt format" + number(static_cast<int64_t>(i)) + "[] = {\n";
        for (const ir::FormatPiece &p : m_.formats[i]) {
            auto size = [](const std::optional<uint32_t> &n) { return n ? number(int64_t{*n}) : "TAPIR_FMT_UNSET"; };
            bool literal = p.conv == ast::FormatPiece::Conv::Literal;
            out_ += std::string("\t{ TAPIR_CONV_") + conversions[static_cast<int>(p.conv)] + ", " +
                    flags[static_cast<int>(p.flag)];
            if (p.width_from_arg) out_ += " | TAPIR_FMT_WIDTH_ARG";
            if (p.precision_from_arg) out_ += " | TAPIR_FMT_PRECISION_ARG";
            out_ += ", " + size(p.width) + ", " + size(p.precision) + ", " + (literal ? quoted(p.literal) : "NULL") +
                    ", " + number(static_cast<int64_t>(p.literal.size())) + " },\n";
        }
        out_ += "};\n\n";
    }
}

std::string FileWriter::stat_desc(const ast::StatUse &use) const {
    std::string hist = use.hist_linear ? "LINEAR" : use.hist_log ? "LOG" : "NONE";
    return "{ TAPIR_HIST_" + hist + ", " + number(int64_t{use.min_max}) + ", " + number(int64_t{use.variance}) + ", " +
           number(use.variance_shift) + ", " + constant(use.low) + ", " + constant(use.high) + ", " +
           constant(use.width) + " }";
}

static const char *type_of(ast::Type type) {
    return type == ast::Type::String ? "TAPIR_STRING" : type == ast::Type::Stat ? "TAPIR_STAT" : "TAPIR_LONG";
}

// Does some handler take snapshots of the array?
bool FileWriter::reported(const ir::Global &g) const {
    for (const auto &set : m_.snapshots)
        for (const ir::Snapshot &s : set)
            if (&m_.globals[static_cast<size_t>(s.global)] == &g) return true;
    return false;
}

// Does some handler that is tried without a context find elements of the array?
bool FileWriter::known(const ir::Global &g) const {
    for (const ir::Handler &h : m_.handlers) {
        if (!h.attempt) continue;
        for (const ir::Inst &inst : h.attempt->code)
            if ((inst.op == ir::Op::MapSample || inst.op == ir::Op::MapUpdate) &&
                &m_.globals[static_cast<size_t>(inst.global)] == &g)
                return true;
    }
    return false;
}

std::string FileWriter::map_desc(const ir::Global &g) const {
    const ast::Variable &v = *g.variable;
    std::string keys;
    for (ast::Type type : v.key_types)
        keys += (keys.empty() ? "" : ", ") + std::string(type_of(type));
    return "{ " + number(static_cast<int64_t>(v.key_types.size())) + ", { " + keys + " }, " + type_of(v.type) + ", " +
           number(int64_t{v.wrap}) + ", " + number(int64_t{g.stable}) + ", " + number(int64_t{reported(g)}) + ", " +
           number(int64_t{known(g)}) + ", " + number(v.max_entries.value_or(0)) + "u }";
}

void FileWriter::regexes() {
    if (m_.regex_groups)
        out_ +=
            "struct last_match {\n\tstruct tapir_regex_last last;\n\tchar subject[MAXSTRINGLEN];\n};\n"
            "#define LAST_MATCH_BYTES TAPIR_FRAME_BYTES(struct last_match)\n\n";
    for (size_t i = 0; i < m_.regexes.size(); i++)
        out_ += regex_table("regex" + number(static_cast<int64_t>(i)), m_.regexes[i].table);
}

void FileWriter::storage() {
    if (!m_.addresses.empty())
        out_ += "static u64 tapir_address_values[" + number(static_cast<int64_t>(m_.addresses.size())) + "];\n";
    for (size_t i = 0; i < m_.globals.size(); i++) {
        const ir::Global &g = m_.globals[i];
        const ast::Variable &v = *g.variable;
        std::string name = global_name(m_, static_cast<int>(i));
        if (v.type == ast::Type::Stat)
            out_ += "static const struct tapir_stat_desc " + name + "_stat = " + stat_desc(v.stat) + ";\n";
        if (!v.key_types.empty())
            out_ += "static const struct tapir_map_desc " + name + "_map = " + map_desc(g) +
                    ";\nstatic struct tapir_map *" + name + ";\n";
        else if (v.type == ast::Type::Stat)
            out_ += "static struct tapir_stat_slot *" + name + ";\n";
        else if (v.type == ast::Type::String)
            out_ += "static char " + name + "[MAXSTRINGLEN] __attribute__((__aligned__(8)));\n";
        else if (g.access == ir::Access::Atomic)  // a cache line of its own
            out_ += "static s64 " + name + " __attribute__((__aligned__(64)));\n";
        else
            out_ += "static s64 " + name + ";\n";
    }
    out_ += "\n";
}

void FileWriter::global_table() {
    if (m_.globals.empty()) return;
    out_ += "static struct tapir_lock tapir_locks[" + number(static_cast<int64_t>(m_.globals.size())) +
            "] __attribute__((__aligned__(64)));\n";
    out_ += "static const struct tapir_global tapir_globals[] = {\n";
    for (size_t i = 0; i < m_.globals.size(); i++) {
        const ast::Variable &v = *m_.globals[i].variable;
        std::string name = global_name(m_, static_cast<int>(i)), n = number(static_cast<int64_t>(i));
        bool array = !v.key_types.empty(), stat = v.type == ast::Type::Stat;
        std::string kind = array ? "MAP" : stat ? "STAT" : v.type == ast::Type::String ? "STRING" : "LONG";
        bool by_address = array || stat || v.type != ast::Type::String;
        out_ += "\t{ " + quoted(m_.globals[i].name) + ", TAPIR_GLOBAL_" + kind + ", " +
                number(int64_t{m_.globals[i].settable && !array && !stat}) + ", " +
                (array ? "&" + name + "_map" : "NULL") + ", " + (stat ? "&" + name + "_stat" : "NULL") + ", " +
                (by_address ? "&" : "") + name + ", &tapir_locks[" + n + "] },\n";
    }
    out_ += "};\n\n";
    std::set<std::string> done;
    for (size_t i = 0; i < m_.handlers.size(); i++) {
        const std::vector<int> &locks = m_.handlers[i].locks;
        std::string name = lockset_name(m_, static_cast<int>(i));
        if (locks.empty() || !done.insert(name).second) continue;
        out_ +=
            "static const struct tapir_lockset " + name + " = { " + number(static_cast<int64_t>(locks.size())) + ", { ";
        for (size_t k = 0; k < locks.size(); k++)
            out_ += (k ? ", " : "") + number(int64_t{locks[k]});
        out_ += " } };\n";
    }
    for (size_t i = 0; i < m_.snapshots.size(); i++) {
        out_ += "static const struct tapir_snapshots snapshots" + number(static_cast<int64_t>(i)) + " = { " +
                number(static_cast<int64_t>(m_.snapshots[i].size())) + ", {";
        for (const ir::Snapshot &s : m_.snapshots[i])
            out_ += " { " + number(int64_t{s.global}) + ", TAPIR_SORT_" +
                    (s.sort.direction == 0  ? "NONE"
                     : s.sort.direction > 0 ? "ASCENDING"
                                            : "DESCENDING") +
                    ", " + number(int64_t{s.sort.column}) + ", " + number(int64_t{s.limit}) + "u },";
        out_ += " } };\n";
    }
    out_ += "\n";
}

void FileWriter::functions() {
    for (size_t i = 0; i < m_.functions.size(); i++) {
        out_ += prototype(m_, static_cast<int>(i)) + ";\n";
        out_ += frame_struct(function_name(m_, static_cast<int>(i)), m_.functions[i].body.frame);
    }
    out_ += "\n";
    for (size_t i = 0; i < m_.functions.size(); i++)
        if (m_.functions[i].embedded) out_ += embedded_function(m_, static_cast<int>(i));
    for (size_t i = 0; i < m_.snippets.size(); i++)
        out_ += snippet_function(m_, static_cast<int>(i));
    for (size_t i = 0; i < m_.functions.size(); i++)
        if (!m_.functions[i].embedded) out_ += script_function(m_, static_cast<int>(i));
    for (size_t i = 0; i < m_.conditions.size(); i++)
        out_ += condition_function(m_, static_cast<int>(i));
    if (m_.conditions.empty()) return;
    out_ += "static struct tapir_condition tapir_conditions[] = {\n";
    for (size_t i = 0; i < m_.conditions.size(); i++)
        out_ += "\t{ condition" + number(static_cast<int64_t>(i)) + ", 0 },\n";
    out_ += "};\n\n";
}

// The forms that probes with the body of handler `i` need.
std::set<LeafForm> FileWriter::forms(size_t i) const {
    if (!m_.handlers[i].leaf) return {LeafForm::PLAIN};
    std::set<LeafForm> out;
    for (size_t k = i; k < m_.handlers.size(); k++) {
        if (body_handler(k) != i) continue;
        for (const probes::Attach &a : m_.handlers[k].attaches)
            out.insert(a.facts().leaf);
    }
    return out;
}

void FileWriter::handlers() {
    for (size_t i = 0; i < m_.handlers.size(); i++) {
        if (m_.handlers[i].same_as >= 0) continue;
        out_ += frame_struct("handler" + number(static_cast<int64_t>(i)), m_.handlers[i].body.frame);
        for (LeafForm form : forms(i))
            out_ += handler_function(m_, static_cast<int>(i), form);
        if (m_.handlers[i].attempt) out_ += attempt_function(m_, static_cast<int>(i));
    }
}

void FileWriter::initialiser() {
    out_ += "static void tapir_init_globals(void)\n{\n";
    for (size_t i = 0; i < m_.globals.size(); i++) {
        const ir::Value &v = m_.globals[i].initial;
        std::string name = global_name(m_, static_cast<int>(i));
        if (v.kind == ir::ValueKind::Int) {
            out_ += "\t" + name + " = " + constant(v.n) + ";\n";
        } else if (v.kind == ir::ValueKind::Literal) {
            const std::string &text = m_.literals[static_cast<size_t>(v.n)];
            out_ += "\t__builtin_memcpy(" + name + ", " + quoted(text) + ", " +
                    number(static_cast<int64_t>(text.size() + 1)) + ");\n";
        }
    }
    out_ += "}\n\n";
}

// How much frame memory the deepest run can need. Constants, because only C knows sizes.
void FileWriter::frame_needs() {
    auto own = [&](const std::string &name, const ir::Frame &frame) {
        return frame.empty() ? std::string("0u") : "TAPIR_FRAME_BYTES(struct frame_" + name + ")";
    };
    std::vector<std::string> lines;
    auto maximum = [&](const std::string &name, const std::vector<std::string> &terms, const std::string &plus) {
        std::string so_far = "0u";
        for (size_t k = 0; k < terms.size(); k++) {
            std::string step = name + "_" + number(static_cast<int64_t>(k));
            lines.push_back(step + " = TAPIR_LARGER(" + so_far + ", " + terms[k] + ")");
            so_far = step;
        }
        lines.push_back(name + " = " + plus + " + " + so_far);
    };
    bool recursive = false;
    for (const ir::Function &f : m_.functions)
        recursive |= f.recursive;
    std::vector<std::string> tops;
    std::vector<int> state(m_.functions.size());
    auto function = [&](auto &self, int n) -> void {
        auto i = static_cast<size_t>(n);
        if (state[i]) return;
        state[i] = 1;
        std::vector<std::string> terms;
        for (int callee : m_.functions[i].callees) {
            self(self, callee);
            terms.push_back("need_fn" + number(int64_t{callee}));
        }
        maximum("need_fn" + number(int64_t{n}), terms, own(function_name(m_, n), m_.functions[i].body.frame));
    };
    if (recursive) {
        // Any chain of TAPIR_NESTING calls fits.
        std::vector<std::string> frames;
        for (size_t i = 0; i < m_.functions.size(); i++)
            frames.push_back(own(function_name(m_, static_cast<int>(i)), m_.functions[i].body.frame));
        maximum("largest_function", frames, "0u");
    }
    for (size_t i = 0; i < m_.handlers.size(); i++) {
        if (m_.handlers[i].same_as >= 0) continue;
        std::string name = "handler" + number(static_cast<int64_t>(i));
        std::vector<std::string> terms;
        if (recursive) {
            terms.push_back("largest_function * TAPIR_NESTING");
        } else {
            for (int callee : m_.handlers[i].callees) {
                function(function, callee);
                terms.push_back("need_fn" + number(int64_t{callee}));
            }
        }
        maximum("need_" + name, terms, own(name, m_.handlers[i].body.frame));
        tops.push_back("need_" + name);
    }
    maximum("need_frame", tops, "16u");
    out_ += "enum {\n";
    for (const std::string &line : lines)
        out_ += "\t" + line + ",\n";
    out_ += "};\n\n";
}

// The sites; returns the initializer of their struct tapir_function_arg.
std::string FileWriter::function_arg(const probes::Attach &a, const std::string &name) {
    out_ += "static const struct tapir_function_site " + name + "_sites[] = {\n";
    for (const probes::FunctionSite &site : a.sites)
        out_ += "\t{ " + (site.symbol.empty() ? "TAPIR_NO_SYMBOL" : number(int64_t{symbol(site.symbol)})) + ", " +
                number(int64_t{site.entry}) + ", " + number(site.offset) + ", " + quoted(site.label) + " },\n";
    out_ += "};\n";
    return "{ " + number(static_cast<int64_t>(a.sites.size())) + ", " + number(int64_t{a.from_wildcard}) + ", " +
           number(int64_t{a.optional}) + ", " + number(int64_t{a.kprobe}) + ", " + number(int64_t{a.maxactive}) + ", " +
           name + "_sites, " + quoted(a.point_prefix) + ", " + quoted(a.point_suffix) + " }";
}

// Writes the list; returns its name, or NULL for none.
std::string FileWriter::touches(const std::vector<ir::TouchStep> &list, const std::string &name) {
    if (list.empty()) return "NULL";
    out_ += "static const struct tapir_touch " + name + "[] = {\n";
    for (const ir::TouchStep &touch : list)
        out_ += "\t{ TAPIR_TOUCH_" + std::string(touch.op) + ", " + number(int64_t{touch.detail}) + ", " +
                constant(touch.value) + " },\n";
    out_ += "};\n";
    return name;
}

// The index of a program, or what stands for any.
std::string FileWriter::program(const std::string &path) const {
    if (path.empty()) return "TAPIR_NO_PROGRAM";
    size_t index = 0;
    while (index < m_.programs.size() && m_.programs[index].path != path)
        index++;
    return number(static_cast<int64_t>(index));
}

void FileWriter::user_arg(const probes::Attach &a, const ir::Handler &handler, const std::string &name) {
    const std::string code = function_arg(a, name);
    const bool counted = std::any_of(a.sites.begin(), a.sites.end(),
                                     [](const probes::FunctionSite &site) { return site.semaphore != 0; });
    if (counted) {
        out_ += "static const u64 " + name + "_semaphores[] = { ";
        for (const probes::FunctionSite &site : a.sites)
            out_ += number(site.semaphore) + ", ";
        out_ += "};\n";
    }
    static const std::vector<ir::TouchStep> kNone;
    const std::vector<ir::TouchStep> &at_entry =
        handler.entry >= 0 ? m_.handlers[static_cast<size_t>(handler.entry)].touches : kNone;
    const std::string own = touches(handler.touches, name + "_touches");
    const std::string entry = touches(at_entry, name + "_entry_touches");
    out_ += "static const struct tapir_user_arg " + name + " = { " + code + ", " + program(a.user.path) + ", " +
            number(a.user.pid) + ", " + (counted ? name + "_semaphores" : "NULL") + ", " +
            number(static_cast<int64_t>(handler.touches.size())) + ", " +
            number(static_cast<int64_t>(at_entry.size())) + ", " + own + ", " + entry + " };\n";
}

// The kind's argument; returns its name.
std::string FileWriter::attach(const probes::Attach &a, const ir::Handler &handler) {
    std::string name = "arg" + number(int64_t{args_++});
    switch (a.kind) {
        case probes::Kind::Begin: {
            static const char *const phases[] = {"BEGIN", "END", "ERROR"};
            out_ += "static const struct tapir_begin_arg " + name + " = { TAPIR_PHASE_" +
                    phases[static_cast<int>(a.phase)] + ", " + constant(a.order) + " };\n";
            break;
        }
        case probes::Kind::Timer:
            out_ += "static const struct tapir_timer_arg " + name + " = { " +
                    number(int64_t{a.unit == probes::TimerUnit::Jiffies}) + ", " + number(a.period) + ", " +
                    number(a.randomize) + " };\n";
            break;
        case probes::Kind::Function:
        case probes::Kind::Statement:
        case probes::Kind::Return:
            out_ += "static const struct tapir_function_arg " + name + " = " + function_arg(a, name) + ";\n";
            break;
        case probes::Kind::Uprobe:
        case probes::Kind::Uretprobe:
            user_arg(a, handler, name);
            break;
        case probes::Kind::Perf:
            out_ += "static const struct tapir_perf_arg " + name + " = { " + number(uint64_t{a.perf.type}) + ", " +
                    number(int64_t{a.optional}) + ", " + number(a.perf.config) + ", " + number(a.perf.period) + ", " +
                    number(a.perf.frequency) + ", " + (a.perf.counter.empty() ? "NULL" : quoted(a.perf.counter)) +
                    ", " + (a.perf.program.empty() ? "NULL" : quoted(a.perf.program)) + " };\n";
            break;
        case probes::Kind::Data:
            out_ += "static const struct tapir_data_arg " + name + " = { " +
                    number(int64_t{a.watch.symbol.empty() ? 0 : symbol(a.watch.symbol)}) + ", " +
                    number(int64_t{a.watch.length}) + ", " + number(a.watch.address) + ", " +
                    number(int64_t{!a.watch.symbol.empty()}) + ", " + number(int64_t{a.watch.reads}) + ", " +
                    number(int64_t{a.optional}) + " };\n";
            break;
        case probes::Kind::Procfs:
            out_ += "static const struct tapir_procfs_arg " + name + " = { " + quoted(a.file.path) + ", " +
                    number(int64_t{a.file.write}) + ", " + number(int64_t{a.file.umask.has_value()}) + ", " +
                    number(int64_t{a.file.umask.value_or(0)}) + ", " +
                    number(a.file.max_size ? int64_t{a.file.max_size} + 1 : 0) + " };\n";
            break;
        case probes::Kind::Netfilter:
            out_ += "static const struct tapir_netfilter_arg " + name + " = { " + number(int64_t{a.filter.family}) +
                    ", " + number(int64_t{a.filter.hook}) + ", " + number(int64_t{a.filter.priority}) + " };\n";
            break;
        case probes::Kind::Tracepoint:
            out_ += "static const struct tapir_tracepoint_arg " + name + " = { " + quoted(a.tracepoint) + ", " +
                    (a.tracepoint_module.empty() ? "NULL" : quoted(a.tracepoint_module)) + ", " +
                    number(int64_t{a.argument_count}) + ", " + number(int64_t{a.from_wildcard}) + ", " +
                    number(int64_t{a.optional}) + " };\n";
            break;
        case probes::Kind::Process:
        case probes::Kind::ProcessSyscall: {
            static const char *const events[] = {"PROCESS_BEGIN", "PROCESS_END", "THREAD_BEGIN",
                                                 "THREAD_END",    "SYSCALL",     "SYSCALL_RETURN"};
            out_ += "static const struct tapir_process_arg " + name + " = { TAPIR_" +
                    events[static_cast<int>(a.event)] + ", " + number(int64_t{a.from_wildcard}) + ", " +
                    number(int64_t{a.optional}) + ", " + program(a.user.path) + ", " + number(a.user.pid) + " };\n";
            break;
        }
        case probes::Kind::Syscall:
            syscall_arg(a.syscall, name);
            break;
        case probes::Kind::Never:
            break;
    }
    return name;
}

void FileWriter::syscall_arg(const probes::SyscallPlaces &places, const std::string &name) {
    const std::vector<size_t> &all = m_.syscalls.entries;
    std::vector<size_t> sorted = places.entries;
    std::sort(sorted.begin(), sorted.end());
    if (!sorted.empty()) {
        out_ += "static const u16 " + name + "_entries[] = {";
        for (size_t i = 0; i < sorted.size(); ++i) {
            const auto at = std::lower_bound(all.begin(), all.end(), sorted[i]) - all.begin();
            out_ += (i % 16 ? " " : "\n\t") + number(int64_t{at}) + ",";
        }
        out_ += "\n};\n";
    }
    out_ += "static const struct tapir_syscall_arg " + name + " = { " + number(int64_t{places.at_return}) + ", " +
            number(int64_t{places.every}) + ", " + number(static_cast<int64_t>(sorted.size())) + ", " +
            (sorted.empty() ? "NULL" : name + "_entries") + " };\n";
}

void FileWriter::syscalls() {
    if (m_.syscalls.entries.empty()) return;
    SyscallTables tables;
    std::string entries;
    // Handlers take the names for strings as they are: cut as those, and aligned as keys of arrays are found fastest.
    std::map<std::string, std::string> names;
    const auto name_of = [&](const std::string &text) {
        const auto [found, is_new] =
            names.try_emplace(text, "syscall_name_" + number(static_cast<int64_t>(names.size())));
        if (is_new)
            out_ +=
                "static const char " + found->second + "[] __attribute__((__aligned__(8))) = " + quoted(text) + ";\n";
        return found->second;
    };
    for (size_t i : m_.syscalls.entries) {
        const syscalls::Entry &entry = m_.syscalls.calls->entries()[i];
        const size_t count = m_.syscalls.texts ? entry.call.args.size() : 0;
        const std::string name(entry.call.name.substr(0, m_.limits.string_capacity - 1));
        entries += "\t{ { " + name_of(name) + ", " + (count ? tables.arguments(entry.call) : "NULL") + ", " +
                   number(static_cast<int64_t>(count)) + ", " + number(int64_t{entry.call.result}) + " }, " +
                   (entry.numbered == name ? "NULL" : quoted(entry.numbered)) + ", " + number(int64_t{entry.number}) +
                   ", " + number(int64_t{entry.narrow}) + ", " + number(int64_t{entry.part}) + ", " +
                   number(int64_t{entry.ipc}) + " },\n";
    }
    out_ += tables.text();
    out_ += "static const struct tapir_syscall_entry tapir_syscalls[] = {\n" + entries + "};\n";
}

// Symbols whose addresses the handlers use; the values are filled in when the module starts.
void FileWriter::addresses() {
    if (m_.addresses.empty()) return;
    out_ += "static const u32 tapir_addresses[] = { ";
    for (const ir::Address &address : m_.addresses)
        out_ +=
            number(int64_t{symbol(address.module.empty() ? address.symbol : address.module + ":" + address.symbol)}) +
            ", ";
    out_ += "};\n";
}

void FileWriter::objects() {
    if (m_.objects.empty()) return;
    out_ += "static const struct tapir_object tapir_objects[] = {\n";
    for (const target::BuiltObject &object : m_.objects)
        out_ += "\t{ " + quoted(object.module) + ", " + quoted(object.build_id) + " },\n";
    out_ += "};\n";
}

void FileWriter::programs() {
    if (m_.programs.empty()) return;
    out_ += "static const struct tapir_program tapir_programs[] = {\n";
    for (const target::BuiltProgram &program : m_.programs)
        out_ += "\t{ " + quoted(program.path) + ", " + quoted(program.build_id) + ", " + number(program.size) + ", " +
                number(program.text_bias) + ", " + number(program.text_offset) + " },\n";
    out_ += "};\n";
}

int FileWriter::symbol(const std::string &name) {
    auto [at, added] = symbol_index_.try_emplace(name, static_cast<int>(symbols_.size()));
    if (added) symbols_.push_back(name);
    return at->second;
}

void FileWriter::probes() {
    std::string table;
    for (size_t i = 0; i < m_.handlers.size(); i++) {
        const ir::Handler &h = m_.handlers[i];
        if (h.is_entry) continue;
        std::string entry = "NULL, 0";
        if (h.entry >= 0)
            entry = "handler" + number(static_cast<int64_t>(body_handler(static_cast<size_t>(h.entry)))) + ", " +
                    number(static_cast<int64_t>(h.saved.size())) + " * " + saved_stride(h);
        for (const probes::Attach &a : h.attaches) {
            std::string arg = attach(a, h);
            LeafForm form = a.facts().leaf;
            const bool tries = a.facts().attempts && m_.handlers[body_handler(i)].attempt;
            std::string function = handler_name(m_, static_cast<int>(body_handler(i)), form);
            table += "\t{ " + quoted(a.point) + ", " + quoted(h.where) + ", &tapir_kind_" +
                     std::string(a.facts().name) + ", &" + arg + ", " +
                     (h.leaf ? std::string("NULL, { .") + leaf_member(form) + " = " + function + " }"
                             : function + ", { NULL }") +
                     ", " + (h.condition >= 0 ? "&tapir_conditions[" + number(int64_t{h.condition}) + "]" : "NULL") +
                     ", " + entry + ", " + (tries ? attempt_name(static_cast<int>(body_handler(i))) : "NULL") + " },\n";
            probe_count_++;
        }
    }
    out_ += "\n";
    objects();
    programs();
    syscalls();
    addresses();
    if (probe_count_) out_ += "static const struct tapir_probe tapir_probes[] = {\n" + table + "};\n\n";
    if (symbols_.empty()) return;
    out_ += "static const char *const tapir_symbols[] = {\n";
    for (const std::string &symbol : symbols_)
        out_ += "\t" + quoted(symbol) + ",\n";
    out_ += "};\n\n";
}

void FileWriter::module() {
    out_ +=
        "const struct tapir_module tapir_module = {\n\t.abi = TAPIR_ABI,\n\t.string_cap = "
        "MAXSTRINGLEN,\n\t.frame_bytes = need_frame" +
        std::string(m_.regex_groups ? " + LAST_MATCH_BYTES" : "") + ",\n";
    auto table = [&](const char *count, const char *name, size_t n) {
        if (n)
            out_ += std::string("\t.") + count + " = " + number(static_cast<int64_t>(n)) + ",\n\t." + name +
                    " = tapir_" + name + ",\n";
    };
    table("nprobes", "probes", static_cast<size_t>(probe_count_));
    table("nglobals", "globals", m_.globals.size());
    table("nsymbols", "symbols", symbols_.size());
    table("nconditions", "conditions", m_.conditions.size());
    table("nobjects", "objects", m_.objects.size());
    table("nprograms", "programs", m_.programs.size());
    table("nsyscalls", "syscalls", m_.syscalls.entries.size());
    table("naddresses", "addresses", m_.addresses.size());
    if (!m_.addresses.empty()) out_ += "\t.address_values = tapir_address_values,\n";
    if (!m_.limits.values.empty()) {
        out_ += "\t.limits = {\n";
        for (const auto &[name, n] : m_.limits.values)
            out_ += "\t\t[TAPIR_LIMIT_" + name + "] = " + number(n) + ",\n";
        out_ += "\t},\n\t.limits_set = 0";
        for (const auto &entry : m_.limits.values)
            out_ += " | 1u << TAPIR_LIMIT_" + entry.first;
        out_ += ",\n";
    }
    out_ += "\t.hist_elision = " + number(int64_t{m_.limits.hist_elision}) +
            ",\n\t.hist_width = " + number(int64_t{m_.limits.hist_width}) +
            ",\n\t.init_globals = tapir_init_globals,\n};\n";
}

std::string FileWriter::write() {
    head();
    sites();
    formats();
    regexes();
    storage();
    global_table();
    embedded();
    functions();
    handlers();
    initialiser();
    frame_needs();
    probes();
    module();
    return with_own_lines(out_);
}

}  // namespace

std::string emit(const ir::Module &module) {
    return FileWriter(module).write();
}

}  // namespace tapir::emit
