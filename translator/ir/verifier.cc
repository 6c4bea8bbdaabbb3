// SPDX-License-Identifier: GPL-2.0-or-later
// Checks bodies against the list of operations.
#include "ir/verifier.h"

#include <set>

namespace tapir::ir {

namespace {

bool names(const OpFacts &op, std::string_view operand) {
    return op.form.find("{" + std::string(operand) + "}") != std::string_view::npos;
}

bool names_entry(const OpFacts &op) {
    for (std::string_view part : {"index", "regex", "function", "snippet", "symbol", "snapshots"})
        if (names(op, part)) return true;
    return false;
}

std::string missing(const Inst &inst, const std::set<int> &labels) {
    const OpFacts &op = facts(inst.op);
    if (names(op, "a") && !inst.a) return "a";
    if (names(op, "b") && !inst.b) return "b";
    if (names(op, "global") && inst.global < 0) return "global";
    if (names_entry(op) && inst.index < 0) return "index";
    if (op.has_dst && !inst.dst) return "dst";
    if (!op.has_dst && !op.may_have_dst && inst.dst) return "a place for its result";
    if (!op.goes && inst.target >= 0) return "a reason to go to a label";
    if (inst.target >= 0 && !labels.count(inst.target)) return "the label it goes to";
    if (inst.on_error >= 0 && !labels.count(inst.on_error)) return "the label of its error";
    return {};
}

// Returns the fault of a body, with its name `where`; its text might not be printable.
std::string check(const Body &body, const std::string &where) {
    std::set<int> labels;
    for (const Inst &inst : body.code)
        if (inst.op == Op::Label) labels.insert(inst.target);
    for (size_t i = 0; i < body.code.size(); ++i) {
        const std::string what = missing(body.code[i], labels);
        if (what.empty()) continue;
        const std::string name(facts(body.code[i].op).name);
        return "instruction " + std::to_string(i) + " of " + where + ", " + name + ", lacks " + what;
    }
    return {};
}

}  // namespace

std::string verify(const Module &module) {
    std::string wrong;
    const auto look = [&](const Body &body, const std::string &where) {
        if (wrong.empty()) wrong = check(body, where);
    };
    for (const Function &f : module.functions)
        look(f.body, f.name);
    for (size_t i = 0; i < module.conditions.size(); ++i)
        look(module.conditions[i].body, "condition" + std::to_string(i));
    for (size_t i = 0; i < module.handlers.size(); ++i) {
        look(module.handlers[i].body, "handler" + std::to_string(i));
        if (module.handlers[i].attempt) look(*module.handlers[i].attempt, "attempt" + std::to_string(i));
    }
    return wrong;
}

}  // namespace tapir::ir
