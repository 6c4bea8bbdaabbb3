// SPDX-License-Identifier: GPL-2.0-or-later
// Computes the output of a random program by walking its tree.
#include <regex.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdio>
#include <cstring>
#include <map>

#include "random_node.h"
#include "random_program.h"

namespace tapir::native {
namespace {

struct Value {
    bool text = false;
    int64_t number = 0;
    std::string string;
};

struct Failure {
    std::string message;
};

enum class Flow { Normal, Break, Continue, Next };

struct Entry {
    std::vector<Value> keys;
    Value value;
    std::vector<int64_t> samples;  // of u
};

using Scalars = std::map<std::string, Value>;

constexpr size_t kWrapSize = 4;

Value number(int64_t n) {
    return {false, n, {}};
}
Value number(uint64_t n) {
    return {false, static_cast<int64_t>(n), {}};
}
Value string(std::string s) {
    if (s.size() > kRandomStringCapacity - 1) s.resize(kRandomStringCapacity - 1);
    return {true, 0, std::move(s)};
}
std::string shown(const Value &v) {
    return v.text ? v.string : std::to_string(v.number);
}

Value arithmetic(const std::string &op, int64_t a, int64_t b) {
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

int order(const Value &a, const Value &b) {
    if (a.text) return std::strcmp(a.string.c_str(), b.string.c_str());
    return a.number < b.number ? -1 : a.number > b.number;
}

bool compare(const std::string &op, int order) {
    if (op == "<") return order < 0;
    if (op == "<=") return order <= 0;
    if (op == ">") return order > 0;
    if (op == ">=") return order >= 0;
    return op == "==" ? order == 0 : order != 0;
}

// Where `pattern` matches, "" too; nothing when it does not.
bool match(const std::string &pattern, const std::string &text, std::string *matched = nullptr) {
    struct Compiled {
        explicit Compiled(const std::string &p) { regcomp(&regex, p.c_str(), REG_EXTENDED); }
        ~Compiled() { regfree(&regex); }
        Compiled(const Compiled &) = delete;
        Compiled &operator=(const Compiled &) = delete;
        regex_t regex;
    };
    static std::map<std::string, Compiled> compiled;
    const auto it = compiled.try_emplace(pattern, pattern).first;
    regmatch_t at;
    if (regexec(&it->second.regex, text.c_str(), 1, &at, 0) != 0) return false;
    if (matched) *matched = text.substr(static_cast<size_t>(at.rm_so), static_cast<size_t>(at.rm_eo - at.rm_so));
    return true;
}

std::string format(const Node &n, const Value &a, const Value &b) {
    if (n.number < 0) return shown(a) + b.string;
    const FormatCase &f = kFormats[n.number];
    char number[128], text[128];
    std::snprintf(number, sizeof number, f.number, static_cast<long long>(a.number));
    std::snprintf(text, sizeof text, f.string, b.string.c_str());
    return std::string(number) + f.between + text;
}

int64_t variance(const std::vector<int64_t> &samples) {
    boost::multiprecision::cpp_int sum = 0, squares = 0;
    const boost::multiprecision::cpp_int n = samples.size(), most = INT64_MAX;
    for (int64_t v : samples) {
        sum += v;
        squares += boost::multiprecision::cpp_int(v) * v;
    }
    if (n < 2) return 0;
    const boost::multiprecision::cpp_int exact = (n * squares - sum * sum) / (n * (n - 1));
    return static_cast<int64_t>(std::min(exact, most));
}

Value aggregate(const std::string &op, const std::vector<int64_t> &samples) {
    uint64_t sum = 0;
    for (int64_t v : samples)
        sum += static_cast<uint64_t>(v);
    if (op == "@count") return number(static_cast<uint64_t>(samples.size()));
    if (op == "@sum") return number(sum);
    if (samples.empty()) throw Failure{"empty aggregate"};
    if (op == "@min") return number(*std::min_element(samples.begin(), samples.end()));
    if (op == "@max") return number(*std::max_element(samples.begin(), samples.end()));
    if (op == "@variance") return number(variance(samples));
    return number(static_cast<int64_t>(sum) / static_cast<int64_t>(samples.size()));
}

// Counts by bucket of a histogram; those of the logarithmic one are powers of two around number 64, which is zero.
std::vector<int64_t> buckets(const std::vector<int64_t> &samples, bool linear) {
    std::vector<int64_t> counts(linear ? (kHigh - kLow) / kWidth + 3 : 128);
    for (int64_t v : samples) {
        size_t bucket = 64;
        if (linear) {
            // Values over the last whole bucket are overflow: 50 to 54 are not.
            auto above = static_cast<uint64_t>(v) - static_cast<uint64_t>(kLow);
            bucket = v < kLow ? 0 : std::min<size_t>(above / kWidth + 1, counts.size() - 1);
        } else {
            auto size = v < 0 ? 0 - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
            size_t bits = 0;
            for (; size; size >>= 1)
                bits++;
            bucket = v < 0 ? 64 - bits : std::min<size_t>(64 + bits, 127);
        }
        counts[bucket]++;
    }
    return counts;
}

}  // namespace

class Evaluator::State {
  public:
    State(const Functions &functions, std::string &output) : out(output), functions_(functions) {}
    void run(const Node &program);

  private:
    std::string &out;

    Value &scalar(const std::string &name) {
        Scalars &list = name[0] == 'g' || name[0] == 'h' ? globals_ : locals_;
        auto [it, fresh] = list.try_emplace(name);
        if (fresh) it->second.text = name[0] == 't' || name[0] == 'h';
        return it->second;
    }
    std::vector<Entry> &array(const std::string &name) { return arrays_[static_cast<size_t>(name[0] - 'a')]; }
    std::vector<int64_t> &samples(const std::string &name) { return samples_[name == "r"]; }

    Entry *find(const std::string &name, const std::vector<Value> &keys) {
        for (Entry &e : array(name)) {
            bool all = true;
            for (size_t i = 0; i < keys.size(); i++)
                all &= e.keys[i].number == keys[i].number && e.keys[i].string == keys[i].string;
            if (all) return &e;
        }
        return nullptr;
    }
    Entry &create(const std::string &name, const std::vector<Value> &keys) {
        if (Entry *e = find(name, keys)) return *e;
        std::vector<Entry> &list = array(name);
        if (name == "e" && list.size() == kWrapSize) list.erase(list.begin());
        list.push_back({keys, {name == "c", 0, {}}, {}});
        return list.back();
    }
    std::vector<Value> evaluate_all(const Node &n) {
        std::vector<Value> values;
        for (const NodePtr &part : n.parts)
            values.push_back(eval(*part));
        return values;
    }

    Value statistic(const Node &n);
    std::vector<int64_t> histogram(const Node &n);
    Value assign(const Node &n);
    Value increment(const Node &n);
    Value function(const Node &n, const std::vector<Value> &args);
    Value call(const Node &n);
    Value eval(const Node &n);
    Value eval_text(const Node &n);
    void sort(const Node &n, std::vector<Entry> &list);
    Flow foreach (const Node &n);
    Flow foreach_bucket(const Node &n);
    Flow foreach_slice(const Node &n);
    Flow body(const Node &n, const std::string &line, bool &more);
    Flow exec(const Node &n);
    void remove(const Node &n);

    const Functions &functions_;
    Scalars locals_, globals_;
    std::vector<Entry> arrays_['z' - 'a'];
    std::vector<int64_t> samples_[2];
};

// Runs one program and prints its outcome, unless it leaves by `next`.
void Evaluator::State::run(const Node &program) {
    locals_.clear();
    try {
        if (exec(program) == Flow::Next) return;
    } catch (const Failure &failure) {
        out += "! " + failure.message + "\n";
    }
    for (const char *name : kShown)
        out += shown(scalar(name)) + " ";
    out += "\n";
}

Value Evaluator::State::statistic(const Node &n) {
    if (n.literal != "u") return aggregate(n.op, samples(n.literal));
    Entry *e = find("u", evaluate_all(n));
    return aggregate(n.op, e ? e->samples : std::vector<int64_t>{});
}

std::vector<int64_t> Evaluator::State::histogram(const Node &n) {
    const std::vector<int64_t> &all = samples(n.op);
    if (all.empty()) throw Failure{"empty aggregate"};
    return buckets(all, n.op == "r");
}

Value Evaluator::State::assign(const Node &n) {
    const Node &target = *n.parts[0];
    bool element = target.kind == Kind::Element;
    std::vector<Value> keys;
    if (element) keys = evaluate_all(target);
    Value value = eval(*n.parts[1]);
    if (n.op != "=") {
        Value old{target.text, 0, {}};
        if (!element)
            old = scalar(target.op);
        else if (Entry *e = find(target.op, keys))
            old = e->value;
        value = n.text ? string(old.string + value.string)
                       : arithmetic(n.op.substr(0, n.op.size() - 1), old.number, value.number);
    }
    return (element ? create(target.op, keys).value : scalar(target.op)) = value;
}

Value Evaluator::State::increment(const Node &n) {
    const Node &target = *n.parts[0];
    std::vector<Value> keys;
    if (target.kind == Kind::Element) keys = evaluate_all(target);
    Value &place = target.kind == Kind::Element ? create(target.op, keys).value : scalar(target.op);
    int64_t old = place.number;
    bool up = n.op.find('+') != std::string::npos;
    place.number = arithmetic(up ? "+" : "-", old, 1).number;
    return number(n.op[0] == 'x' ? old : place.number);
}

// Its locals are those of the caller already replaced.
Value Evaluator::State::function(const Node &n, const std::vector<Value> &args) {
    auto enter = [&] {
        locals_.clear();
        scalar("l0") = args[0];
        if (args.size() > 1) scalar("t0") = args[1];
    };
    enter();
    if (n.op == "fn") return eval(*functions_.fn);
    if (n.op == "fs") return eval(*functions_.fs);
    if (n.op == "fr") {
        if (args[0].number <= 0) return eval(*functions_.base);
        Scalars saved = locals_;
        Value inner = function(n, {arithmetic("-", args[0].number, 1), string(args[1].string + "x")});
        locals_ = std::move(saved);
        return arithmetic("+", inner.number, eval(*functions_.step).number);
    }
    if (args.size() > 1) return eval(*functions_.two);
    scalar("l0") = arithmetic("+", args[0].number, 1);
    if (!eval(*functions_.guard).number) return eval(*functions_.first);
    enter();
    if (!eval(*functions_.guard2).number) return eval(*functions_.second);
    throw Failure{"all functions exhausted"};
}

Value Evaluator::State::call(const Node &n) {
    std::vector<Value> args = evaluate_all(n);
    struct Restore {
        Scalars &place, saved;
        ~Restore() { place = std::move(saved); }
    } restore{locals_, locals_};
    return function(n, args);
}

Value Evaluator::State::eval_text(const Node &n) {
    auto part = [&](size_t i) { return eval(*n.parts.at(i)); };
    if (n.kind == Kind::Text) return string(n.literal);
    Value a = part(0);
    if (n.kind == Kind::Length) return number(static_cast<uint64_t>(a.string.size()));
    if (n.kind == Kind::Match) return number(int64_t{match(n.literal, a.string) == (n.op == "=~")});
    if (n.kind == Kind::Concat) return string(a.string + part(1).string);
    if (n.kind == Kind::Format) return string(format(n, a, part(1)));
    std::string matched;
    return match(n.literal, a.string, &matched) ? string(matched) : part(1);
}

Value Evaluator::State::eval(const Node &n) {
    auto part = [&](size_t i) { return eval(*n.parts.at(i)); };
    switch (n.kind) {
        case Kind::Number:
            return number(n.number);
        case Kind::Variable:
            return scalar(n.op);
        case Kind::Element: {
            Entry *e = find(n.op, evaluate_all(n));
            return e ? e->value : Value{n.text, 0, {}};
        }
        case Kind::Has:
        case Kind::HasSlice:  // finds by the keys that are given
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
        case Kind::Assign:
            return assign(n);
        case Kind::Increment:
            return increment(n);
        case Kind::Call:
            return call(n);
        case Kind::Statistic:
            return statistic(n);
        case Kind::Bucket: {
            int64_t index = part(0).number;
            std::vector<int64_t> counts = histogram(n);
            if (static_cast<size_t>(index) >= counts.size()) throw Failure{"histogram index out of range"};
            return number(counts[static_cast<size_t>(index)]);
        }
        default:
            return eval_text(n);
    }
}

void Evaluator::State::sort(const Node &n, std::vector<Entry> &list) {
    if (n.number == 0) return;
    size_t key = static_cast<size_t>(std::abs(n.number)) - 2;
    bool by_key = std::abs(n.number) > 1;
    auto before = [&](const Value &x, const Value &y) { return n.number < 0 ? order(x, y) > 0 : order(x, y) < 0; };
    std::stable_sort(list.begin(), list.end(), [&](const Entry &x, const Entry &y) {
        if (by_key) return before(x.keys[key], y.keys[key]);
        if (n.op != "u") return before(x.value, y.value);
        const std::string by = n.by.empty() ? "@count" : n.by;
        return before(aggregate(by, x.samples), aggregate(by, y.samples));
    });
}

// Prints the line and runs a loop's body; clears `more` when the loop ends there.
Flow Evaluator::State::body(const Node &n, const std::string &line, bool &more) {
    out += line + "\n";
    Flow flow = exec(*n.parts[0]);
    more = flow != Flow::Break && flow != Flow::Next;
    return flow == Flow::Next ? flow : Flow::Normal;
}

Flow Evaluator::State::foreach (const Node &n) {
    std::vector<Entry> &list = array(n.op);
    int64_t limit = n.parts.size() > 1 ? eval(*n.parts[1]).number : n.limit;
    bool limited = n.limit >= 0, more = true;
    if (!limited || limit > 0) sort(n, list);
    Flow flow = Flow::Normal;
    for (size_t i = 0; i < list.size() && more; i++) {
        if (limited && static_cast<int64_t>(i) >= limit) break;
        std::string line;
        for (const Value &key : list[i].keys)
            line += (line.empty() && &key == list[i].keys.data() ? "" : " ") + shown(key);
        if (n.binds) line += "=" + shown(list[i].value);
        flow = body(n, line, more);
    }
    return flow;
}

Flow Evaluator::State::foreach_slice(const Node &n) {
    int64_t key = eval(*n.parts[1]).number;
    std::vector<Entry> &list = array("c");
    bool more = true;
    Flow flow = Flow::Normal;
    for (size_t i = 0; i < list.size() && more; i++)
        if (list[i].keys[0].number == key) flow = body(n, std::to_string(key) + list[i].keys[1].string, more);
    return flow;
}

Flow Evaluator::State::foreach_bucket(const Node &n) {
    std::vector<int64_t> counts = histogram(n);
    bool more = true;
    Flow flow = Flow::Normal;
    for (size_t i = 0; i < counts.size() && more; i++)
        flow = body(n, std::to_string(i) + ":" + std::to_string(counts[i]), more);
    return flow;
}

void Evaluator::State::remove(const Node &n) {
    if (n.kind == Kind::DeleteAll) {
        if (n.op == "s" || n.op == "r")
            samples(n.op).clear();
        else if (n.op.size() > 1)
            scalar(n.op) = {n.op[0] == 'h', 0, {}};
        else
            array(n.op).clear();
        return;
    }
    std::vector<Value> keys = evaluate_all(n);
    std::vector<Entry> &list = array(n.op);
    while (Entry *e = find(n.op, keys))
        list.erase(list.begin() + (e - list.data()));
}

Flow Evaluator::State::exec(const Node &n) {
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
            for (int64_t i = 0; i < n.number; i++) {
                Flow flow = exec(*n.parts[0]);
                if (flow == Flow::Next) return flow;
                if (flow == Flow::Break) break;
            }
            return Flow::Normal;
        case Kind::Foreach:
            return foreach (n);
        case Kind::ForeachSlice:
            return foreach_slice(n);
        case Kind::ForeachBucket:
            return foreach_bucket(n);
        case Kind::Delete:
        case Kind::DeleteSlice:
        case Kind::DeleteAll:
            remove(n);
            return Flow::Normal;
        case Kind::Try: {
            try {
                return exec(*n.parts[0]);
            } catch (const Failure &failure) {
                scalar("t0") = string(failure.message);
                out += scalar("t0").string + "\n";
            }
            return exec(*n.parts[1]);
        }
        case Kind::Sample: {
            if (n.op != "u") {
                samples(n.op).push_back(eval(*n.parts[0]).number);
                return Flow::Normal;
            }
            std::vector<Value> key = {eval(*n.parts[1])};
            int64_t value = eval(*n.parts[0]).number;
            create("u", key).samples.push_back(value);
            return Flow::Normal;
        }
        case Kind::Break:
            return Flow::Break;
        case Kind::Continue:
            return Flow::Continue;
        case Kind::Next:
            return Flow::Next;
        case Kind::Raise:
            throw Failure{eval(*n.parts[0]).string};
        default:
            eval(*n.parts[0]);
            return Flow::Normal;
    }
}

Evaluator::Evaluator(const Functions &functions) : state_(std::make_unique<State>(functions, out)) {}
Evaluator::~Evaluator() = default;

void Evaluator::run(const Node &program) {
    state_->run(program);
}

}  // namespace tapir::native
