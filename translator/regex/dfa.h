// SPDX-License-Identifier: GPL-2.0-or-later
// POSIX extended regular expressions over bytes, compiled to a table that decides in one step per byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::regex {

// A deterministic automaton that searches a whole string. Running it: state = start; for each byte state =
// next[state * classes + byte_class[byte]], ending early in kMatch or kDead; at the end of the string the answer is
// at_end[state].
struct Dfa {
    static constexpr uint16_t kDead = 0;   // no match can follow
    static constexpr uint16_t kMatch = 1;  // matched, independent of further bytes
    static constexpr size_t kMaxStates = 2048;

    std::array<uint8_t, 256> byte_class{};  // bytes that no part of the expression distinguishes share a class
    uint16_t classes = 0;
    uint16_t states = 0;  // kDead and kMatch included
    uint16_t start = kDead;
    std::vector<uint16_t> next;   // states * classes
    std::vector<uint8_t> at_end;  // states
    uint32_t groups = 0;          // parenthesised groups, for ngroups()
};

// A fault of an expression and its place.
struct Error {
    std::string message;
    size_t offset = 0;  // bytes from its start
};

// Compiles alternation, concatenation, * + ? {n} {n,} {n,m}, groups, ".", bracket expressions with ranges and
// [:classes:], ^ and $, and backslash before any character. False, with `error` set, when the expression is malformed
// or its automaton would be too large.
bool compile(std::string_view pattern, Dfa &dfa, Error &error);

// True when the expression matches somewhere in `text`, which has no NUL.
bool matches(const Dfa &dfa, std::string_view text);

}  // namespace tapir::regex
