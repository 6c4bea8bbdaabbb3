// SPDX-License-Identifier: GPL-2.0-or-later
// Reads collectors' answers: was the item accepted, refused, or is it to be sent again?
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>

#include "push/destination.h"
#include "push/http_post.h"

namespace tapir::push {

struct Verdict {
    enum class Fate : uint8_t { Delivered, Again, Refused };

    Fate fate = Fate::Again;
    std::string why;               // what went wrong; of a delivered item: why the collector left points out
    std::chrono::seconds rest{0};  // that the collector asks for
    uint64_t rejected = 0;         // points of a delivered item that the collector left out
};

// `now`: dates of Retry-After are compared with it.
Verdict judge(Protocol protocol, const HttpAnswer &answer, time_t now);

// The pause of a Retry-After header, in seconds or as a date; 0 if it is neither. An hour at most.
std::chrono::seconds pause_of(const std::string &retry_after, time_t now);

}  // namespace tapir::push
