// SPDX-License-Identifier: GPL-2.0-or-later
// Decides how handlers reach globals, so that each handler appears to run alone.
//
// begin, end and error handlers run with nothing else running and need nothing. For the others:
//   1. Globals that no handler writes need no lock.
//      An array with an age counts as written, since the session thread takes elements out.
//      A text that the loader may change counts as written. Such a number is loaded at once, where nothing writes it.
//   2. `<<<` is lock-free: per-CPU slots. (An array with "%" recycles elements and is an ordinary array.)
//   3. A number that handlers only add to (or only or, ...) and never read: the result does not depend on the order of
//      the handlers, so each update is one atomic instruction. Likewise the elements of an array that handlers only add
//      to; other accumulating arrays take the array's lock for each operation.
//   4. A number whose handlers each do exactly one operation that matters: that operation, atomic, is the handler.
//   5. An array operation that is the only one of its handler takes the lock for itself.
//   6. Everything else: the handler takes the locks of all such globals, in their order, around all of its uses.
//
// A handler may print and have locks by 6, or print and change a global of 4 or 5. Then it holds the locks until its
// text is complete and has become a record. It takes them at the first use, or at the first look at the clock before
// it. So lines stand in the order in which their handlers touched the globals. The operations of 4 stay atomic, so that
// other handlers need no lock: a flag that handlers only read costs no more.
#pragma once

#include <map>
#include <set>

#include "ir/effects.h"
#include "ir/ir.h"

namespace tapir::ir {

struct HandlerLocking {
    bool session = false;                         // runs alone
    bool ordered = false;                         // prints: its text is complete before the locks are dropped
    std::set<const ast::Variable *> locked;       // the lock set
    std::set<const ast::Variable *> self_locked;  // arrays whose operations lock for themselves
    std::set<const ast::Variable *> counters;     // arrays whose elements are added to atomically
};

struct Locking {
    std::map<const ast::Variable *, Access> scalars;  // numbers: Plain or Atomic
    std::map<const resolve::Handler *, HandlerLocking> handlers;
};

// Without `concurrent`, handlers run one after another by themselves, so that none needs a lock.
Locking plan_locking(const resolve::Program &program, const ProgramEffects &effects, bool concurrent);

}  // namespace tapir::ir
