// SPDX-License-Identifier: GPL-2.0-or-later
// Random scripts that the grammar accepts, from a seed.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace tapir::syntax {

class Sentence {
  public:
    explicit Sentence(unsigned seed) : random_(seed) {}

    std::string file() {
        std::string out;
        int items = 1 + pick(4);
        for (int i = 0; i < items; i++)
            out += item();
        return out + "probe last { " + statements(3) + "}\n";
    }

  private:
    int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    std::string one_of(const std::vector<std::string> &list) {
        return list[static_cast<size_t>(pick(static_cast<int>(list.size())))];
    }
    bool coin() { return pick(2) == 0; }

    std::string name() { return one_of({"a", "b", "foo", "x1", "_y", "task"}); }
    std::string string() { return one_of({"\"\"", "\"a\\n\\\"\"", "\"x\" \"y\"", "\"%d\"", "\"\\001\\xff7\""}); }
    std::string number() {
        return one_of({"0", "1", "0x10", "017", "18446744073709551615", "9223372036854775808", "42"});
    }
    std::string literal() { return coin() ? string() : coin() ? "-" + one_of({"1", "9223372036854775808"}) : number(); }

    std::string item() {
        switch (pick(6)) {
            case 0:
                return std::string(coin() ? "private " : "") + "global " + name() + (coin() ? "%" : "") +
                       (coin() ? "[10]" : " = " + literal()) + ", " + name() + "\n";
            case 1:
                return "function " + name() + (coin() ? ":long" : "") + "(a, b:string)" + (coin() ? ":5" : "") + " { " +
                       statements(3) + (coin() ? "return " + expr(2) : "return;") + " }\n";
            case 2:
                return "%{ code % } %}\n";
            case 3:
                return "function " + name() + "() %{ code %}\n";
            case 4:
                return "probe " + name() + "." + name() + (coin() ? " = " : " += ") + points() + " { " + statements(2) +
                       "}" + (coin() ? ", { " + statements(2) + "}\n" : "\n");
            default:
                return "probe " + points() + " { " + statements(3) + "}\n";
        }
    }

    std::string point() {
        std::string out = step();
        int more = pick(3);
        for (int i = 0; i < more; i++)
            out += "." + step();
        out += one_of({"", "", "?", "!"});
        if (pick(4) == 0) out += " if (" + expr(2) + ")";
        return out;
    }
    std::string step() {
        return one_of({name(), name() + "(" + literal() + ")", "*", "**", "sys*_x", "return", "function(\"f\")",
                       "{" + name() + ", " + name() + "(1).b?}"});
    }
    std::string points() { return coin() ? point() : point() + ", " + point(); }

    std::string statements(int depth) {
        std::string out;
        int count = pick(3);
        for (int i = 0; i < count; i++)
            out += statement(depth) + one_of({"; ", ";\n"});
        return out;
    }

    std::string statement(int depth) {
        if (depth <= 0) return expr(1) + ";";
        switch (pick(14)) {
            case 0:
                return "if (" + expr(2) + ") " + statement(depth - 1) +
                       (coin() ? "\nelse " + statement(depth - 1) : "");
            case 1:
                return "for (" + (coin() ? expr(1) : "") + ";" + (coin() ? expr(1) : "") + ";" +
                       (coin() ? expr(1) : "") + ") " + statement(depth - 1);
            case 2:
                return "while (" + expr(2) + ") " + statement(depth - 1);
            case 3:
                return "foreach (" + std::string(coin() ? "v = " : "") + one_of({"k", "[k]", "[k+, l]", "[k, l-]"}) +
                       " in " + one_of({"arr", "arr[*, 1]", "@hist_log(s)"}) + (coin() ? " limit " + expr(2) : "") +
                       ") " + statement(depth - 1);
            case 4:
                return "foreach (k in arr " + one_of({"+", "-", "@sum+", "@count-", "@variance-"}) + ") { " +
                       statements(depth - 1) + "}";
            case 5:
                return "{ " + statements(depth - 1) + "}";
            case 6:
                return "delete " + one_of({"a", "a[1, *]", "b[x]"});
            case 7:
                return one_of({"next", "break", "continue", ";", "%{ c; %}"});
            case 8:
                return "try { " + statements(depth - 1) + "} catch " + (coin() ? "(m) " : "") + "{ " +
                       statements(depth - 1) + "}";
            case 9:
                return "print(@hist_linear(s[1], -5, 0x20, 3))";
            default:
                return expr(3) + ";";
        }
    }

    std::string list(int depth) {
        std::string out = expr(depth);
        if (coin()) out += ", " + expr(depth);
        return out;
    }

    std::string lvalue(int depth) {
        return one_of({name(), "arr[" + list(depth) + "]", "$x->y[1]", "$v", "@cast(" + expr(depth) + ", \"t\")->m"});
    }

    std::string binary(int depth) {
        std::string op = one_of({"+",   "-", "*",  "/", "%",  "&",  "|",  "^",  "<<", ">>",
                                 ">>>", "<", "<=", ">", ">=", "==", "!=", "&&", "||", "."});
        return expr(depth - 1) + " " + op + " " + expr(depth - 1);
    }

    std::string expr(int depth) {
        if (depth <= 0) return one_of({name(), number(), string(), "$x", "f()", "(%{ v %})"});
        switch (pick(18)) {
            case 0:
                return one_of({"-", "+", "!", "~"}) + " " + expr(depth - 1);
            case 1:
                return "(" + expr(depth - 1) + ")";
            case 2:
                return "(" + lvalue(depth - 1) + one_of({" = ", " += ", " .= ", " >>>= "}) + expr(depth - 1) + ")";
            case 3:
                return "(" + expr(depth - 1) + " ? " + expr(depth - 1) + " : " + expr(depth - 1) + ")";
            case 4:
                return "[" + list(depth - 1) + ", *] in arr";
            case 5:
                return "f(" + list(depth - 1) + ")";
            case 6:
                return one_of({"@count(s)", "@avg(s[1])", "@variance(s, 3)", "@hist_log(s)[2]"});
            case 7:
                return one_of({"@defined(", "@entry("}) + expr(depth - 1) + ")";
            case 8:
                return "sprintf(\"%d %s\", " + expr(depth - 1) + ", " + expr(depth - 1) + ")";
            case 9:
                return "(" + expr(depth - 1) + ")->m[" + expr(depth - 1) + "]" + one_of({"", "$", "$$"});
            case 10:
                return one_of({"++", "--"}) + lvalue(depth - 1);
            case 11:
                return "(" + lvalue(depth - 1) + one_of({"++", "--"}) + ")";
            case 12:
                return expr(depth - 1) + " =~ \"a.*\"";
            case 13:
                return one_of({"&$x->y", "&@cast(p, \"t\", \"m\")->z", "@var(\"v@f.c\")$", "$$vars", "$p$$",
                               "@perf(\"c\")", "@const(\"C\")", "@enumname(\"e\", 1)", "@uderef(8, 1)", "@kregister(2)",
                               "@probewrite(v)"});
            default:
                return binary(depth);
        }
    }

    std::mt19937 random_;
};

}  // namespace tapir::syntax
