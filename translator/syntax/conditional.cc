// SPDX-License-Identifier: GPL-2.0-or-later
#include "syntax/conditional.h"

#include <fnmatch.h>
#include <string.h>

#include <charconv>
#include <string>

#include "base/name_patterns.h"
#include "grammar.hh"

namespace tapir::syntax {

using T = Grammar::token;

namespace {

// One side of a comparison.
struct Operand {
    enum class Kind { Version, Pattern, Config, Flag, String, Number, Bad } kind = Kind::Bad;
    SourceRef at;
    std::string text;    // Version, Pattern, Config, String
    int64_t number = 0;  // Flag, Number
};

class Condition {
  public:
    Condition(const std::vector<Token> &tokens, const SourceRef &open, const PreprocessorFacts &facts,
              Diagnostics &diagnostics)
        : tokens_(tokens), open_(open), facts_(facts), diagnostics_(diagnostics) {}
    bool evaluate();

  private:
    bool all_of();
    bool comparison();
    bool compare(const Operand &left, const Token &op, const Operand &right);
    bool compare_version(const Operand &left, const Token &op, const Operand &right);
    bool compare_pattern(const Operand &left, const Token &op, const Operand &right);
    bool compare_config(const Operand &left, const Token &op, const Operand &right);
    Operand operand();
    Operand named(const Token &token) const;
    bool bad(const SourceRef &at, const std::string &message);
    bool at_end() const { return next_ == tokens_.size(); }

    const std::vector<Token> &tokens_;
    const SourceRef &open_;
    const PreprocessorFacts &facts_;
    Diagnostics &diagnostics_;
    size_t next_ = 0;
    bool failed_ = false;
};

bool Condition::bad(const SourceRef &at, const std::string &message) {
    if (!failed_) diagnostics_.report(Tag::BadConditional, at, message);
    failed_ = true;
    return false;
}

// The truth of `order` (negative, zero, positive: left below, equal to, above right) under a comparison operator.
bool holds(int op, int order) {
    switch (op) {
        case T::LESS:
            return order < 0;
        case T::LESS_EQUAL:
            return order <= 0;
        case T::GREATER:
            return order > 0;
        case T::GREATER_EQUAL:
            return order >= 0;
        case T::EQUAL:
            return order == 0;
        default:
            return order != 0;
    }
}

bool is_comparison(int kind) {
    return kind == T::LESS || kind == T::LESS_EQUAL || kind == T::GREATER || kind == T::GREATER_EQUAL ||
           kind == T::EQUAL || kind == T::NOT_EQUAL;
}

bool is_equality(const Token &op) {
    return op.kind == T::EQUAL || op.kind == T::NOT_EQUAL;
}

template <class Value>
int order_of(const Value &left, const Value &right) {
    return left < right ? -1 : right < left ? 1 : 0;
}

Operand Condition::named(const Token &token) const {
    Operand operand;
    operand.at = token.ref;
    std::string name(token.ref.text);
    auto version = [&](const std::string &text) {
        operand.kind = Operand::Kind::Version;
        operand.text = text;
    };
    auto pattern = [&](const std::string &text) {
        operand.kind = Operand::Kind::Pattern;
        operand.text = text;
    };
    if (name == "kernel_v") {
        version(facts_.kernel_v);
    } else if (name == "kernel_vr") {
        version(facts_.kernel_vr);
    } else if (name == "systemtap_v") {
        version(facts_.systemtap_v);
    } else if (name == "arch") {
        pattern(facts_.arch);
    } else if (name == "runtime") {
        pattern(facts_.runtime);
    } else if (name == "systemtap_privilege") {
        pattern(facts_.systemtap_privilege);
    } else if (name == "guru_mode") {
        operand.kind = Operand::Kind::Flag;
        operand.number = facts_.guru_mode;
    } else if (name.starts_with("CONFIG_")) {
        operand.kind = Operand::Kind::Config;
        if (facts_.config) operand.text = facts_.config(name).value_or("");
    }
    return operand;
}

Operand Condition::operand() {
    Operand operand;
    if (at_end()) {
        bad(next_ ? tokens_[next_ - 1].ref : open_, "incomplete condition");
        return operand;
    }
    bool negative =
        tokens_[next_].kind == T::MINUS && next_ + 1 < tokens_.size() && tokens_[next_ + 1].kind == T::NUMBER;
    if (negative) next_++;
    const Token &token = tokens_[next_++];
    operand.at = token.ref;
    if (token.problem) {
        if (!failed_) diagnostics_.report(*token.problem, token.ref, token.value);
        failed_ = true;
    } else if (token.kind == T::STRING) {
        operand.kind = Operand::Kind::String;
        operand.text = token.value;
        while (!at_end() && tokens_[next_].kind == T::STRING)
            operand.text += tokens_[next_++].value;
    } else if (token.kind == T::NUMBER) {
        operand.kind = Operand::Kind::Number;
        operand.number = static_cast<int64_t>(negative ? 0 - token.number : token.number);
    } else {
        static const std::vector<std::string> names = {
            "kernel_v", "kernel_vr", "arch", "systemtap_v", "systemtap_privilege", "runtime", "guru_mode"};
        operand = named(token);
        if (operand.kind == Operand::Kind::Bad)
            bad(token.ref,
                "expected 'kernel_v', 'kernel_vr', 'arch', 'systemtap_v', 'systemtap_privilege', 'runtime', "
                "'guru_mode', "
                "a CONFIG_ option, a string or a number" +
                    similar_text(similar_names(token.ref.text, names)));
    }
    return operand;
}

bool Condition::compare_version(const Operand &left, const Token &op, const Operand &right) {
    if (right.kind != Operand::Kind::String) return bad(right.at, "expected a string to compare a version with");
    if (right.text.find_first_of("*?[") == std::string::npos)
        return holds(op.kind, strverscmp(left.text.c_str(), right.text.c_str()));
    if (!is_equality(op)) return bad(op.ref, "wildcards can be compared with '==' and '!=' only");
    return (fnmatch(right.text.c_str(), left.text.c_str(), FNM_NOESCAPE) == 0) == (op.kind == T::EQUAL);
}

bool Condition::compare_pattern(const Operand &left, const Token &op, const Operand &right) {
    if (right.kind != Operand::Kind::String) return bad(right.at, "expected a string");
    if (!is_equality(op)) return bad(op.ref, "expected '==' or '!='");
    return (fnmatch(right.text.c_str(), left.text.c_str(), FNM_NOESCAPE) == 0) == (op.kind == T::EQUAL);
}

std::optional<int64_t> as_number(const std::string &text) {
    int64_t value = 0;
    bool hex = text.starts_with("0x");
    const char *begin = text.data() + (hex ? 2 : 0), *end = text.data() + text.size();
    auto [stop, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
    if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
    return value;
}

bool Condition::compare_config(const Operand &left, const Token &op, const Operand &right) {
    std::optional<int64_t> number = as_number(left.text);
    if (right.kind == Operand::Kind::Number) {
        if (left.text.empty()) number = 0;            // not set
        if (!number) return op.kind == T::NOT_EQUAL;  // not a number: different from every number
        return holds(op.kind, order_of(*number, right.number));
    }
    if (right.kind == Operand::Kind::String) return compare_pattern(left, op, right);
    if (right.kind != Operand::Kind::Config) return bad(right.at, "expected a string, a number or a CONFIG_ option");
    std::optional<int64_t> other = as_number(right.text);
    if (number && other) return holds(op.kind, order_of(*number, *other));
    return holds(op.kind, order_of(left.text, right.text));
}

bool Condition::compare(const Operand &left, const Token &op, const Operand &right) {
    using Kind = Operand::Kind;
    switch (left.kind) {
        case Kind::Version:
            return compare_version(left, op, right);
        case Kind::Pattern:
            return compare_pattern(left, op, right);
        case Kind::Config:
            return compare_config(left, op, right);
        case Kind::Flag:
            if (right.kind != Kind::Number) return bad(right.at, "expected 0 or 1");
            if (!is_equality(op)) return bad(op.ref, "expected '==' or '!='");
            return holds(op.kind, order_of(left.number, right.number));
        case Kind::String:
            if (right.kind != Kind::String) return bad(right.at, "expected a string, as on the left side");
            return holds(op.kind, order_of(left.text, right.text));
        case Kind::Number:
            if (right.kind != Kind::Number) return bad(right.at, "expected a number, as on the left side");
            return holds(op.kind, order_of(left.number, right.number));
        case Kind::Bad:
            break;
    }
    return false;
}

bool Condition::comparison() {
    Operand left = operand();
    if (failed_) return false;
    if (at_end()) return bad(left.at, "expected a comparison operator after this");
    const Token &op = tokens_[next_++];
    if (!is_comparison(op.kind)) return bad(op.ref, "expected comparison operator");
    Operand right = operand();
    return !failed_ && compare(left, op, right);
}

// Every comparison is checked, even where the result is known already.
bool Condition::all_of() {
    bool result = comparison();
    while (!failed_ && !at_end() && tokens_[next_].kind == T::AND_AND) {
        next_++;
        result = comparison() && result;
    }
    return result;
}

bool Condition::evaluate() {
    bool result = all_of();
    while (!failed_ && !at_end() && tokens_[next_].kind == T::OR_OR) {
        next_++;
        result = all_of() || result;
    }
    if (!failed_ && !at_end()) return bad(tokens_[next_].ref, "expected '&&', '||' or '%?'");
    return result && !failed_;
}

}  // namespace

bool evaluate_condition(const std::vector<Token> &condition, const SourceRef &open, const PreprocessorFacts &facts,
                        Diagnostics &diagnostics) {
    return Condition(condition, open, facts, diagnostics).evaluate();
}

}  // namespace tapir::syntax
