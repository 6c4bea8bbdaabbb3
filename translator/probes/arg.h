// SPDX-License-Identifier: GPL-2.0-or-later
// A probe's argument for its kind: a struct of tapir/abi.h as a value. What prints it knows the text of the module, so
// that kinds know nothing of it. A script may have 100,000 sites: names of members, types and constants are not copied.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tapir::probes {

// Members that are not written are zero. An argument refers to its attachment's strings; other names are literals.
class Arg {
  public:
    struct Constant {
        std::string_view name;  // "TAPIR_PHASE_END"
    };
    // A pointer to an array of numbers.
    struct Numbers {
        std::string_view type;  // of C
        std::vector<uint64_t> values;
    };
    // A pointer to an array of structs.
    struct Rows {
        std::string_view type;  // the struct's name
        std::vector<Arg> rows;
    };
    // A struct within the struct.
    struct Nested {
        std::vector<Arg> one;
    };
    // Indices into the module's tables, which get new entries as needed.
    struct Symbol {
        std::string_view name;  // "module:symbol" is one of a module
    };
    struct Program {
        std::string path;  // "" is any
    };
    struct Syscalls {
        std::string_view count;         // the member with their number
        std::vector<size_t> positions;  // in syscalls::Calls::entries()
    };
    // A number of type u64 that a global decides when the session starts; until then it is `number`.
    struct Setting {
        uint64_t number;
        std::string_view global;
        uint64_t times, dividend;
        int64_t least, most;
    };
    // The members of tapir_user_arg that say which memory the probe's handlers read.
    struct Touches {};
    using Value = std::variant<int64_t, uint64_t, std::string_view, Constant, Numbers, Rows, Nested, Symbol, Program,
                               Syscalls, Touches, Setting>;
    struct Member {
        std::string_view name;
        Value value;  // a string is text, NUL-terminated
    };

    // The struct's name, "tapir_timer_arg"; "": the kind has no argument.
    std::string_view type() const { return type_; }
    const std::vector<Member> &members() const { return members_; }

    void type(std::string_view name) { type_ = name; }
    void number(std::string_view member, std::integral auto value) {
        if constexpr (std::unsigned_integral<decltype(value)>)
            add(member, uint64_t{value});
        else
            add(member, int64_t{value});
    }
    void constant(std::string_view member, std::string_view name) { add(member, Constant{name}); }
    void text(std::string_view member, std::string_view text) { add(member, text); }
    // Leaves an empty text out.
    void optional_text(std::string_view member, std::string_view value) {
        if (!value.empty()) text(member, value);
    }
    void numbers(std::string_view member, std::string_view type, std::vector<uint64_t> values) {
        add(member, Numbers{type, std::move(values)});
    }
    // `row` writes each of `count` structs.
    void rows(std::string_view member, std::string_view type, size_t count,
              const std::function<void(size_t index, Arg &out)> &row) {
        Rows made{type, std::vector<Arg>(count)};
        for (size_t i = 0; i < count; ++i)
            row(i, made.rows[i]);
        add(member, std::move(made));
    }
    void nested(std::string_view member, const std::function<void(Arg &out)> &members) {
        Nested made{std::vector<Arg>(1)};
        members(made.one.front());
        add(member, std::move(made));
    }
    void symbol(std::string_view member, std::string_view symbol) { add(member, Symbol{symbol}); }
    void program(std::string_view member, std::string path) { add(member, Program{std::move(path)}); }
    void syscalls(std::string_view member, std::string_view count, std::vector<size_t> positions) {
        add(member, Syscalls{count, std::move(positions)});
    }
    void touches() { add("", Touches()); }
    void setting(std::string_view member, const Setting &setting) { add(member, setting); }

  private:
    void add(std::string_view member, Value &&value) {
        if (members_.empty()) members_.reserve(kUsual);
        members_.push_back({member, std::move(value)});
    }

    static constexpr size_t kUsual = 4;  // members, as sites have

    std::string_view type_;
    std::vector<Member> members_;
};

}  // namespace tapir::probes
