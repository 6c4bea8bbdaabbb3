// SPDX-License-Identifier: GPL-2.0-or-later
// Symbol names of Rust's scheme "v0" (RFC 2603), printed as its own tools print them without hashes, except that
// generic arguments follow a function's name as they do in debug information: "biggest<i32>".
#include <cstdint>
#include <cstdio>
#include <optional>

#include "names/demangle.h"

namespace tapir {

namespace {

// References back to what was there before can make a short name a long one.
constexpr size_t kMaxText = 64 << 10;
constexpr int kMaxSteps = 100'000;
constexpr int kMaxDepth = 200;

std::string_view basic_type(char tag) {
    switch (tag) {
        case 'a':
            return "i8";
        case 'b':
            return "bool";
        case 'c':
            return "char";
        case 'd':
            return "f64";
        case 'e':
            return "str";
        case 'f':
            return "f32";
        case 'h':
            return "u8";
        case 'i':
            return "isize";
        case 'j':
            return "usize";
        case 'l':
            return "i32";
        case 'm':
            return "u32";
        case 'n':
            return "i128";
        case 'o':
            return "u128";
        case 'p':
            return "_";
        case 's':
            return "i16";
        case 't':
            return "u16";
        case 'u':
            return "()";
        case 'v':
            return "...";
        case 'x':
            return "i64";
        case 'y':
            return "u64";
        case 'z':
            return "!";
        default:
            return "";
    }
}

class Printer {
  public:
    explicit Printer(std::string_view symbol) : in_(symbol) {}

    // "" after a mistake. What follows the path, the crate that has the instance and what the linker appends, is left
    // out.
    std::string run() {
        path();
        return failed_ ? std::string() : std::move(out_);
    }

  private:
    struct Identifier {
        uint64_t disambiguator = 0;
        std::string_view text;
        bool punycode = false;
    };

    void fail() { failed_ = true; }
    char peek() const { return at_ < in_.size() ? in_[at_] : '\0'; }
    bool eat(char c) {
        if (failed_ || peek() != c) return false;
        ++at_;
        return true;
    }
    char next() {
        if (at_ >= in_.size()) fail();
        return failed_ ? '\0' : in_[at_++];
    }
    void print(std::string_view text) {
        if (failed_ || silent_) return;
        if (out_.size() + text.size() > kMaxText) return fail();
        out_ += text;
    }

    // Base 62 ending in "_": "_" is 0, "0_" is 1.
    uint64_t number62() {
        if (eat('_')) return 0;
        uint64_t value = 0;
        while (!failed_ && !eat('_')) {
            const char c = next();
            const int digit = c >= '0' && c <= '9'   ? c - '0'
                              : c >= 'a' && c <= 'z' ? c - 'a' + 10
                              : c >= 'A' && c <= 'Z' ? c - 'A' + 36
                                                     : -1;
            if (digit < 0 || __builtin_mul_overflow(value, 62, &value) ||
                __builtin_add_overflow(value, static_cast<uint64_t>(digit), &value))
                fail();
        }
        return value + 1;
    }
    uint64_t optional62(char tag) { return eat(tag) ? number62() + 1 : 0; }

    Identifier identifier() {
        Identifier name;
        name.disambiguator = optional62('s');
        name.punycode = eat('u');
        size_t length = 0;
        if (peek() < '0' || peek() > '9') fail();
        if (!eat('0'))
            while (!failed_ && peek() >= '0' && peek() <= '9' && length < in_.size())
                length = length * 10 + static_cast<size_t>(next() - '0');
        eat('_');
        if (failed_ || length > in_.size() - at_) {
            fail();
            return name;
        }
        name.text = in_.substr(at_, length);
        at_ += length;
        return name;
    }
    void print(const Identifier &name) {
        if (name.punycode) print("punycode{");
        print(name.text);
        if (name.punycode) print("}");
    }

    // Runs `what` where an earlier part of the name begins.
    template <typename What>
    void back(What what) {
        const size_t here = at_ - 1;
        const uint64_t target = number62();
        if (failed_ || target >= here) return fail();
        const size_t after = at_;
        at_ = target;
        what();
        at_ = after;
    }

    struct Deeper {
        explicit Deeper(Printer &of) : printer(of) {
            if (++printer.depth_ > kMaxDepth || ++printer.steps_ > kMaxSteps) printer.fail();
        }
        ~Deeper() { --printer.depth_; }
        Printer &printer;
    };

    void silently_path() {
        const bool before = silent_;
        silent_ = true;
        path();
        silent_ = before;
    }

    void path() {
        const Deeper deeper(*this);
        switch (failed_ ? '\0' : next()) {
            case 'C':
                print(identifier());
                break;
            case 'M':
                optional62('s');
                silently_path();
                print("<");
                type();
                print(">");
                break;
            case 'X':
                optional62('s');
                silently_path();
                [[fallthrough]];
            case 'Y':
                print("<");
                type();
                print(" as ");
                path();
                print(">");
                break;
            case 'N':
                nested();
                break;
            case 'I':
                path();
                print("<");
                list([this] { generic_argument(); });
                print(">");
                break;
            case 'B':
                back([this] { path(); });
                break;
            default:
                fail();
        }
    }

    void nested() {
        const char space = next();
        path();
        const Identifier name = identifier();
        if (space >= 'a' && space <= 'z') {
            if (name.text.empty()) return;
            print("::");
            return print(name);
        }
        print(space == 'C' ? "::{closure" : space == 'S' ? "::{shim" : "::{");
        if (space != 'C' && space != 'S') print(std::string_view(&space, 1));
        if (!name.text.empty()) {
            print(":");
            print(name);
        }
        print("#" + std::to_string(name.disambiguator) + "}");
    }

    // Items up to "E".
    template <typename Item>
    size_t list(Item item) {
        size_t count = 0;
        for (; !failed_ && !eat('E'); ++count) {
            if (count > 0) print(", ");
            item();
        }
        return count;
    }

    void lifetime(uint64_t index) {
        if (index == 0) return print("'_");
        if (index > lifetimes_) return fail();
        const uint64_t depth = lifetimes_ - index;
        print("'");
        print(depth < 26 ? std::string(1, static_cast<char>('a' + depth)) : "_" + std::to_string(depth));
    }

    // for<'a, 'b>, for as long as `inside` runs.
    template <typename Inside>
    void bound(Inside inside) {
        const uint64_t count = optional62('G');
        const uint64_t before = lifetimes_;
        if (count > 256) return fail();
        for (uint64_t i = 0; i < count; ++i) {
            ++lifetimes_;
            print(i == 0 ? "for<" : ", ");
            lifetime(1);
        }
        if (count > 0) print("> ");
        inside();
        lifetimes_ = before;
    }

    void generic_argument() {
        if (eat('L')) return lifetime(number62());
        if (eat('K')) return constant();
        type();
    }

    void type() {
        const Deeper deeper(*this);
        const char tag = failed_ ? '\0' : next();
        if (const std::string_view basic = basic_type(tag); !basic.empty()) return print(basic);
        switch (tag) {
            case 'R':
            case 'Q':
                return reference(tag == 'Q');
            case 'P':
            case 'O':
                print(tag == 'P' ? "*const " : "*mut ");
                return type();
            case 'A':
            case 'S':
                print("[");
                type();
                if (tag == 'A') {
                    print("; ");
                    constant();
                }
                return print("]");
            case 'T':
                print("(");
                if (list([this] { type(); }) == 1) print(",");
                return print(")");
            case 'F':
                return bound([this] { function_type(); });
            case 'D':
                print("dyn ");
                bound([this] { traits(); });
                if (!eat('L')) return fail();
                if (const uint64_t index = number62()) {
                    print(" + ");
                    lifetime(index);
                }
                return;
            case 'B':
                return back([this] { type(); });
            default:
                if (!failed_) --at_;
                path();
        }
    }

    void reference(bool is_mutable) {
        print("&");
        if (eat('L'))
            if (const uint64_t index = number62()) {
                lifetime(index);
                print(" ");
            }
        if (is_mutable) print("mut ");
        type();
    }

    void function_type() {
        if (eat('U')) print("unsafe ");
        if (eat('K')) {
            print("extern \"");
            eat('C') ? print("C") : print(identifier());
            print("\" ");
        }
        print("fn(");
        list([this] { type(); });
        print(")");
        if (eat('u')) return;
        print(" -> ");
        type();
    }

    void traits() {
        for (size_t count = 0; !failed_ && !eat('E'); ++count) {
            if (count > 0) print(" + ");
            path();
            while (eat('p')) {
                print("<");
                print(identifier());
                print(" = ");
                type();
                print(">");
            }
        }
    }

    void constant() {
        const Deeper deeper(*this);
        if (eat('B')) return back([this] { constant(); });
        const char type = failed_ ? '\0' : next();
        if (type == 'p') return print("_");
        const bool negative = eat('n');
        std::string digits;
        while (!failed_ && !eat('_')) {
            const char c = next();
            if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return fail();
            digits += c;
        }
        if (std::string_view("ahijlmnostxybc").find(type) == std::string_view::npos) return fail();
        if (digits.size() > 16) return print((negative ? "-0x" : "0x") + digits);
        uint64_t value = 0;
        for (char c : digits)
            value = value * 16 + static_cast<uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
        if (type == 'b') return print(value ? "true" : "false");
        if (type == 'c' && value >= ' ' && value < 0x7f)
            return print("'" + std::string(1, static_cast<char>(value)) + "'");
        print((negative ? "-" : "") + std::to_string(value));
    }

    std::string_view in_;
    size_t at_ = 0;
    std::string out_;
    bool failed_ = false, silent_ = false;
    int depth_ = 0, steps_ = 0;
    uint64_t lifetimes_ = 0;
};

}  // namespace

std::string demangle_rust(std::string_view symbol) {
    if (!symbol.starts_with("_R")) return {};
    symbol.remove_prefix(2);
    return Printer(symbol).run();
}

}  // namespace tapir
