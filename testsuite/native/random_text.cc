// SPDX-License-Identifier: GPL-2.0-or-later
// Random programs as script text.
#include "random_node.h"

namespace tapir::native {
namespace {

std::string list(const std::vector<NodePtr> &nodes, size_t from = 0) {
    std::string out;
    for (size_t i = from; i < nodes.size(); i++)
        out += (i > from ? ", " : "") + show(*nodes[i]);
    return out;
}

std::string quoted(const std::string &text) {
    std::string out = "\"";
    for (char c : text)
        out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return out + "\"";
}

std::string histogram(const std::string &statistic) {
    if (statistic == "s") return "@hist_log(s)";
    return "@hist_linear(r, " + std::to_string(kLow) + ", " + std::to_string(kHigh) + ", " + std::to_string(kWidth) +
           ")";
}

std::string statistic(const Node &n) {
    std::string of = n.literal == "u" ? "u[" + show(*n.parts[0]) + "]" : n.literal;
    // One shift for each statistic.
    std::string shift = n.op != "@variance" ? "" : n.literal == "r" ? ", 2" : "";
    return n.op + "(" + of + shift + ")";
}

std::string show_foreach(const Node &n) {
    std::vector<std::string> keys;
    if (n.op == "b")
        keys = {"ks"};
    else if (n.op == "c")
        keys = {"kn", "kt"};
    else if (n.op == "d")
        keys = {"kn", "kt", "km"};
    else
        keys = {"kn"};
    std::string pattern, shown, sort = n.number < 0 ? "-" : "+", by_value;
    for (size_t i = 0; i < keys.size(); i++) {
        bool marked = n.number * n.number == static_cast<int64_t>((i + 2) * (i + 2));
        shown += (i ? ", \" \", " : "") + keys[i] + n.literal;
        pattern += (i ? ", " : "") + keys[i] + n.literal + (marked ? sort : "");
    }
    if (keys.size() > 1) pattern = "[" + pattern + "]";
    if (n.binds) {
        std::string value = (n.op == "c" ? "vt" : "vn") + n.literal;
        pattern = value + " = " + pattern;
        shown += ", \"=\", " + value;
    }
    if (n.number * n.number == 1) by_value = (n.by.empty() ? "" : " " + n.by) + sort;
    if (n.limit >= 0) by_value += " limit " + (n.parts.size() > 1 ? show(*n.parts[1]) : std::to_string(n.limit));
    return "foreach (" + pattern + " in " + n.op + by_value + ") { println(" + shown + ");\n" + show(*n.parts[0]) +
           " }";
}

std::string show_for(const Node &n) {
    std::string i = "i" + n.literal, end = std::to_string(n.number);
    if (n.binds) return i + " = 0; while (" + i + "++ < " + end + ") " + show(*n.parts[0]);
    return "for (" + i + " = 0; " + i + " < " + end + "; " + i + "++) " + show(*n.parts[0]);
}

std::string show_statement(const Node &n) {
    auto part = [&](size_t i) { return show(*n.parts.at(i)); };
    switch (n.kind) {
        case Kind::Print:
            return "println(" + part(0) + ");";
        case Kind::Discard:
            return part(0) + ";";
        case Kind::Block: {
            std::string out = "{ ";
            for (const NodePtr &child : n.parts)
                out += show(*child) + "\n";
            return out + "}";
        }
        case Kind::If:
            return "if (" + part(0) + ") " + part(1) + (n.parts.size() > 2 ? " else " + part(2) : "");
        case Kind::For:
            return show_for(n);
        case Kind::Foreach:
            return show_foreach(n);
        case Kind::ForeachSlice:
            return "foreach ([kn" + n.literal + ", kt" + n.literal + "] in c[" + part(1) + ", *]) { println(kn" +
                   n.literal + ", kt" + n.literal + ");\n" + part(0) + " }";
        case Kind::ForeachBucket:
            return "foreach (vn" + n.literal + " = kn" + n.literal + " in " + histogram(n.op) + ") { println(kn" +
                   n.literal + ", \":\", vn" + n.literal + ");\n" + part(0) + " }";
        case Kind::Delete:
            return "delete " + n.op + "[" + list(n.parts) + "];";
        case Kind::DeleteSlice:
            return "delete c[" + part(0) + ", *];";
        case Kind::DeleteAll:
            return "delete " + n.op + ";";
        case Kind::Try:
            return "try " + part(0) + " catch (t0) { println(t0)\n" + part(1) + " }";
        case Kind::Sample:
            return n.op + (n.op == "u" ? "[" + part(1) + "]" : "") + " <<< " + part(0) + ";";
        case Kind::Break:
            return "break;";
        case Kind::Continue:
            return "continue;";
        case Kind::Next:
            return "next;";
        default:
            return "error(" + part(0) + ");";
    }
}

}  // namespace

std::string show(const Node &n) {
    auto part = [&](size_t i) { return show(*n.parts.at(i)); };
    switch (n.kind) {
        case Kind::Number:
            return n.number < 0 ? "(" + std::to_string(n.number) + ")" : std::to_string(n.number);
        case Kind::Text:
            return quoted(n.literal);
        case Kind::Variable:
            return n.op;
        case Kind::Element:
            return n.op + "[" + list(n.parts) + "]";
        case Kind::Has:
            return "([" + list(n.parts) + "] in " + n.op + ")";
        case Kind::HasSlice:
            return "([" + part(0) + ", *] in c)";
        case Kind::Unary:
            return "(" + n.op + "(" + part(0) + "))";
        case Kind::Binary:
        case Kind::Logical:
        case Kind::Compare:
        case Kind::Assign:
            return "(" + part(0) + " " + n.op + " " + part(1) + ")";
        case Kind::Ternary:
            return "(" + part(0) + " ? " + part(1) + " : " + part(2) + ")";
        case Kind::Concat:
            return "(" + part(0) + " . " + part(1) + ")";
        case Kind::Increment:
            return n.op[0] == 'x' ? "(" + part(0) + n.op.substr(1) + ")" : "(" + n.op.substr(0, 2) + part(0) + ")";
        case Kind::Call:
            return n.op + "(" + list(n.parts) + ")";
        case Kind::Format:
            if (n.number < 0) return "sprint(" + list(n.parts) + ")";
            return "sprintf(\"" + std::string(kFormats[n.number].script) + "\", " + list(n.parts) + ")";
        case Kind::Length:
            return "strlen(" + part(0) + ")";
        case Kind::Match:
            return "(" + part(0) + " " + n.op + " " + quoted(n.literal) + ")";
        case Kind::Matched:
            return "(" + part(0) + " =~ " + quoted(n.literal) + " ? matched(0) : " + part(1) + ")";
        case Kind::Statistic:
            return statistic(n);
        case Kind::Bucket:
            return histogram(n.op) + "[" + part(0) + "]";
        default:
            return show_statement(n);
    }
}

std::string show(const Functions &f) {
    const std::string locals = "l1 = 0; l2 = 0; t1 = \"\"; ", pair = "(l0:long, t0:string) { " + locals;
    return "function fn:long" + pair + "return " + show(*f.fn) + " }\nfunction fs:string" + pair + "return " +
           show(*f.fs) + " }\nfunction fr:long" + pair + "if (l0 <= 0) return " + show(*f.base) +
           "; return (fr(l0 - 1, (t0 . \"x\")) + " + show(*f.step) + ") }\nfunction fo:long(l0:long):1 { t0 = \"\"; " +
           locals + "l0 = l0 + 1; if (" + show(*f.guard) + ") next; return " + show(*f.first) +
           " }\nfunction fo:long(l0:long):2 { t0 = \"\"; " + locals + "if (" + show(*f.guard2) + ") next; return " +
           show(*f.second) + " }\nfunction fo:long" + pair + "return " + show(*f.two) + " }\n";
}

}  // namespace tapir::native
