// SPDX-License-Identifier: GPL-2.0-or-later
// How a probe kind writes its probes' arguments for the kernel side.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::probes {

// Takes a kind's argument, a struct of tapir/abi.h, member by member. Members that are not written are zero. The text
// of the module is the implementation's concern, so that kinds know nothing of it.
class ArgWriter {
  public:
    virtual ~ArgWriter() = default;

    // The struct: "tapir_timer_arg". Called once, before any member.
    virtual void type(std::string_view name) = 0;

    void number(std::string_view member, std::integral auto value) {
        if constexpr (std::unsigned_integral<decltype(value)>)
            unsigned_number(member, value);
        else
            signed_number(member, value);
    }
    // A constant by its name: "TAPIR_PHASE_END".
    virtual void constant(std::string_view member, std::string_view name) = 0;
    // A string, NUL-terminated. optional_text() leaves an empty one out.
    virtual void text(std::string_view member, std::string_view text) = 0;
    void optional_text(std::string_view member, std::string_view value) {
        if (!value.empty()) text(member, value);
    }
    // A pointer to an array of numbers of the C type.
    virtual void numbers(std::string_view member, std::string_view type, const std::vector<uint64_t> &values) = 0;
    // A pointer to an array of `count` structs of the C type, each written by `row`.
    using Row = std::function<void(size_t index, ArgWriter &out)>;
    virtual void rows(std::string_view member, std::string_view type, size_t count, const Row &row) = 0;
    // A struct within the struct.
    virtual void nested(std::string_view member, const std::function<void(ArgWriter &out)> &members) = 0;

    // Indices into the module's tables, which get new entries as needed: a symbol ("module:symbol" is one of a module),
    // a program by its path ("" is any), system calls by their positions in syscalls::Calls::entries().
    virtual void symbol(std::string_view member, const std::string &symbol) = 0;
    virtual void program(std::string_view member, const std::string &path) = 0;
    virtual void syscalls(std::string_view member, std::string_view count, const std::vector<size_t> &positions) = 0;
    // The members of tapir_user_arg that say which memory the probe's handlers read.
    virtual void touches() = 0;

  private:
    virtual void signed_number(std::string_view member, int64_t value) = 0;
    virtual void unsigned_number(std::string_view member, uint64_t value) = 0;
};

}  // namespace tapir::probes
