// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstdio>
#include <string_view>

#include "base/time_units.h"
#include "ir/ir.h"

namespace tapir::ir {

namespace {

std::string quote(const std::string &text) {
    std::string out = "\"";
    for (char c : text) {
        auto byte = static_cast<unsigned char>(c);
        if (c == '\n')
            out += "\\n";
        else if (c == '"' || c == '\\')
            out += std::string("\\") + c;
        else if (byte < 32 || byte > 126) {
            char hex[8];
            std::snprintf(hex, sizeof hex, "\\x%02x", byte);
            out += hex;
        } else
            out += c;
    }
    return out + "\"";
}

const char *const kBinary[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>"};
const char *const kCompareSigns[] = {"<", "<=", ">", ">=", "==", "!="};
const char *const kStat[] = {"count", "sum", "min", "max", "avg", "variance", "percentile", "median"};

class Printer {
  public:
    Printer(const Module &module, const Body &body) : m_(module), body_(body) {}
    std::string text(const Inst &inst) const;
    std::string value(const Value &v) const;

  private:
    std::string list(const std::vector<Value> &values) const {
        std::string out;
        for (const Value &v : values)
            out += (out.empty() ? "" : ", ") + (v ? value(v) : "*");
        return out;
    }
    std::string global(const Inst &inst) const {
        const std::string &name = m_.globals[static_cast<size_t>(inst.global)].name;
        return inst.args.empty() ? name : name + "[" + list(inst.args) + "]";
    }
    std::string operation(const Inst &inst) const;
    // Returns the text for `{name}` in the form of an operation.
    std::string operand(std::string_view name, const Inst &inst) const;
    std::string entry(std::string_view name, const Inst &inst) const;
    std::string snapshots(const Inst &inst) const;
    static std::string order(const Sort &sort);
    const Module &m_;
    const Body &body_;
};

std::string Printer::value(const Value &v) const {
    auto named = [&](const char *prefix, const std::map<int, std::string> &names) {
        std::string out = prefix + std::to_string(v.n);
        auto found = names.find(static_cast<int>(v.n));
        return found == names.end() ? out : out + ":" + found->second;
    };
    switch (v.kind) {
        case ValueKind::None:
            return "-";
        case ValueKind::Int:
            return std::to_string(v.n);
        case ValueKind::Reg:
            return named("r", body_.register_names);
        case ValueKind::Literal:
            return quote(m_.literals[static_cast<size_t>(v.n)]);
        case ValueKind::Buffer:
            return named("s", body_.buffer_names);
        case ValueKind::Pointer:
            return "p" + std::to_string(v.n);
        case ValueKind::Global:
            return m_.globals[static_cast<size_t>(v.n)].name;
        case ValueKind::Result:
            return "result";
        case ValueKind::Sum:
            return "sum" + std::to_string(v.n);
    }
    return {};
}

std::string Printer::operation(const Inst &i) const {
    std::string out;
    std::string_view form = facts(i.op).form;
    while (!form.empty()) {
        const size_t open = std::min(form.find('{'), form.size());
        out += form.substr(0, open);
        form.remove_prefix(open);
        if (form.empty()) break;
        const size_t close = form.find('}');
        out += operand(form.substr(1, close - 1), i);
        form.remove_prefix(close + 1);
    }
    return out;
}

std::string Printer::operand(std::string_view name, const Inst &i) const {
    if (name == "a") return value(i.a);
    if (name == "b") return value(i.b);
    if (name == "args") return list(i.args);
    if (name == "global") return global(i);
    if (name == "index") return std::to_string(i.index);
    if (name == "detail") return std::to_string(i.detail);
    if (name == "binary") return kBinary[i.detail];
    if (name == "compare") return kCompareSigns[i.detail];
    if (name == "stat") return kStat[i.detail];
    if (name == "user") return i.old ? "user " : "";
    if (name == "which") return !i.dst ? "" : i.old ? ", old" : ", new";
    if (name == "order") return order(i.sort);
    if (name == "limit") return i.a ? " limit " + value(i.a) : "";
    if (name == "snapshot") return i.b ? " or its snapshot if " + value(i.b) : "";
    if (name == "merged") return i.detail ? " with histogram " + std::to_string(i.detail - 1) : "";
    if (name == "histogram") return i.index < 0 ? "" : " with histogram " + std::to_string(i.index);
    if (name == "newline") return i.detail ? " and a newline" : "";
    if (name == "next") return i.next ? " next " + value(i.next) : "";
    return entry(name, i);
}

// Entries of the module's lists.
std::string Printer::entry(std::string_view name, const Inst &i) const {
    const auto n = static_cast<size_t>(i.index);
    if (name == "regex") return quote(m_.regexes[n].pattern);
    if (name == "function") return m_.functions[n].name;
    if (name == "snippet") return quote(m_.snippets[n].code);
    if (name == "snapshots") return snapshots(i);
    const Address &address = m_.addresses[n];  // "symbol"
    return (address.module.empty() ? "" : address.module + ":") + address.symbol;
}

std::string Printer::snapshots(const Inst &i) const {
    std::string out;
    for (const Snapshot &s : m_.snapshots[static_cast<size_t>(i.index)]) {
        out += (out.empty() ? "" : ", ") + m_.globals[static_cast<size_t>(s.global)].name;
        if (s.limit) out += " limit " + std::to_string(s.limit);
        if (s.cut) out += " cut";
    }
    return out;
}

std::string Printer::order(const Sort &sort) {
    if (!sort.direction) return {};
    const std::string direction = sort.direction > 0 ? " ascending" : " descending";
    if (sort.column) return direction + " key " + std::to_string(sort.column);
    return direction + " value @" + kStat[static_cast<int>(sort.stat)];
}

std::string Printer::text(const Inst &i) const {
    if (i.op == Op::Label) return "L" + std::to_string(i.target) + ":";
    std::string out = "    ";
    if (i.dst) out += value(i.dst) + " = ";
    out += operation(i);
    if (i.access == Access::Atomic) out += " atomic";
    if (i.access == Access::Locked) out += " locked";
    if (i.weighted) out += " weighted";
    if (i.target >= 0) out += " -> L" + std::to_string(i.target);
    if (i.on_error >= 0) out += " ! L" + std::to_string(i.on_error);
    if (i.site >= 0) out += "  ; " + m_.sites[static_cast<size_t>(i.site)];
    return out;
}

std::string frame(const Frame &f) {
    std::string out;
    auto part = [&](int n, const char *what) {
        if (n) out += " " + std::to_string(n) + " " + what;
    };
    part(f.buffers, "buffers");
    part(f.sums, "sums");
    part(f.iterators, "iterators");
    return out.empty() ? "" : "    frame:" + out + "\n";
}

std::string piece(const FormatPiece &p) {
    if (p.conv == ast::FormatPiece::Conv::Literal) return quote(p.literal);
    static const char kConversions[] = "?duxXopscbmM";
    static const char *const kFlags[] = {"", "0", "+", "-", " ", "#"};
    std::string out = std::string("%") + kFlags[static_cast<int>(p.flag)];
    if (p.width_from_arg) out += "*";
    if (p.width) out += std::to_string(*p.width);
    if (p.precision_from_arg) out += ".*";
    if (p.precision) out += "." + std::to_string(*p.precision);
    return out + kConversions[static_cast<int>(p.conv)];
}

std::string global(const Module &m, const Global &g) {
    std::string out = "global " + g.name + ":" + std::string(ast::type_name(g.type));
    for (size_t i = 0; i < g.key_types.size(); i++)
        out += (i ? ", " : " [") + std::string(ast::type_name(g.key_types[i]));
    if (!g.key_types.empty()) out += "]";
    if (g.wrap) out += " wraps";
    if (g.max_entries) out += " at most " + std::to_string(*g.max_entries);
    if (g.age) out += " age " + time_text(g.age);
    if (!g.key_types.empty() && g.stable) out += " stable";
    if (g.access == Access::Atomic) out += " atomic";
    if (g.initial) out += " = " + Printer(m, {}).value(g.initial);
    return out + "\n";
}

}  // namespace

std::string print(const Module &module, const Body &body) {
    Printer printer(module, body);
    std::string out = frame(body.frame);
    for (const Inst &inst : body.code)
        out += printer.text(inst) + "\n";
    return out;
}

std::string print(const Module &m) {
    std::string out;
    for (const target::BuiltObject &object : m.objects)
        out += "object \"" + object.module + "\" " + object.build_id + "\n";
    for (const target::BuiltProgram &program : m.programs)
        out += "program \"" + program.path + "\" " + program.build_id + "\n";
    for (const ast::Interpreter *interpreter : m.interpreters)
        out += "interpreter \"" + interpreter->name + "\"\n";
    for (const Global &g : m.globals)
        out += global(m, g);
    for (size_t i = 0; i < m.formats.size(); i++) {
        out += "format" + std::to_string(i) + " =";
        for (const FormatPiece &p : m.formats[i])
            out += " " + piece(p);
        out += "\n";
    }
    for (const Function &f : m.functions) {
        out += "function " + f.name + ":" + std::string(ast::type_name(f.result)) + "(";
        for (size_t i = 0; i < f.params.size(); i++)
            out += (i ? ", " : "") + Printer(m, {}).value(f.params[i].value) + ":" + f.params[i].name;
        out += ")";
        if (f.can_fail) out += " fails";
        if (f.has_next) out += " next";
        if (f.recursive) out += " recursive";
        if (f.pushes) out += " pushes";
        if (f.leaf) out += " leaf";
        if (f.untraced) out += " untraced";
        if (f.anywhere) out += " anywhere";
        if (f.borrowed) out += " borrowed";
        out += f.embedded ? " C\n" : "\n" + print(m, f.body);
    }
    for (size_t i = 0; i < m.conditions.size(); i++)
        out += "condition" + std::to_string(i) + " " + Printer(m, m.conditions[i].body).value(m.conditions[i].result) +
               "\n" + print(m, m.conditions[i].body);
    for (size_t i = 0; i < m.handlers.size(); i++) {
        const Handler &h = m.handlers[i];
        out += "handler" + std::to_string(i) + " " + h.point;
        if (h.leaf) out += " leaf";
        if (h.attempt) out += " attempt";
        if (h.session) out += " session";
        if (h.report) out += " report";
        if (m.switches && !h.synthetic) out += " switched";
        if (h.pair) out += (h.follows ? " follows pair" : " pair") + std::to_string(h.pair);
        if (h.condition >= 0) out += " if condition" + std::to_string(h.condition);
        for (size_t k = 0; k < h.locks.size(); k++)
            out += (k ? ", " : " locks ") + m.globals[static_cast<size_t>(h.locks[k])].name;
        out += h.same_as >= 0 ? " same as handler" + std::to_string(h.same_as) + "\n" : "\n" + print(m, h.body);
    }
    return out;
}

}  // namespace tapir::ir
