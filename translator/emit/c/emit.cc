// SPDX-License-Identifier: GPL-2.0-or-later
// The file as a whole: its includes, then storage, functions and descriptors in the order that C needs.
#include "emit/c/emit.h"

#include <cstdint>

#include "emit/c/probe_tables.h"
#include "emit/c/writer.h"

namespace tapir::emit {

namespace {

bool has_embedded_c(const ir::Module &m) {
    bool any = !m.embedded.empty() || !m.snippets.empty();
    for (const ir::Function &f : m.functions)
        any |= f.embedded.has_value();
    return any;
}

std::string head(const ir::Module &m) {
    std::string out = "#include <tapir/tapir.h>\n";
    if (m.user_c) out += "#ifdef TAPIR_KMOD\n#include <kmod/kernel_headers.h>\n#endif\n";
    out += "\n";
    out += "#define MAXSTRINGLEN " + std::to_string(m.limits.string_capacity) + "\n";
    return out + "#define TAPIR_NESTING " + std::to_string(m.limits.max_nesting) + "\n\n";
}

// Definitions for a user's own C: the limits that were set, and the level of the language.
std::string compatibility(const ir::Module &m) {
    std::string out;
    for (const auto &[name, n] : m.limits.values)
        out += "#define " + name + " " + std::to_string(n) + (n > INT32_MAX ? "ll" : "") + "\n";
    const size_t dot = m.systemtap_v.find('.');
    const std::string minor = dot == std::string::npos ? "0" : m.systemtap_v.substr(dot + 1);
    out += "#define STAP_COMPAT_VERSION STAP_VERSION(" + m.systemtap_v.substr(0, dot) + ", " +
           minor.substr(0, minor.find('.')) + ")\n";
    return out + "#include <tapir/embed_compat.h>\n";
}

// The script's own C, between the names that it may use itself and the code after its headers.
std::string embedded(const ir::Module &m) {
    std::string out;
    for (const auto &[name, text] : m.c_defines)
        out += "#ifndef " + name + "\n#define " + name + " " + text + "\n#endif\n";
    if (!has_embedded_c(m)) return out;
    out += "#include <tapir/embed.h>\n";
    // Pieces of C may be expressions with unused values.
    if (m.user_c)
        out += compatibility(m) +
               "#pragma GCC diagnostic error \"-Wint-conversion\"\n#pragma GCC diagnostic ignored \"-Wunused-value\"\n";
    out += "\n";
    for (const ir::Snippet &snippet : m.embedded)
        out += placed_code(snippet.at, snippet.code, 2) + "\n";
    return out + "#include <tapir/embed_memory.h>\n\n";
}

size_t condition_count(const ir::Module &m) {
    size_t count = m.conditions.size();
    for (const ProbeRow &row : probe_rows(m))
        count += row.is_switched;
    return count;
}

// Those of handlers, then those of probes with switches.
std::string conditions(const ir::Module &m) {
    if (!condition_count(m)) return {};
    const std::vector<ProbeRow> rows = probe_rows(m);
    std::string table, out, on;
    for (size_t i = 0; i < m.conditions.size(); i++)
        table += "\t{ .holds = condition" + std::to_string(i) + " },\n";
    for (size_t i = 0; i < rows.size(); i++)
        on += i ? ", 1" : "1";
    if (m.switches) out += "static u8 tapir_switches[] = { " + on + " };\n";
    for (size_t i = 0; i < rows.size(); i++) {
        if (!rows[i].is_switched) continue;
        const std::string name = "switched" + std::to_string(i);
        const int asked = m.handlers[rows[i].handler].condition;
        out += "static bool " + name + "(void)\n{\n\treturn __atomic_load_n(&tapir_switches[" + std::to_string(i) +
               "], __ATOMIC_RELAXED)" + (asked >= 0 ? " && condition" + std::to_string(asked) + "()" : "") + ";\n}\n";
        table += "\t{ .holds = " + name + " },\n";
    }
    return out + "static struct tapir_condition tapir_conditions[] = {\n" + table + "};\n\n";
}

std::string functions(const ir::Module &m) {
    std::string out;
    const auto count = static_cast<int>(m.functions.size());
    const auto function = [&](int i) -> const ir::Function & { return m.functions[static_cast<size_t>(i)]; };
    for (int i = 0; i < count; i++)
        out += prototype(m, i) + ";\n" + frame_struct(function_name(m, i), function(i).body.frame);
    out += "\n";
    for (int i = 0; i < count; i++)
        if (function(i).embedded) out += embedded_function(m, i);
    for (size_t i = 0; i < m.snippets.size(); i++)
        out += snippet_function(m, static_cast<int>(i));
    for (int i = 0; i < count; i++)
        if (!function(i).embedded) out += script_function(m, i);
    for (size_t i = 0; i < m.conditions.size(); i++)
        out += condition_function(m, static_cast<int>(i));
    return out + conditions(m);
}

// The forms that probes with the body of handler `i` need.
std::set<LeafForm> leaf_forms(const ir::Module &m, int i) {
    std::set<LeafForm> forms;
    for (size_t k = static_cast<size_t>(i); k < m.handlers.size(); k++) {
        if (body_handler(m, static_cast<int>(k)) != i) continue;
        for (const probes::Attach &a : m.handlers[k].attaches)
            forms.insert(a.facts().leaf);
    }
    return forms;
}

std::string handlers(const ir::Module &m) {
    std::string out;
    for (size_t i = 0; i < m.handlers.size(); i++) {
        const ir::Handler &h = m.handlers[i];
        const auto number = static_cast<int>(i);
        if (h.same_as >= 0) continue;
        out += frame_struct("handler" + std::to_string(i), h.body.frame);
        const std::set<LeafForm> forms = h.leaf ? leaf_forms(m, number) : std::set{LeafForm::PLAIN};
        for (LeafForm form : forms)
            out += handler_function(m, number, form);
        if (h.attempt) out += attempt_function(m, number);
    }
    return out;
}

std::string limits(const ir::Limits &limits) {
    std::string out;
    if (!limits.values.empty()) {
        out += "\t.limits = {\n";
        for (const auto &[name, n] : limits.values)
            out += "\t\t[TAPIR_LIMIT_" + name + "] = " + std::to_string(n) + "ull,\n";
        out += "\t},\n\t.limits_set = 0";
        for (const auto &entry : limits.values)
            out += " | 1u << TAPIR_LIMIT_" + entry.first;
        out += ",\n";
    }
    return out + "\t.hist_elision = " + std::to_string(limits.hist_elision) +
           ",\n\t.hist_width = " + std::to_string(limits.hist_width) +
           ",\n\t.hist_units = " + std::to_string(limits.hist_units) + ",\n";
}

std::string module_descriptor(const ir::Module &m, const ProbeTables &probes) {
    std::string out =
        "const struct tapir_module tapir_module = {\n\t.abi = TAPIR_ABI,\n\t.string_cap = "
        "MAXSTRINGLEN,\n\t.frame_bytes = need_frame";
    out += std::string(m.regex_groups ? " + LAST_MATCH_BYTES" : "") + ",\n";
    const auto table = [&](const std::string &name, size_t n) {
        if (n) out += "\t.n" + name + " = " + std::to_string(n) + ",\n\t." + name + " = tapir_" + name + ",\n";
    };
    table("probes", probes.probes);
    table("globals", m.globals.size());
    table("symbols", probes.symbols);
    table("conditions", condition_count(m));
    if (m.switches && probes.probes) out += "\t.switches = tapir_switches,\n";
    table("objects", m.objects.size());
    table("programs", m.programs.size());
    table("interpreters", m.interpreters.size());
    table("syscalls", m.syscalls.entries.size());
    table("formats", loader_formats(m).size());
    table("addresses", m.addresses.size());
    table("settings", probes.settings);
    table("recalls", m.rings.size());
    if (!m.addresses.empty()) out += "\t.address_values = tapir_address_values,\n";
    if (m.weighted) out += "\t.weighted = 1,\n";
    return out + limits(m.limits) + "\t.init_globals = tapir_init_globals,\n};\n";
}

}  // namespace

std::string emit(const ir::Module &module) {
    const ProbeTables probes = probe_tables(module);
    return with_own_lines(head(module) + site_table(module) + format_tables(module) + regex_tables(module) +
                          recall_tables(module) + global_tables(module) + embedded(module) + functions(module) +
                          handlers(module) + global_initialiser(module) + frame_needs(module) + probes.text +
                          module_descriptor(module, probes));
}

}  // namespace tapir::emit
