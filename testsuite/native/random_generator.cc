// SPDX-License-Identifier: GPL-2.0-or-later
#include "random_generator.h"

namespace tapir::native {
namespace {

constexpr const char *kArithmetic[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>"};
constexpr const char *kComparison[] = {"<", "<=", ">", ">=", "==", "!="};
constexpr int64_t kInteresting[] = {0, 1, -1, 2, 7, 63, 64, 255, 1000000007, INT64_MAX, INT64_MIN + 1, INT64_MIN};
constexpr const char *kStatistics[] = {"@count", "@sum", "@min", "@max", "@avg", "@variance"};
constexpr const char *kArrays[] = {"a", "b", "c", "d", "e", "u"};

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

}  // namespace

NodePtr Generator::program() {
    NodePtr block = make(Kind::Block);
    // Mostly small: the compiler takes as long for one of the large ones as for five of the others.
    bool large = pick(5) == 0;
    int n = large ? 3 + pick(6) : 2 + pick(4);
    for (int i = 0; i < n; i++)
        block->parts.push_back(statement(large ? 3 : 2));
    return block;
}

// No assignment to arrays, so that they may be called from anywhere.
Functions Generator::functions() {
    in_function_ = true;
    Functions f{.fn = number(3),
                .fs = string(3),
                .base = number(2),
                .step = number(2),
                .guard = number(2),
                .first = number(2),
                .second = number(2),
                .guard2 = number(2),
                .two = number(2)};
    in_function_ = false;
    return f;
}

NodePtr Generator::small() {
    NodePtr n = make(Kind::Number);
    n->number = 1 + pick(7);
    return n;
}

NodePtr Generator::literal_number() {
    NodePtr n = make(Kind::Number);
    n->number = pick(2) ? pick(10) : pick_from(kInteresting);
    return n;
}

// A number from 0 to `mask`.
NodePtr Generator::masked(int depth, int64_t mask) {
    NodePtr bits = make(Kind::Number);
    bits->number = mask;
    return with(make(Kind::Binary, false, "&"), number(depth), std::move(bits));
}

// An element of an array whose values have the type.
NodePtr Generator::element(bool text, int depth) {
    if (text) return with(make(Kind::Element, true, "c"), masked(depth, 3), string(depth));
    switch (pick(4)) {
        case 0:
            return with(make(Kind::Element, false, "a"), with(make(Kind::Binary, false, "&"), number(depth), small()));
        case 1:
            return with(make(Kind::Element, false, "b"), string(depth));
        case 2:
            return with(make(Kind::Element, false, "d"), masked(depth, 1), string(depth), masked(depth, 3));
        default:
            return with(make(Kind::Element, false, "e"), masked(depth, 7));
    }
}

bool Generator::writable(const NodePtr &target) const {
    return target->kind == Kind::Variable || (!in_function_ && !frozen_.count(target->op));
}

NodePtr Generator::target(bool text, int depth) {
    if (!in_function_ && pick(2)) {
        NodePtr e = element(text, depth);
        if (writable(e)) return e;
    }
    return make(Kind::Variable, text,
                text ? pick({"t0", "t1", "h0", "h1"}) : pick({"l0", "l1", "l2", "g0", "g1", "g2"}));
}

NodePtr Generator::statistic(int depth) {
    NodePtr n = make(Kind::Statistic, false, pick_from(kStatistics));
    n->literal = pick({"s", "r", "u"});
    if (n->literal == "u") n->parts.push_back(masked(depth, 3));
    return n;
}

NodePtr Generator::bucket(int depth) {
    bool linear = pick(2);
    return with(make(Kind::Bucket, false, linear ? "r" : "s"), masked(depth, linear ? 15 : 127));
}

NodePtr Generator::call(bool text, int depth) {
    if (text) return with(make(Kind::Call, true, "fs"), number(depth), string(depth));
    switch (pick(4)) {
        case 0:
            return with(make(Kind::Call, false, "fr"), masked(depth, 7), string(depth));
        case 1:
            return with(make(Kind::Call, false, "fo"), number(depth));
        case 2:
            return with(make(Kind::Call, false, "fo"), number(depth), string(depth));
        default:
            return with(make(Kind::Call, false, "fn"), number(depth), string(depth));
    }
}

NodePtr Generator::number(int depth) {
    switch (depth <= 0 ? pick(3) : pick(18)) {
        case 0:
            return literal_number();
        case 1:
        case 2:
            return make(Kind::Variable, false, pick({"l0", "l1", "l2", "g0", "g1", "g2"}));
        case 3:
            return element(false, depth - 1);
        case 4: {
            if (pick(4) == 0) return with(make(Kind::HasSlice, false, "c"), masked(depth - 1, 3));
            NodePtr e = element(pick(2), depth - 1);
            e->kind = Kind::Has;
            e->text = false;
            return e;
        }
        case 5:
            return with(make(Kind::Unary, false, pick({"-", "!", "~"})), number(depth - 1));
        case 6:
        case 7: {
            NodePtr left = number(depth - 1);
            return with(make(Kind::Binary, false, pick_from(kArithmetic)), std::move(left), number(depth - 1));
        }
        case 8: {
            NodePtr left = number(depth - 1);
            return with(make(Kind::Logical, false, pick({"&&", "||"})), std::move(left), number(depth - 1));
        }
        case 9: {
            bool strings = pick(2);
            auto side = [&] { return strings ? string(depth - 1) : number(depth - 1); };
            NodePtr left = side();
            return with(make(Kind::Compare, false, pick_from(kComparison)), std::move(left), side());
        }
        case 10: {
            NodePtr condition = number(depth - 1), yes = number(depth - 1);
            return with(make(Kind::Ternary), std::move(condition), std::move(yes), number(depth - 1));
        }
        case 11: {
            NodePtr where = target(false, depth - 1);
            std::string op = pick(2) ? "=" : std::string(pick_from(kArithmetic)) + "=";
            return with(make(Kind::Assign, false, op), std::move(where), number(depth - 1));
        }
        case 12:
            return with(make(Kind::Increment, false, pick({"++x", "x++", "--x", "x--"})), target(false, depth - 1));
        case 13:
            return with(make(Kind::Length), string(depth - 1));
        case 14: {
            NodePtr n = make(Kind::Match, false, pick({"=~", "!~"}));
            n->literal = pick_from(kPatterns);
            return with(std::move(n), string(depth - 1));
        }
        case 15:
            return in_function_ ? number(depth - 1) : bucket(depth - 1);
        case 16:
            return in_function_ ? number(depth - 1) : call(false, depth - 1);
        default:
            return in_function_ ? number(depth - 1) : statistic(depth - 1);
    }
}

NodePtr Generator::string(int depth) {
    switch (depth <= 0 ? pick(3) : pick(10)) {
        case 0: {
            static constexpr char letters[] = "aabbcx19:- Z\\\"%";
            NodePtr n = make(Kind::Text, true);
            for (int i = pick(5); i > 0; i--)
                n->literal += letters[pick(static_cast<int>(sizeof letters) - 1)];
            return n;
        }
        case 1:
        case 2:
            return make(Kind::Variable, true, pick({"t0", "t1", "h0", "h1"}));
        case 3:
            return element(true, depth - 1);
        case 4: {
            NodePtr left = string(depth - 1);
            return with(make(Kind::Concat, true), std::move(left), string(depth - 1));
        }
        case 5: {
            NodePtr condition = number(depth - 1), yes = string(depth - 1);
            return with(make(Kind::Ternary, true), std::move(condition), std::move(yes), string(depth - 1));
        }
        case 6: {
            NodePtr where = target(true, depth - 1);
            return with(make(Kind::Assign, true, pick({"=", ".="})), std::move(where), string(depth - 1));
        }
        case 7: {
            NodePtr n = make(Kind::Format, true);
            n->number = pick(static_cast<int>(std::size(kFormats)) + 1) - 1;
            NodePtr first = number(depth - 1);
            return with(std::move(n), std::move(first), string(depth - 1));
        }
        case 8: {
            NodePtr n = make(Kind::Matched, true);
            n->literal = pick_from(kPatterns);
            NodePtr subject = string(depth - 1);
            return with(std::move(n), std::move(subject), string(depth - 1));
        }
        default:
            return in_function_ ? string(depth - 1) : call(true, depth - 1);
    }
}

NodePtr Generator::block(int depth) {
    NodePtr b = make(Kind::Block);
    int n = 1 + pick(3);
    for (int i = 0; i < n; i++)
        b->parts.push_back(statement(depth));
    return b;
}

// Gives a loop its body; what it runs over may not be changed in there.
NodePtr Generator::loop(NodePtr loop, int depth) {
    if (!loop->op.empty()) frozen_.insert(loop->op);
    in_loop_++;
    loop->parts.insert(loop->parts.begin(), block(depth - 1));
    in_loop_--;
    frozen_.erase(loop->op);
    return loop;
}

NodePtr Generator::foreach (int depth) {
    if (pick(6) == 0) {
        NodePtr buckets = make(Kind::ForeachBucket, false, pick({"s", "r"}));
        buckets->literal = std::to_string(loops_++);
        if (frozen_.count(buckets->op)) return with(make(Kind::Print), number(2));
        return loop(std::move(buckets), depth);
    }
    std::string array = pick_from(kArrays);
    if (frozen_.count(array)) return with(make(Kind::Print), number(2));
    NodePtr n = make(pick(8) || array != "c" ? Kind::Foreach : Kind::ForeachSlice, false, array);
    n->literal = std::to_string(loops_++);
    if (n->kind == Kind::ForeachSlice) {
        n->parts.push_back(masked(1, 3));
        return loop(std::move(n), depth);
    }
    // 0: unsorted; 1: by value; 2, 3: by the first, second key; negative: descending.
    n->number = pick(array == "c" || array == "d" ? 7 : 5);
    n->number = n->number > 3 ? 3 - n->number : n->number;
    if (array != "c" && array != "d" && (n->number == 3 || n->number == -3)) n->number = -2;
    n->binds = array != "u" && pick(3) == 0;
    if (array == "u") n->by = pick({"", "@count", "@sum", "@min", "@max", "@avg"});
    // With a limit only where no two elements are equal.
    if (n->number == 0 || (n->number * n->number == 4 && array != "c" && array != "d")) n->limit = pick(6) - 3;
    if (n->limit >= 0) n->limit = pick(4);
    frozen_.insert(array);
    if (n->limit == 3) n->parts.push_back(number(1));
    return loop(std::move(n), depth);
}

NodePtr Generator::sample() {
    NodePtr n = make(Kind::Sample, false, pick({"s", "r", "u"}));
    if (frozen_.count(n->op)) return with(make(Kind::Print), number(1));
    NodePtr key = n->op == "u" ? masked(1, 3) : nullptr;
    NodePtr value = pick(2) ? masked(2, 63) : number(1);
    return with(std::move(n), std::move(value), std::move(key));
}

NodePtr Generator::removal() {
    if (pick(5) == 0) {
        std::string what = pick({"a", "b", "c", "d", "e", "u", "s", "r", "g0", "g1", "h0"});
        if (!frozen_.count(what)) return make(Kind::DeleteAll, false, what);
    }
    if (pick(8) == 0 && !frozen_.count("c")) return with(make(Kind::DeleteSlice, false, "c"), masked(1, 3));
    if (pick(6) == 0 && !frozen_.count("u")) return with(make(Kind::Delete, false, "u"), masked(1, 3));
    NodePtr e = element(pick(2), 1);
    if (!writable(e)) return with(make(Kind::Print), number(1));
    e->kind = Kind::Delete;
    return e;
}

NodePtr Generator::simple_statement() {
    switch (pick(6)) {
        case 0:
        case 1:
        case 2:
            return with(make(Kind::Print), pick(2) ? number(2) : string(2));
        case 3: {
            bool text = pick(2);
            NodePtr where = target(text, 1);
            NodePtr value = text ? string(2) : number(2);
            return with(make(Kind::Discard), with(make(Kind::Assign, text, "="), std::move(where), std::move(value)));
        }
        case 4:
            return with(make(Kind::Discard),
                        with(make(Kind::Increment, false, pick({"++x", "x--"})), target(false, 1)));
        default:
            return sample();
    }
}

NodePtr Generator::statement(int depth) {
    switch (depth <= 0 ? 0 : pick(14)) {
        default:
            return simple_statement();
        case 6:
        case 7: {
            NodePtr condition = number(2), yes = block(depth - 1);
            return with(make(Kind::If), std::move(condition), std::move(yes), pick(2) ? block(depth - 1) : nullptr);
        }
        case 8: {
            NodePtr n = make(Kind::For);
            n->number = 1 + pick(4);
            n->literal = std::to_string(loops_++);
            n->binds = pick(2);  // as while
            return loop(std::move(n), depth);
        }
        case 9:
            return foreach (depth);
        case 10:
            return removal();
        case 11: {
            NodePtr tried = block(depth - 1);
            return with(make(Kind::Try), std::move(tried), block(depth - 1));
        }
        case 12: {
            NodePtr jump = make(in_loop_ && pick(6) ? pick(2) ? Kind::Break : Kind::Continue : Kind::Next);
            return with(make(Kind::If), number(1), std::move(jump));
        }
        case 13:
            return with(make(Kind::If), number(1), with(make(Kind::Raise), string(1)));
    }
}

}  // namespace tapir::native
