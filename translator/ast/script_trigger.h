// SPDX-License-Identifier: GPL-2.0-or-later
// Triggers and rings of events that a script has (@trigger, @recall, @after).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/source.h"

namespace tapir::ast {

struct Block;

struct Trigger {
    SourceRef at;
    std::string name;
    Block *fired = nullptr;  // what happens when it fires: part of the tree
};

// @recall(NAME, EVENTS, ...)
struct Ring {
    SourceRef at;
    std::string name;
    uint32_t events = 0;
    bool of_cpu = false;
};

// @after(NAME), which stands for a global of its own.
struct AfterTrigger {
    SourceRef at;
    std::string name;
};

// The triggers and rings of a file.
struct Triggers {
    std::vector<Trigger> triggers;
    std::vector<Ring> rings;
    std::vector<AfterTrigger> after;
};

// The part that a print has in them. Trigger: it is the record of one. Recall, RecallOfCpu: it is an event that goes
// into a ring. Recalled: it has rings printed; the arguments are a thread and a CPU.
struct PrintedEvent {
    enum class Event : uint8_t { None, Trigger, Recall, RecallOfCpu, Recalled } event = Event::None;
    std::string event_name;  // of the trigger or the ring
    uint32_t events = 0;     // that the ring keeps
    bool is_recall() const { return event == Event::Recall || event == Event::RecallOfCpu; }
};

}  // namespace tapir::ast
