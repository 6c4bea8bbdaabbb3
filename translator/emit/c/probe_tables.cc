// SPDX-License-Identifier: GPL-2.0-or-later
// Probes, and the tables of their places: symbols, objects, programs, system calls.
#include "emit/c/probe_tables.h"

#include <map>

#include "emit/c/arg_text.h"
#include "emit/c/syscall_tables.h"
#include "emit/c/writer.h"
#include "probes/kinds.h"

namespace tapir::emit {

namespace {

class ProbeWriter {
  public:
    explicit ProbeWriter(const ir::Module &module) : m_(module), places_(probe_rows(module)) {}
    ProbeTables write();

  private:
    void handler(size_t i);
    void row(const ProbeRow &place, const probes::Attach &attach);
    void objects();
    void programs();
    void interpreters();
    void syscalls();
    void addresses();
    void sizes();
    void list(const std::string &type, const std::string &name, const std::string &rows) {
        if (!rows.empty()) out_.text += "static const " + type + " " + name + "[] = {\n" + rows + "};\n";
    }

    const ir::Module &m_;
    const std::vector<ProbeRow> places_;
    ProbeTables out_;
    SymbolTable symbols_;
    Settings settings_;
    std::string rows_;
};

void ProbeWriter::handler(size_t i) {
    if (m_.handlers[i].is_entry) return;
    for (const probes::Attach &attach : m_.handlers[i].attaches)
        row(places_[out_.probes], attach);
}

void ProbeWriter::row(const ProbeRow &place, const probes::Attach &attach) {
    const size_t i = place.handler;
    const ir::Handler &h = m_.handlers[i];
    const probes::KindFacts &kind = attach.facts();
    const int body = body_handler(m_, static_cast<int>(i));
    const std::string name = "arg" + std::to_string(out_.probes++);
    const std::string definition = arg_definition(probes::arg_of(attach), m_, h, symbols_, settings_, name);
    out_.text += definition;

    Initialiser probe;
    probe.text("point", attach.point).text("where", h.where);
    probe.value("kind", "&tapir_kind_" + std::string(kind.name));
    if (!definition.empty()) probe.value("arg", "&" + name);
    const std::string function = handler_name(m_, body, kind.leaf);
    if (h.leaf)
        probe.value("leaf", Initialiser().value(leaf_member(kind.leaf), function).str());
    else
        probe.value("handler", function);
    const bool report = h.report && probes::may_be_late(attach);
    if (report) probe.number("report", 1);
    if ((h.prints && !report) || (h.entry >= 0 && m_.handlers[static_cast<size_t>(h.entry)].prints))
        probe.number("prints", 1);
    if (place.condition >= 0) probe.value("condition", "&tapir_conditions[" + std::to_string(place.condition) + "]");
    if (m_.switches && h.synthetic) probe.number("synthetic", 1);
    if (h.entry >= 0) {
        probe.value("entry", "handler" + std::to_string(body_handler(m_, h.entry)));
        probe.value("saved_bytes", saved_offset(h, h.saved.size()) + (m_.weighted ? " + 8" : ""));
    }
    if (kind.steady) probe.number("steady", 1);
    if (h.pair) probe.number("pair", h.pair);
    if (h.follows) probe.number("follows", 1);
    if (kind.attempts && m_.handlers[static_cast<size_t>(body)].attempt) probe.value("attempt", attempt_name(body));
    rows_ += "\t" + probe.str() + ",\n";
}

void ProbeWriter::objects() {
    std::string rows;
    for (const target::BuiltObject &object : m_.objects)
        rows += "\t" + Initialiser().text("module", object.module).text("build_id", object.build_id).str() + ",\n";
    list("struct tapir_object", "tapir_objects", rows);
}

void ProbeWriter::programs() {
    std::string rows;
    for (const target::BuiltProgram &program : m_.programs) {
        Initialiser row;
        row.text("path", program.path).text("build_id", program.build_id).number("size", program.size);
        row.number("text_bias", program.text_bias).number("text_offset", program.text_offset);
        rows += "\t" + row.str() + ",\n";
    }
    list("struct tapir_program", "tapir_programs", rows);
}

void ProbeWriter::interpreters() {
    std::string rows;
    for (const ast::Interpreter *interpreter : m_.interpreters) {
        std::string variables;
        for (const std::string &variable : interpreter->variables)
            variables += (variables.empty() ? "" : ", ") + c_string(variable);
        Initialiser row;
        row.text("name", interpreter->name).text("known", interpreter->known).text("files", interpreter->files);
        rows += "\t" + row.text("loop", interpreter->loop).value("variables", "{ " + variables + " }").str() + ",\n";
    }
    list("struct tapir_interpreter", "tapir_interpreters", rows);
}

void ProbeWriter::syscalls() {
    if (m_.syscalls.entries.empty()) return;
    SyscallTables tables;
    std::string rows;
    // Handlers take the names for strings as they are: cut as those, and aligned as keys of arrays are found fastest.
    std::map<std::string, std::string> names;
    const auto name_of = [&](const std::string &text) {
        const auto [found, is_new] = names.try_emplace(text, "syscall_name_" + std::to_string(names.size()));
        if (is_new)
            out_.text +=
                "static const char " + found->second + "[] __attribute__((__aligned__(8))) = " + c_string(text) + ";\n";
        return found->second;
    };
    for (size_t i : m_.syscalls.entries) {
        const syscalls::Entry &entry = m_.syscalls.calls->entries()[i];
        const size_t count = m_.syscalls.texts ? entry.call.args.size() : 0;
        const std::string name(entry.call.name.substr(0, m_.limits.string_capacity - 1));
        Initialiser call, row;
        call.value("name", name_of(name)).value("args", count ? tables.arguments(entry.call) : "NULL");
        call.number("nargs", count).number("result", int{entry.call.result});
        row.value("call", call.str());
        if (entry.numbered != name) row.text("name", entry.numbered);
        row.number("number", entry.number).number("narrow", int{entry.narrow}).number("part", entry.part);
        rows += "\t" + row.number("ipc", int{entry.ipc}).str() + ",\n";
    }
    out_.text += tables.text();
    list("struct tapir_syscall_entry", "tapir_syscalls", rows);
}

// Symbols whose addresses the handlers use; the values are filled in when the module starts.
void ProbeWriter::addresses() {
    std::string rows;
    for (const ir::Address &address : m_.addresses) {
        const std::string module = address.module.empty() ? "" : address.module + ":";
        rows += "\t" + std::to_string(symbols_.index(module + address.symbol)) + ",\n";
    }
    list("u32", "tapir_addresses", rows);
}

// Arrays with sizes that the session's start sets.
void ProbeWriter::sizes() {
    for (size_t i = 0; i < m_.globals.size(); ++i) {
        const ir::Global &global = m_.globals[i];
        if (global.size_option.empty()) continue;
        const probes::Arg::Setting setting{
            static_cast<uint64_t>(*global.max_entries), global.size_option, 1, 0, 1, INT32_MAX};
        settings_.add(m_, setting, "&" + map_desc_name(m_, static_cast<int>(i)) + ".max_entries", true);
    }
}

ProbeTables ProbeWriter::write() {
    for (size_t i = 0; i < m_.handlers.size(); ++i)
        handler(i);
    objects();
    programs();
    interpreters();
    syscalls();
    addresses();
    sizes();
    list("struct tapir_setting", "tapir_settings", settings_.rows);
    out_.settings = settings_.count;
    list("struct tapir_probe", "tapir_probes", rows_);
    std::string symbols;
    for (const std::string &symbol : symbols_.symbols())
        symbols += "\t" + c_string(symbol) + ",\n";
    list("char *const", "tapir_symbols", symbols);
    out_.symbols = symbols_.symbols().size();
    out_.text = "\n" + out_.text + "\n";
    return std::move(out_);
}

}  // namespace

std::vector<ProbeRow> probe_rows(const ir::Module &module) {
    std::vector<ProbeRow> rows;
    int own = static_cast<int>(module.conditions.size());
    for (size_t i = 0; i < module.handlers.size(); i++) {
        const ir::Handler &handler = module.handlers[i];
        const bool is_switched = module.switches && !handler.synthetic;
        for (size_t k = 0; !handler.is_entry && k < handler.attaches.size(); k++)
            rows.push_back({i, is_switched ? own++ : handler.condition, is_switched});
    }
    return rows;
}

ProbeTables probe_tables(const ir::Module &module) {
    return ProbeWriter(module).write();
}

}  // namespace tapir::emit
