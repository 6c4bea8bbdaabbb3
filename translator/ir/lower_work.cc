// SPDX-License-Identifier: GPL-2.0-or-later
// Charges work that takes longer than a statement may: see ir/reckon.h. It is charged when the statement begins. If it
// is very much, its parts are charged as they are done, each way through it by itself. Then the clock is read in
// between.
#include <algorithm>
#include <cstdlib>

#include "ast/walk.h"
#include "ir/lowerer.h"
#include "ir/reckon.h"

namespace tapir::ir {

bool ModuleLowering::has_long_strings(const LowerOptions &o) {
    auto given = o.defines.find("MAXSTRINGLEN");
    return given != o.defines.end() && std::strtoll(given->second.c_str(), nullptr, 0) > kUsualString;
}

void BodyLowerer::work(int64_t ns, const SourceRef &at) {
    if (kind_ != Kind::Condition) failing(emit(Op::Work, {}, number(ns)), at);
}

// Something was done that adds to the work as it goes: it may have been much.
void BodyLowerer::look(const SourceRef &at) {
    work(0, at);
}

// Returns the work of a handler without loops, without the functions that it calls. If it is small, the handler never
// reads the clock.
static int64_t work_of_all(const ast::Stmt &body) {
    int64_t all = 0;
    ast::each_stmt(body, [&](const ast::Stmt &s) { all += work_of(s); });
    return all;
}

// Begins an evaluation with an estimated time; `allowed` of it is covered by its statement's cost.
void BodyLowerer::work_begins(int64_t ns, int64_t allowed) {
    long_work_ = ns > kLongWork;
    work_ = 0;
    if (long_work_ || ns <= std::max(allowed, kSpareWork)) return;
    if (kind_ != Kind::Handler || budgeted_ || work_of_all(*root_) > kWorkAtOnce) work(ns - allowed, work_at_);
}

void BodyLowerer::work_begins(const ast::Stmt &s) {
    work_at_ = s.at;
    const int64_t unit = sparing_ ? kSpareWork : kUnitWork;
    work_begins(work_of(s), statement_cost(s) ? unit : 0);
}

// The expression has been evaluated.
void BodyLowerer::worked(const ast::Expr &e) {
    if (m_.effects.long_strings() && makes_long_text(e)) look(e.at);
    if (!long_work_) return;
    work_ += own_work(e);
    if (work_ >= kWorkAtOnce) work_ends();
}

// Charges the work so far: a branch follows, or the end.
void BodyLowerer::work_ends() {
    if (long_work_ && work_ > 0) work(work_, work_at_);
    work_ = 0;
}

// The work on long strings is known only after it.
void BodyLowerer::look_at_strings(const ast::Stmt &s) {
    if (s.kind == ast::StmtKind::Expr && m_.effects.long_strings() && handles_text(s)) look(s.at);
}

}  // namespace tapir::ir
