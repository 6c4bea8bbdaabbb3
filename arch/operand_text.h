// SPDX-License-Identifier: GPL-2.0-or-later
// Shared parts of operands in the syntax of any assembler.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tapir::arch {

// Without blanks around it.
inline std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

// "12", "-0x10", "+4"; all of the text.
inline std::optional<int64_t> whole_number(std::string_view text) {
    bool negative = false;
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        negative = text.front() == '-';
        text.remove_prefix(1);
    }
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        base = 16;
        text.remove_prefix(2);
    }
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return static_cast<int64_t>(negative ? 0 - value : value);
}

// A number, or a symbol plus a number.
struct Sum {
    int64_t number = 0;
    std::string_view symbol;
};

// An expression of gas, as far as its value is known before linking: "8+4", "-(2*8)", "0x10|1", "'a", "symbol-4+8",
// "4+symbol". A symbol may have letters that the machine's syntax allows in `extra`.
class Expression {
  public:
    explicit Expression(std::string_view text, std::string_view extra = "") : text_(text), extra_(extra) {}

    // Nothing unless all of the text is one.
    std::optional<Sum> read() {
        const Sum sum = sum_of(0);
        skip_blanks();
        return failed_ || !text_.empty() ? std::nullopt : std::optional(sum);
    }

  private:
    struct Operator {
        std::string_view text;
        int rank;  // higher binds more (GNU as, "Infix Operators")
    };
    static constexpr Operator kOperators[] = {{"<<", 3}, {">>", 3}, {"*", 3}, {"/", 3}, {"%", 3},
                                              {"|", 2},  {"&", 2},  {"^", 2}, {"+", 1}, {"-", 1}};

    static bool is_name(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
               c == '$' || (c & 0x80) != 0;
    }
    void skip_blanks() {
        while (text_.starts_with(' '))
            text_.remove_prefix(1);
    }
    bool take(std::string_view what) {
        skip_blanks();
        if (!text_.starts_with(what)) return false;
        text_.remove_prefix(what.size());
        return true;
    }
    Sum fail() {
        failed_ = true;
        return {};
    }

    Sum sum_of(int rank) {
        constexpr int kMostRanks = 4;
        if (rank >= kMostRanks) return unary(0);
        Sum left = sum_of(rank + 1);
        while (!failed_) {
            skip_blanks();
            const Operator *found = nullptr;
            for (const Operator &each : kOperators)
                if (each.rank == rank && text_.starts_with(each.text)) found = &each;
            if (!found) break;
            text_.remove_prefix(found->text.size());
            left = combined(found->text, left, sum_of(rank + 1));
        }
        return left;
    }

    Sum combined(std::string_view how, const Sum &left, const Sum &right) {
        const auto a = static_cast<uint64_t>(left.number), b = static_cast<uint64_t>(right.number);
        const auto sum = [](uint64_t number, std::string_view symbol) {
            return Sum{static_cast<int64_t>(number), symbol};
        };
        const bool one = left.symbol.empty() || right.symbol.empty();
        if (how == "+" && one) return sum(a + b, left.symbol.empty() ? right.symbol : left.symbol);
        if (!right.symbol.empty()) return fail();
        if (how == "-") return sum(a - b, left.symbol);
        if (!left.symbol.empty()) return fail();
        if (how == "*") return sum(a * b, {});
        if (how == "|") return sum(a | b, {});
        if (how == "&") return sum(a & b, {});
        if (how == "^") return sum(a ^ b, {});
        if (how == "<<" || how == ">>") return b > 63 ? fail() : sum(how == "<<" ? a << b : a >> b, {});
        if (right.number == 0 || (right.number == -1 && how != "+")) return fail();
        return Sum{how == "/" ? left.number / right.number : left.number % right.number, {}};
    }

    Sum unary(int depth) {
        constexpr int kMostDepth = 64;
        if (depth > kMostDepth) return fail();
        if (take("+")) return unary(depth + 1);
        const bool negative = take("-");
        if (negative || take("~")) {
            const Sum value = unary(depth + 1);
            if (!value.symbol.empty()) return fail();
            const auto number = static_cast<uint64_t>(value.number);
            return {static_cast<int64_t>(negative ? 0 - number : ~number), {}};
        }
        if (take("(")) {
            if (++open_ > kMostDepth) return fail();
            const Sum inner = sum_of(0);
            return take(")") ? inner : fail();
        }
        return primary();
    }

    Sum primary() {
        skip_blanks();
        if (text_.size() > 1 && text_[0] == '\'') {
            const char c = text_[1];
            text_.remove_prefix(text_.substr(2).starts_with('\'') ? 3 : 2);
            return {static_cast<unsigned char>(c), {}};
        }
        if (text_.starts_with('"')) {
            const size_t end = text_.find('"', 1);
            if (end == std::string_view::npos) return fail();
            const std::string_view name = text_.substr(1, end - 1);
            text_.remove_prefix(end + 1);
            return {0, name};
        }
        size_t end = 0;
        while (end < text_.size() && (is_name(text_[end]) || extra_.find(text_[end]) != std::string_view::npos))
            ++end;
        const std::string_view word = text_.substr(0, end);
        text_.remove_prefix(end);
        if (word.empty()) return fail();
        if (word[0] < '0' || word[0] > '9') return {0, word};
        const auto number = number_of(word);
        return number ? Sum{*number, {}} : fail();
    }

    static std::optional<int64_t> number_of(std::string_view word) {
        int base = 10;
        if (word.starts_with("0x") || word.starts_with("0X"))
            base = 16;
        else if (word.starts_with("0b") || word.starts_with("0B"))
            base = 2;
        else if (word.size() > 1 && word[0] == '0')
            base = 8;
        word.remove_prefix(base == 16 || base == 2 ? 2 : 0);
        uint64_t value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
        if (error != std::errc() || end != word.data() + word.size() || word.empty()) return std::nullopt;
        return static_cast<int64_t>(value);
    }

    std::string_view text_, extra_;
    bool failed_ = false;
    int open_ = 0;
};

}  // namespace tapir::arch
