// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How functions fail, outside of the translator's passes: they return an Outcome, which holds what was asked for or the
 * Fault that prevented it. CONTRIBUTING.md, "How to fail", has the rule.
 *
 *     Outcome<std::string> read_key(const std::string &path) {
 *         if (!is_private(path))
 *             return Fault{FaultTag::SignerUnusable, "others can read '" + path + "'", "chmod 600 first"};
 *         ...
 *         return text;
 *     }
 *
 *     Outcome<std::string> key = read_key(path);
 *     if (!key) return key.fault();
 *     use(*key);
 */
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "common/tag.h"

namespace tapir {

struct [[nodiscard]] Fault {
    FaultTag tag;
    std::string text;       // what failed and why, for people; never empty
    std::string hint = {};  // advice; "" = no advice is known

    // Returns the text to print: "text", or "text; hint".
    std::string message() const { return hint.empty() ? text : text + "; " + hint; }
};

template <typename T>
class [[nodiscard]] Outcome {
    static_assert(!std::is_same_v<T, Fault> && !std::is_reference_v<T>);

  public:
    Outcome(T value) : content_(std::in_place_index<0>, std::move(value)) {}
    Outcome(Fault fault) : content_(std::in_place_index<1>, std::move(fault)) {}

    explicit operator bool() const { return content_.index() == 0; }
    // Only of a good outcome.
    T &operator*() & { return *value(); }
    const T &operator*() const & { return *const_cast<Outcome *>(this)->value(); }
    T &&operator*() && { return std::move(*value()); }
    T *operator->() { return value(); }
    const T *operator->() const { return const_cast<Outcome *>(this)->value(); }
    // Only of one that is not good.
    const Fault &fault() const {
        assert(!*this);
        return *std::get_if<1>(&content_);
    }

  private:
    T *value() {
        assert(*this);
        return std::get_if<0>(&content_);
    }

    std::variant<T, Fault> content_;
};

// For functions without a value. `{}` is the good one.
template <>
class [[nodiscard]] Outcome<void> {
  public:
    Outcome() = default;
    Outcome(Fault fault) : fault_(std::move(fault)) {}

    explicit operator bool() const { return !fault_; }
    const Fault &fault() const {
        assert(fault_);
        return *fault_;
    }

  private:
    std::optional<Fault> fault_;
};

}  // namespace tapir
