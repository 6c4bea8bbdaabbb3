// SPDX-License-Identifier: GPL-2.0-or-later
#include "random_program.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <vector>

namespace tapir::native {
namespace {

enum class Kind {
    Number,
    Text,
    Variable,
    Element,
    Has,
    Unary,
    Binary,
    Logical,
    Compare,
    Ternary,
    Concat,
    Assign,
    Increment,
    Call,
    Format,
    Statistic,
    // statements
    Print,
    Discard,
    Block,
    If,
    For,
    Foreach,
    Delete,
    DeleteAll,
    Try,
    Sample,
    Break,
    Continue,
    Raise,
};

struct Node;
using NodePtr = std::unique_ptr<Node>;

// Scalars: locals l0..l2 (numbers), t0..t1 (strings); globals g0..g2, h0..h1; parameters are locals of functions.
// Arrays: a (number -> number), b (string -> number), c (number, string -> string). Statistics: s, and u (number ->).
struct Node {
    Kind kind;
    bool text = false;   // its value is a string
    std::string op;      // operator, variable, array or function
    int64_t number = 0;  // literal; Foreach: sorting; Format: variant
    std::string literal;
    std::vector<NodePtr> parts;
};

struct Value {
    bool text = false;
    int64_t number = 0;
    std::string string;
};

const std::vector<std::string> kArithmetic = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>"};
const std::vector<std::string> kComparison = {"<", "<=", ">", ">=", "==", "!="};
const std::vector<int64_t> kInteresting = {0, 1, -1, 2, 7, 63, 64, 255, 1000000007, INT64_MAX, INT64_MIN + 1};

// Printed at the end of each program.
const char *const kShown[] = {"l0", "l1", "l2", "t0", "t1", "g0", "g1", "g2", "h0", "h1"};

class Generator {
  public:
    explicit Generator(uint64_t seed) : random_(seed) {}

    NodePtr program() {
        NodePtr block = make(Kind::Block);
        int n = 3 + pick(6);
        for (int i = 0; i < n; i++)
            block->parts.push_back(statement(3));
        return block;
    }
    // A function's result: no assignment to arrays, so that it may be called from anywhere.
    NodePtr function_result(bool text) {
        in_function_ = true;
        NodePtr e = text ? string(3) : number(3);
        in_function_ = false;
        return e;
    }

  private:
    int pick(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
    const std::string &pick(const std::vector<std::string> &list) {
        return list[static_cast<size_t>(pick(static_cast<int>(list.size())))];
    }
    NodePtr make(Kind kind, bool text = false, std::string op = "") {
        auto node = std::make_unique<Node>();
        node->kind = kind;
        node->text = text;
        node->op = std::move(op);
        return node;
    }
    NodePtr with(NodePtr node, NodePtr a, NodePtr b = nullptr, NodePtr c = nullptr) {
        for (NodePtr *part : {&a, &b, &c})
            if (*part) node->parts.push_back(std::move(*part));
        return node;
    }
    std::string scalar(bool text) {
        return text ? pick({"t0", "t1", "h0", "h1"}) : pick({"l0", "l1", "l2", "g0", "g1", "g2"});
    }
    // An element of an array whose values have the type.
    NodePtr element(bool text, int depth) {
        if (text) return with(make(Kind::Element, true, "c"), number(depth), string(depth));
        if (pick(2))
            return with(make(Kind::Element, false, "a"), with(make(Kind::Binary, false, "&"), number(depth), small()));
        return with(make(Kind::Element, false, "b"), string(depth));
    }
    NodePtr small() {
        NodePtr n = make(Kind::Number);
        n->number = 1 + pick(7);
        return n;
    }
    bool writable(const NodePtr &target) const {
        return target->kind == Kind::Variable || (!in_function_ && !frozen_.count(target->op));
    }
    NodePtr target(bool text, int depth) {
        if (!in_function_ && pick(2)) {
            NodePtr e = element(text, depth);
            if (writable(e)) return e;
        }
        return make(Kind::Variable, text, scalar(text));
    }

    NodePtr number(int depth) {
        switch (depth <= 0 ? pick(3) : pick(14)) {
            case 0: {
                NodePtr n = make(Kind::Number);
                n->number =
                    pick(2) ? pick(10) : kInteresting[static_cast<size_t>(pick(static_cast<int>(kInteresting.size())))];
                return n;
            }
            case 1:
            case 2:
                return make(Kind::Variable, false, scalar(false));
            case 3:
                return element(false, depth - 1);
            case 4: {
                NodePtr e = element(pick(2), depth - 1);
                e->kind = Kind::Has;
                e->text = false;
                return e;
            }
            case 5:
                return with(make(Kind::Unary, false, pick({"-", "!", "~"})), number(depth - 1));
            case 6:
            case 7:
                return with(make(Kind::Binary, false, pick(kArithmetic)), number(depth - 1), number(depth - 1));
            case 8:
                return with(make(Kind::Logical, false, pick({"&&", "||"})), number(depth - 1), number(depth - 1));
            case 9: {
                bool strings = pick(2);
                auto side = [&] { return strings ? string(depth - 1) : number(depth - 1); };
                NodePtr left = side();
                return with(make(Kind::Compare, false, pick(kComparison)), std::move(left), side());
            }
            case 10:
                return with(make(Kind::Ternary), number(depth - 1), number(depth - 1), number(depth - 1));
            case 11: {
                NodePtr where = target(false, depth - 1);
                std::string op = pick(2) ? "=" : pick(kArithmetic) + "=";
                return with(make(Kind::Assign, false, op), std::move(where), number(depth - 1));
            }
            case 12:
                return with(make(Kind::Increment, false, pick({"++x", "x++", "--x", "x--"})), target(false, depth - 1));
            default:
                if (in_function_ || pick(2))
                    return in_function_ ? number(depth - 1)
                                        : with(make(Kind::Call, false, "fn"), number(depth - 1), string(depth - 1));
                return make(Kind::Statistic, false, pick({"@count", "@sum", "@min", "@max", "@avg"}));
        }
    }

    NodePtr string(int depth) {
        switch (depth <= 0 ? pick(3) : pick(9)) {
            case 0: {
                NodePtr n = make(Kind::Text, true);
                n->literal = std::string(static_cast<size_t>(pick(4)), static_cast<char>('a' + pick(3)));
                return n;
            }
            case 1:
            case 2:
                return make(Kind::Variable, true, scalar(true));
            case 3:
                return element(true, depth - 1);
            case 4:
                return with(make(Kind::Concat, true), string(depth - 1), string(depth - 1));
            case 5:
                return with(make(Kind::Ternary, true), number(depth - 1), string(depth - 1), string(depth - 1));
            case 6: {
                NodePtr where = target(true, depth - 1);
                return with(make(Kind::Assign, true, pick({"=", ".="})), std::move(where), string(depth - 1));
            }
            case 7: {
                NodePtr n = make(Kind::Format, true);
                n->number = pick(3);
                return with(std::move(n), number(depth - 1), string(depth - 1));
            }
            default:
                if (in_function_) return string(depth - 1);
                return with(make(Kind::Call, true, "fs"), number(depth - 1), string(depth - 1));
        }
    }

    NodePtr block(int depth) {
        NodePtr b = make(Kind::Block);
        int n = 1 + pick(3);
        for (int i = 0; i < n; i++)
            b->parts.push_back(statement(depth));
        return b;
    }

    NodePtr statement(int depth) {
        switch (depth <= 0 ? pick(6) : pick(14)) {
            case 0:
            case 1:
            case 2:
                return with(make(Kind::Print), pick(2) ? number(2) : string(2));
            case 3: {
                bool text = pick(2);
                NodePtr where = target(text, 1);
                NodePtr value = text ? string(2) : number(2);
                NodePtr assign = make(Kind::Assign, text, "=");
                return with(make(Kind::Discard), with(std::move(assign), std::move(where), std::move(value)));
            }
            case 4:
                return with(make(Kind::Discard),
                            with(make(Kind::Increment, false, pick({"++x", "x--"})), target(false, 1)));
            case 5:
                return with(make(Kind::Sample), number(1));
            case 6:
            case 7:
                return with(make(Kind::If), number(2), block(depth - 1), pick(2) ? block(depth - 1) : nullptr);
            case 8: {
                NodePtr loop = make(Kind::For);
                loop->number = 1 + pick(4);
                loop->op = "i" + std::to_string(loops_++);
                in_loop_++;
                loop->parts.push_back(block(depth - 1));
                in_loop_--;
                return loop;
            }
            case 9: {
                std::string array = pick({"a", "b", "c"});
                if (frozen_.count(array)) return with(make(Kind::Print), number(2));
                NodePtr loop = make(Kind::Foreach, false, array);
                loop->number = pick(5) - 2;  // -2 key descending, -1 value descending, 0 unsorted, 1 and 2 ascending
                loop->literal = std::to_string(loops_++);
                frozen_.insert(array);
                in_loop_++;
                loop->parts.push_back(block(depth - 1));
                in_loop_--;
                frozen_.erase(array);
                return loop;
            }
            case 10: {
                NodePtr e = element(pick(2), 1);
                if (!writable(e)) return with(make(Kind::Print), number(1));
                if (pick(4) == 0) {
                    NodePtr all = make(Kind::DeleteAll, false, e->op);
                    return all;
                }
                e->kind = Kind::Delete;
                return e;
            }
            case 11:
                return with(make(Kind::Try), block(depth - 1), block(depth - 1));
            case 12:
                if (in_loop_) return with(make(Kind::If), number(1), make(pick(2) ? Kind::Break : Kind::Continue));
                return with(make(Kind::Print), string(2));
            default:
                return with(make(Kind::If), number(1), with(make(Kind::Raise), string(1)));
        }
    }

    std::mt19937_64 random_;
    std::set<std::string> frozen_;  // arrays a foreach is at
    int loops_ = 0;
    int in_loop_ = 0;
    bool in_function_ = false;
};

// ---------------------------------------------------------------- script text

std::string show(const Node &n);

std::string keys(const Node &n) {
    std::string out;
    for (const NodePtr &part : n.parts)
        out += (out.empty() ? "" : ", ") + show(*part);
    return out;
}

std::string show(const Node &n) {
    auto part = [&](size_t i) { return show(*n.parts.at(i)); };
    switch (n.kind) {
        case Kind::Number:
            return n.number < 0 ? "(" + std::to_string(n.number) + ")" : std::to_string(n.number);
        case Kind::Text:
            return "\"" + n.literal + "\"";
        case Kind::Variable:
            return n.op;
        case Kind::Element:
            return n.op + "[" + keys(n) + "]";
        case Kind::Has:
            return "([" + keys(n) + "] in " + n.op + ")";
        case Kind::Unary:
            return "(" + n.op + "(" + part(0) + "))";
        case Kind::Binary:
        case Kind::Logical:
        case Kind::Compare:
            return "(" + part(0) + " " + n.op + " " + part(1) + ")";
        case Kind::Ternary:
            return "(" + part(0) + " ? " + part(1) + " : " + part(2) + ")";
        case Kind::Concat:
            return "(" + part(0) + " . " + part(1) + ")";
        case Kind::Assign:
            return "(" + part(0) + " " + n.op + " " + part(1) + ")";
        case Kind::Increment:
            return n.op[0] == 'x' ? "(" + part(0) + n.op.substr(1) + ")" : "(" + n.op.substr(0, 2) + part(0) + ")";
        case Kind::Call:
            return n.op + "(" + part(0) + ", " + part(1) + ")";
        case Kind::Format: {
            static const char *const formats[] = {"sprintf(\"%d:%s\", ", "sprint(", "sprintf(\"%x-%5s\", "};
            return formats[n.number] + part(0) + ", " + part(1) + ")";
        }
        case Kind::Statistic:
            return n.op + "(s)";
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
            return "for (" + n.op + " = 0; " + n.op + " < " + std::to_string(n.number) + "; " + n.op + "++) " + part(0);
        case Kind::Foreach: {
            std::string key = (n.op == "b" ? "ks" : "kn") + n.literal, mark;
            if (n.number == 2 || n.number == -2) mark = n.number > 0 ? "+" : "-";
            std::string list = n.op == "c" ? "[" + key + mark + ", kt" + n.literal + "]" : key + mark;
            std::string sort = n.number == 1 ? "+" : n.number == -1 ? "-" : "";
            std::string shown = n.op == "c" ? key + ", kt" + n.literal : key;
            return "foreach (" + list + " in " + n.op + sort + ") { println(" + shown + ");\n" + part(0) + " }";
        }
        case Kind::Delete:
            return "delete " + n.op + "[" + keys(n) + "];";
        case Kind::DeleteAll:
            return "delete " + n.op + ";";
        case Kind::Try:
            return "try " + part(0) + " catch (t0) { println(t0)\n" + part(1) + " }";
        case Kind::Sample:
            return "s <<< " + part(0) + ";";
        case Kind::Break:
            return "break;";
        case Kind::Continue:
            return "continue;";
        case Kind::Raise:
            return "error(" + part(0) + ");";
    }
    return {};
}

// ---------------------------------------------------------------- evaluation

struct Failure {
    std::string message;
};
enum class Flow { Normal, Break, Continue };

struct Entry {
    std::vector<Value> keys;
    Value value;
};

class Evaluator {
  public:
    Evaluator(const Node &fn, const Node &fs) : fn_(fn), fs_(fs) {}

    // Runs one program and prints its outcome.
    void run(const Node &program) {
        locals_ = {};
        try {
            exec(program);
        } catch (const Failure &failure) {
            out += "! " + failure.message + "\n";
        }
        for (const char *name : kShown)
            out += show_scalar(name) + " ";
        out += "\n";
    }
    std::string out;

  private:
    using Scalars = std::vector<std::pair<std::string, Value>>;
    static Value number(int64_t n) { return {false, n, {}}; }
    static Value number(uint64_t n) { return {false, static_cast<int64_t>(n), {}}; }
    static Value string(std::string s) {
        if (s.size() > kRandomStringCapacity - 1) s.resize(kRandomStringCapacity - 1);
        return {true, 0, std::move(s)};
    }
    std::string show_scalar(const std::string &name) {
        Value &v = scalar(name, name[0] == 't' || name[0] == 'h');
        return v.text ? v.string : std::to_string(v.number);
    }
    static std::string shown(const Value &v) { return v.text ? v.string : std::to_string(v.number); }

    Value &scalar(const std::string &name, bool text) {
        bool global = name[0] == 'g' || name[0] == 'h';
        for (auto &[n, v] : global ? globals_ : locals_)
            if (n == name) return v;
        auto &list = global ? globals_ : locals_;
        list.push_back({name, {text, 0, {}}});
        return list.back().second;
    }
    std::vector<Entry> &array(const std::string &name) { return arrays_[static_cast<size_t>(name[0] - 'a')]; }
    static bool same(const Value &x, const Value &y) { return x.number == y.number && x.string == y.string; }
    Entry *find(const std::string &name, const std::vector<Value> &keys) {
        for (Entry &e : array(name)) {
            bool all = true;
            for (size_t i = 0; i < keys.size(); i++)
                all &= same(e.keys[i], keys[i]);
            if (all) return &e;
        }
        return nullptr;
    }
    Value &create(const std::string &name, const std::vector<Value> &keys) {
        if (Entry *e = find(name, keys)) return e->value;
        array(name).push_back({keys, {name == "c", 0, {}}});
        return array(name).back().value;
    }
    std::vector<Value> evaluate_all(const Node &n) {
        std::vector<Value> values;
        for (const NodePtr &part : n.parts)
            values.push_back(eval(*part));
        return values;
    }

    static Value arithmetic(const std::string &op, int64_t a, int64_t b) {
        auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
        auto shift = y & 63;
        if (op == "+") return number(x + y);
        if (op == "-") return number(x - y);
        if (op == "*") return number(x * y);
        if (op == "&") return number(x & y);
        if (op == "|") return number(x | y);
        if (op == "^") return number(x ^ y);
        if (op == "<<") return number(x << shift);
        if (op == ">>>") return number(x >> shift);
        if (op == ">>") return number(a >> shift);
        if (b == 0) throw Failure{"division by 0"};
        if (op == "/") return b == -1 ? number(0 - x) : number(a / b);
        return b == -1 ? number(int64_t{0}) : number(a % b);
    }
    static int order(const Value &a, const Value &b) {
        if (a.text) return std::strcmp(a.string.c_str(), b.string.c_str());
        return a.number < b.number ? -1 : a.number > b.number;
    }
    static bool compare(const std::string &op, int order) {
        if (op == "<") return order < 0;
        if (op == "<=") return order <= 0;
        if (op == ">") return order > 0;
        if (op == ">=") return order >= 0;
        return op == "==" ? order == 0 : order != 0;
    }
    Value statistic(const std::string &op) const {
        uint64_t sum = 0;
        for (int64_t v : samples_)
            sum += static_cast<uint64_t>(v);
        if (op == "@count") return number(static_cast<uint64_t>(samples_.size()));
        if (op == "@sum") return number(sum);
        if (samples_.empty()) throw Failure{"empty aggregate"};
        if (op == "@min") return number(*std::min_element(samples_.begin(), samples_.end()));
        if (op == "@max") return number(*std::max_element(samples_.begin(), samples_.end()));
        return number(static_cast<int64_t>(sum) / static_cast<int64_t>(samples_.size()));
    }
    Value assign(const Node &n) {
        const Node &target = *n.parts[0];
        bool element = target.kind == Kind::Element;
        std::vector<Value> keys;
        if (element) keys = evaluate_all(target);
        Value value = eval(*n.parts[1]);
        if (n.op != "=") {
            Value old{target.text, 0, {}};
            if (!element)
                old = scalar(target.op, target.text);
            else if (Entry *e = find(target.op, keys))
                old = e->value;
            value = n.text ? string(old.string + value.string)
                           : arithmetic(n.op.substr(0, n.op.size() - 1), old.number, value.number);
        }
        return (element ? create(target.op, keys) : scalar(target.op, target.text)) = value;
    }
    Value increment(const Node &n) {
        const Node &target = *n.parts[0];
        std::vector<Value> keys;
        if (target.kind == Kind::Element) keys = evaluate_all(target);
        Value &place = target.kind == Kind::Element ? create(target.op, keys) : scalar(target.op, false);
        int64_t old = place.number;
        bool up = n.op.find('+') != std::string::npos;
        place.number = arithmetic(up ? "+" : "-", old, 1).number;
        return number(n.op[0] == 'x' ? old : place.number);
    }
    Value call(const Node &n) {
        std::vector<Value> args = evaluate_all(n);
        struct Restore {
            Scalars &place, saved;
            ~Restore() { place = std::move(saved); }
        } restore{locals_, std::move(locals_)};
        locals_ = {};
        scalar("l0", false) = args[0];
        scalar("t0", true) = args[1];
        return eval(n.op == "fn" ? fn_ : fs_);
    }

    Value eval(const Node &n) {
        auto part = [&](size_t i) { return eval(*n.parts.at(i)); };
        switch (n.kind) {
            case Kind::Number:
                return number(n.number);
            case Kind::Text:
                return string(n.literal);
            case Kind::Variable:
                return scalar(n.op, n.text);
            case Kind::Element: {
                Entry *e = find(n.op, evaluate_all(n));
                return e ? e->value : Value{n.text, 0, {}};
            }
            case Kind::Has:
                return number(int64_t{find(n.op, evaluate_all(n)) != nullptr});
            case Kind::Unary: {
                int64_t v = part(0).number;
                return n.op == "-" ? arithmetic("-", 0, v) : number(n.op == "!" ? int64_t{!v} : ~v);
            }
            case Kind::Binary: {
                int64_t a = part(0).number;
                return arithmetic(n.op, a, part(1).number);
            }
            case Kind::Logical:
                if (n.op == "&&") return number(int64_t{part(0).number && part(1).number});
                return number(int64_t{part(0).number || part(1).number});
            case Kind::Compare: {
                Value a = part(0);
                return number(int64_t{compare(n.op, order(a, part(1)))});
            }
            case Kind::Ternary:
                return part(part(0).number ? 1 : 2);
            case Kind::Concat: {
                Value a = part(0);
                return string(a.string + part(1).string);
            }
            case Kind::Assign:
                return assign(n);
            case Kind::Increment:
                return increment(n);
            case Kind::Call:
                return call(n);
            case Kind::Format: {
                Value a = part(0), b = part(1);
                if (n.number == 1) return string(shown(a) + b.string);
                if (n.number == 0) return string(shown(a) + ":" + b.string);
                char text[64];
                std::snprintf(text, sizeof text, "%llx-", static_cast<unsigned long long>(a.number));
                std::string padding(b.string.size() < 5 ? 5 - b.string.size() : 0, ' ');
                return string(text + padding + b.string);
            }
            default:
                return statistic(n.op);
        }
    }

    Flow foreach (const Node &n) {
        std::vector<Entry> &list = array(n.op);
        if (n.number) {
            bool by_key = n.number == 2 || n.number == -2, down = n.number < 0;
            std::stable_sort(list.begin(), list.end(), [&](const Entry &x, const Entry &y) {
                int o = by_key ? order(x.keys[0], y.keys[0]) : order(x.value, y.value);
                return down ? o > 0 : o < 0;
            });
        }
        for (size_t i = 0; i < list.size(); i++) {
            std::string line;
            for (const Value &key : list[i].keys)
                line += shown(key);
            out += line + "\n";
            if (exec(*n.parts[0]) == Flow::Break) break;
        }
        return Flow::Normal;
    }

    Flow exec(const Node &n) {
        switch (n.kind) {
            case Kind::Print:
                out += shown(eval(*n.parts[0])) + "\n";
                return Flow::Normal;
            case Kind::Block:
                for (const NodePtr &child : n.parts)
                    if (Flow flow = exec(*child); flow != Flow::Normal) return flow;
                return Flow::Normal;
            case Kind::If:
                if (eval(*n.parts[0]).number) return exec(*n.parts[1]);
                return n.parts.size() > 2 ? exec(*n.parts[2]) : Flow::Normal;
            case Kind::For:
                for (int64_t i = 0; i < n.number; i++)
                    if (exec(*n.parts[0]) == Flow::Break) break;
                return Flow::Normal;
            case Kind::Foreach:
                return foreach (n);
            case Kind::Delete: {
                std::vector<Value> keys = evaluate_all(n);
                if (Entry *e = find(n.op, keys)) array(n.op).erase(array(n.op).begin() + (e - array(n.op).data()));
                return Flow::Normal;
            }
            case Kind::DeleteAll:
                array(n.op).clear();
                return Flow::Normal;
            case Kind::Try: {
                try {
                    return exec(*n.parts[0]);
                } catch (const Failure &failure) {
                    scalar("t0", true) = string(failure.message);
                    out += failure.message + "\n";
                }
                return exec(*n.parts[1]);
            }
            case Kind::Sample:
                samples_.push_back(eval(*n.parts[0]).number);
                return Flow::Normal;
            case Kind::Break:
                return Flow::Break;
            case Kind::Continue:
                return Flow::Continue;
            case Kind::Raise:
                throw Failure{eval(*n.parts[0]).string};
            default:
                eval(*n.parts[0]);
                return Flow::Normal;
        }
    }

    const Node &fn_, &fs_;
    Scalars locals_, globals_;
    std::vector<Entry> arrays_[3];
    std::vector<int64_t> samples_;
};

}  // namespace

RandomScript random_script(uint64_t seed, int programs) {
    Generator generator(seed);
    NodePtr fn = generator.function_result(false), fs = generator.function_result(true);
    Evaluator evaluator(*fn, *fs);
    RandomScript script;
    script.text =
        "global g0 = 0, g1 = 0, g2 = 0, h0 = \"\", h1 = \"\", a, b, c, s\n"
        "function fn:long(l0:long, t0:string) { l1 = 0; l2 = 0; t1 = \"\"; return " +
        show(*fn) +
        " }\n"
        "function fs:string(l0:long, t0:string) { l1 = 0; l2 = 0; t1 = \"\"; return " +
        show(*fs) + " }\n";
    std::string shown;
    for (const char *name : kShown)
        shown += std::string(shown.empty() ? "" : ", \" \", ") + name;
    for (int i = 0; i < programs; i++) {
        NodePtr program = generator.program();
        script.text += "probe begin(" + std::to_string(i) + ") {\nl0 = 0; l1 = 0; l2 = 0; t0 = \"\"; t1 = \"\";\ntry " +
                       show(*program) + " catch (failure) { println(\"! \", failure) }\nprintln(" + shown +
                       ", \" \")\n}\n";
        evaluator.run(*program);
    }
    script.expected = evaluator.out;
    return script;
}

}  // namespace tapir::native
