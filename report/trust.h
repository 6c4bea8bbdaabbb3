// SPDX-License-Identifier: GPL-2.0-or-later
// How far a picture can be trusted, as a badge says it: one verdict, and behind it what it comes from.
#pragma once

#include <string>
#include <vector>

#include "report/picture.h"

namespace tapir::report {

enum class TrustState : uint8_t {
    Good,  // all but 1 % is complete
    Part,  // more than that is cut or lost
    Bad,   // more than the user accepts; or the capture is not sealed. The exit status is 3
};
// "good", "part", "bad"
const char *trust_word(TrustState state);

struct TrustLine {
    std::string text;    // "14.9 %: stacks: cut at the limit of frames"
    std::string remedy;  // what to do about it, with the option or the command that does; "" is nothing
    bool aside = false;  // nothing that a reader has to know before the picture
};

struct Trust {
    TrustState state = TrustState::Good;
    std::string text;              // "all stacks complete", "3.0 % of samples lost"
    std::vector<TrustLine> lines;  // what is cut or lost; then notices, such as frames without a name
    size_t causes = 0;             // so many lines tell what misleads
};

Trust trust_of(const Profile &profile);

// For programs: the four figures, whether the capture is sealed, and the verdict, as JSON (docs/flame-graphs.md).
std::string check_json(const Picture &picture);

}  // namespace tapir::report
