// SPDX-License-Identifier: GPL-2.0-or-later
// The text of an outcome, for tests that compare whole messages.
#pragma once

#include <string>

#include "common/outcome.h"

namespace tapir {

// The message of a fault; "" of what is good.
template <typename T>
std::string said(const Outcome<T> &outcome) {
    return outcome ? "" : outcome.fault().message();
}

// "tag: message" of a fault; "ok" of what is good.
template <typename T>
std::string tagged(const Outcome<T> &outcome) {
    return outcome ? "ok" : std::string(tag_word(outcome.fault().tag)) + ": " + outcome.fault().message();
}

// The word of a fault's tag; "" of what is good.
template <typename T>
std::string tag_of(const Outcome<T> &outcome) {
    return outcome ? "" : std::string(tag_word(outcome.fault().tag));
}

}  // namespace tapir
