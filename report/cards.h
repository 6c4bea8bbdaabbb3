// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cards: the picture in three to five lines. At first one branch has everything. The widest branch is split
 * where at least two of its children have 5 % of the whole, until there are five branches or none that forks. There,
 * what the function has itself counts as a child, too. A branch is followed while one child keeps 70 % of it: the last
 * own function on that way gives the name, and the value; without one, the first named function, in the own functions
 * that have called it.
 */
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/call_tree.h"
#include "report/owners.h"

namespace tapir::report {

inline constexpr size_t kMostCards = 5;

struct Card {
    enum class Kind : uint8_t { Function, Elsewhere, Idle };
    Kind kind = Kind::Function;
    uint32_t node = 0;                 // of the tree: the branch; 0 of Elsewhere
    uint32_t named = 0;                // the node that gives the name
    Owner owner = Owner::Fact;         // of that node's frame
    std::string name;                  // without arguments: "pthread_mutex_lock"; "elsewhere"; "idle: waits for events"
    std::vector<std::string> callers;  // own ones, the nearest first, at most two: "place_order", "worker"
    std::string label;                 // of the samples, by the script or --by; "" is none
    std::string calls;                 // what an own function spends it in: "usleep"; "" is itself, or several
    int64_t value = 0, before = 0;     // values of all cards make those of the root together
    uint64_t count = 0;

    // "sleeping: pthread_mutex_lock in place_order < worker", without callers for which so many columns have no room.
    std::string text(size_t width = SIZE_MAX) const;
};

// Cards by value, then the rest if there is one, and idle waits last. Empty if the tree is.
std::vector<Card> make_cards(const CallTree &tree, const FrameTable &frames, const std::vector<Owner> &owners);

// The name without arguments of templates and functions, the type that is returned, anonymous namespaces, and what
// compilers add: "Book::add" of "void Book<int>::add<char>(int) const [clone .isra.0]".
std::string short_name(const FrameText &frame);

}  // namespace tapir::report
