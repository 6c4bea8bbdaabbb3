// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost/estimate.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "ir/call_order.h"

namespace tapir::cost {

using ir::Inst;
using ir::Op;
using ir::ValueKind;

namespace {

// The globals that some code may write.
std::set<int> written_globals(const ir::Module &module) {
    std::set<int> written;
    each_body(module, [&](const ir::Body &body) {
        for (const Inst &inst : body.code) {
            if (inst.op == Op::Store || inst.op == Op::Update) written.insert(inst.global);
            if (inst.dst.kind == ValueKind::Global) written.insert(static_cast<int>(inst.dst.n));
        }
    });
    for (const ir::Function &f : module.functions)
        written.insert(f.accessed_globals.begin(), f.accessed_globals.end());
    for (const ir::Snippet &snippet : module.snippets)
        written.insert(snippet.accessed_globals.begin(), snippet.accessed_globals.end());
    return written;
}

}  // namespace

Range &Range::operator+=(const Range &other) {
    least += other.least;
    typical += other.typical;
    most += other.most;
    return *this;
}

Estimator::Estimator(const ir::Module &module, const Assumptions &assumptions, const Settings &settings, Walk walk)
    : module_(module),
      sizes_{sizes_at(Level::Least, assumptions), sizes_at(Level::Typical, assumptions),
             sizes_at(Level::Most, assumptions)},
      facts_(module),
      functions_(module.functions.size()) {
    for (Sizes &sizes : sizes_)
        sizes.walk = walk;
    find_constants(settings);
    sum_functions();
}

void Estimator::find_constants(const Settings &settings) {
    const std::set<int> written = written_globals(module_);
    for (size_t i = 0; i < module_.globals.size(); ++i) {
        const ir::Global &global = module_.globals[i];
        if (!global.key_types.empty() || written.contains(static_cast<int>(i))) continue;
        const auto set = settings.find(global.name);
        Constant constant;
        if (global.type == ast::Type::Long) {
            constant.number = global.initial.kind == ValueKind::Int ? global.initial.n : 0;
            if (set != settings.end()) constant.number = std::strtoll(set->second.c_str(), nullptr, 0);
        } else if (global.type == ast::Type::String) {
            constant.text = global.initial.kind == ValueKind::Literal
                                ? module_.literals[static_cast<size_t>(global.initial.n)]
                                : "";
            if (set != settings.end()) constant.text = set->second;
        }
        if (constant.number || constant.text) constants_[static_cast<int>(i)] = constant;
    }
}

// Callees first. A recursive function calls itself as often as a loop turns.
void Estimator::sum_functions() {
    std::vector<std::vector<size_t>> calls;
    for (const ir::Function &f : module_.functions)
        calls.emplace_back(f.callees.begin(), f.callees.end());
    for (const std::vector<size_t> &group : ir::call_order(calls)) {
        std::map<size_t, Range> sums;
        for (const size_t i : group) {
            const ir::Function &f = module_.functions[i];
            if (f.embedded)
                sums[i] = {costs(Level::Least, {}).c_code(*f.embedded), costs(Level::Typical, {}).c_code(*f.embedded),
                           costs(Level::Most, {}).c_code(*f.embedded)};
            else
                sums[i] = body(f.body, {0, f.leaf});
            if (!f.recursive) continue;
            sums[i].least *= 1 + sizes_[0].turns;
            sums[i].typical *= 1 + sizes_[1].turns;
            sums[i].most *= 1 + sizes_[2].turns;
        }
        for (const auto &[i, sum] : sums)
            functions_[i] = sum;
    }
}

InstCost Estimator::costs(Level level, const BodyFacts &body) const {
    return {module_, facts_, functions_, level, sizes_[static_cast<size_t>(level)], body};
}

Range Estimator::body(const ir::Body &body, const BodyFacts &facts) const {
    const Constants constants = [this](int global) {
        const auto found = constants_.find(global);
        return found == constants_.end() ? nullptr : &found->second;
    };
    const Flow flow(module_, body, constants);
    const auto at = [&](Level level) {
        return flow.sum(level, sizes_[static_cast<size_t>(level)], costs(level, facts));
    };
    Range range{at(Level::Least), at(Level::Typical), at(Level::Most)};
    // The mean of ways lies between them; of loops of many turns it may not.
    range.least = std::min(range.least, range.typical);
    range.most = std::max(range.most, range.typical);
    return range;
}

Range Estimator::handler(const ir::Handler &handler, bool tried) const {
    const ir::Handler &real = handler.same_as >= 0 ? module_.handlers[static_cast<size_t>(handler.same_as)] : handler;
    if (tried && real.attempt) return body(*real.attempt, {0, true});
    return body(real.body, {real.locks.size(), real.leaf});
}

Range Estimator::function(size_t index) const {
    return functions_[index];
}

}  // namespace tapir::cost
