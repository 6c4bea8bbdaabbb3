// SPDX-License-Identifier: GPL-2.0-or-later
// Finds handlers of timers that can run in the session's thread. There they can be preempted, also by handlers that
// touch the same globals, and continue on another CPU. To those, such a handler is like one of another CPU. So it must
//
//   - use nothing of the hit, the current task or the current CPU, and read no memory that others may free;
//   - use no per-CPU data: it adds no samples, and takes no lock but the lock set;
//   - gain by it: it goes through snapshots, or loops without any locks. Code under its locks has interrupts off
//     there, too.
#include "ir/reports.h"

#include <algorithm>
#include <variant>
#include <vector>

namespace tapir::ir {

namespace {

class ReportAnalysis {
  public:
    explicit ReportAnalysis(Module &module) : module_(module) {}
    void functions();
    void handlers();

  private:
    bool goes(const Inst &inst) const;
    bool goes(const Body &body) const {
        return std::all_of(body.code.begin(), body.code.end(), [this](const Inst &inst) { return goes(inst); });
    }
    bool is_report(const Handler &handler) const;

    Module &module_;
    std::vector<bool> functions_;  // that a report may call
};

// Can it be done in a thread that is preempted?
bool ReportAnalysis::goes(const Inst &inst) const {
    switch (inst.op) {
        case Op::Call:
            return functions_[static_cast<size_t>(inst.index)];
        case Op::EmbeddedExpr:
            return module_.snippets[static_cast<size_t>(inst.index)].constant;
        case Op::StatRead:
        case Op::MapStatRead: {
            // Both are under a lock of their own.
            const auto &stat = module_.globals[static_cast<size_t>(inst.global)].stat;
            return !stat.variance && !stat.sketch;
        }
        case Op::MapGet:
        case Op::MapSet:
        case Op::MapUpdate:
            return inst.access == Access::Plain;
        default:
            return !facts(inst.op).here;
    }
}

// Functions that call each other are good if all of them are: a bad one makes its callers bad.
void ReportAnalysis::functions() {
    const size_t count = module_.functions.size();
    functions_.assign(count, true);
    std::vector<std::vector<size_t>> callers(count);
    std::vector<size_t> bad;
    for (size_t i = 0; i < count; ++i) {
        const Function &f = module_.functions[i];
        for (const Inst &inst : f.body.code)
            if (inst.op == Op::Call) callers[static_cast<size_t>(inst.index)].push_back(i);
        if (!(f.embedded ? f.anywhere : goes(f.body))) bad.push_back(i);
    }
    for (const size_t i : bad)
        functions_[i] = false;
    while (!bad.empty()) {
        const size_t i = bad.back();
        bad.pop_back();
        for (const size_t caller : callers[i]) {
            if (!functions_[caller]) continue;
            functions_[caller] = false;
            bad.push_back(caller);
        }
    }
}

bool ReportAnalysis::is_report(const Handler &handler) const {
    const bool timed = std::any_of(handler.attaches.begin(), handler.attaches.end(), probes::may_be_late);
    if (!timed || handler.leaf || handler.is_entry || handler.entry >= 0) return false;
    const bool copies = std::any_of(handler.body.code.begin(), handler.body.code.end(),
                                    [](const Inst &inst) { return inst.op == Op::SnapshotsTake; });
    return (copies || (handler.loops && handler.locks.empty())) && goes(handler.body);
}

void ReportAnalysis::handlers() {
    for (Handler &handler : module_.handlers)
        handler.report = is_report(handler);
}

}  // namespace

void find_reports(Module &module) {
    ReportAnalysis analysis(module);
    analysis.functions();
    analysis.handlers();
}

}  // namespace tapir::ir
