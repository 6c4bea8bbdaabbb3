// SPDX-License-Identifier: GPL-2.0-or-later
// Finds handlers that need no context, or can be tried without one.
#include "ir/leaves.h"

#include <algorithm>
#include <optional>

#include "arch/arch.h"
#include "ir/call_order.h"
#include "ir/cleanup.h"

namespace tapir::ir {

namespace {

class LeafAnalysis {
  public:
    LeafAnalysis(Module &module, const std::string &arch) : module_(module), arch_(arch) {}
    void functions();
    void handlers();
    void attempts();

  private:
    bool leaf_body(const Body &body) const;
    bool leaf_read(const Inst &inst, const Handler &handler) const;
    bool leaf_handler(Handler &handler) const;
    bool calls_untraced_only(const Body &body) const;
    bool attempt_element(const Inst &inst, const std::vector<bool> &stays) const;
    std::vector<bool> lasting_pointers(const Body &body) const;
    std::optional<Body> attempt_of(const Handler &handler) const;

    Module &module_;
    const std::string &arch_;
};

bool takes_numbers(const Function &f) {
    return std::none_of(f.params.begin(), f.params.end(),
                        [](const Param &p) { return p.value.kind == ValueKind::Pointer; });
}

// Does nothing but end the body follow?
bool is_last(const std::vector<Inst> &code, size_t i) {
    for (size_t steps = 0; ++i < code.size() && steps < code.size(); ++steps) {
        if (code[i].op == Op::Label) continue;
        if (code[i].op != Op::Jump) return false;
        const int target = code[i].target;
        const auto label = std::find_if(
            code.begin(), code.end(), [&](const Inst &inst) { return inst.op == Op::Label && inst.target == target; });
        i = static_cast<size_t>(label - code.begin());
    }
    return i >= code.size();
}

// Nothing but numbers, atomics and per-CPU statistics.
bool LeafAnalysis::leaf_body(const Body &body) const {
    if (!body.frame.empty() || body.pointers) return false;
    return std::all_of(body.code.begin(), body.code.end(), [&](const Inst &inst) {
        if (inst.op == Op::Call) return module_.functions[static_cast<size_t>(inst.index)].leaf;
        if (inst.weighted) return false;
        return facts(inst.op).numbers || facts(inst.op).shared;
    });
}

// True if the value can be read without a context: all kinds of the handler's probes have it at hand, in every hit.
bool LeafAnalysis::leaf_read(const Inst &inst, const Handler &handler) const {
    const arch::Arch *arch = arch::find(arch_);
    const auto is_in = [&](uint64_t registers) {
        return inst.index >= 0 && inst.index < 64 && (registers >> inst.index & 1);
    };
    return std::all_of(handler.attaches.begin(), handler.attaches.end(), [&](const probes::Attach &a) {
        if (inst.op == Op::HitArgument)
            return a.facts().leaf == probes::LeafForm::ARGUMENTS && inst.index < kLeafArguments;
        // The current task's registers are those of the hit where this is in a program.
        if ((inst.old && !a.facts().in_program) || !arch) return false;
        switch (a.facts().registers) {
            case probes::LeafRegisters::NONE:
                return false;
            case probes::LeafRegisters::ARGUMENTS:
                return is_in(arch->leaf_entry);
            case probes::LeafRegisters::RESULT:
                return is_in(arch->leaf_return);
            case probes::LeafRegisters::ALL:
                return is_in(arch->leaf_program);
        }
        return false;
    });
}

bool LeafAnalysis::calls_untraced_only(const Body &body) const {
    return std::all_of(body.code.begin(), body.code.end(), [&](const Inst &inst) {
        // To find a ring for a thread's first event, others are asked whether they live.
        if (inst.op == Op::Recall) return false;
        return inst.op != Op::Call || module_.functions[static_cast<size_t>(inst.index)].untraced;
    });
}

// The context keeps hits from nesting in each other without bound. So without one, the handler must not call code that
// could be probed. This script could probe it, or another one whose handlers come back to this one's probes.
bool LeafAnalysis::leaf_handler(Handler &handler) const {
    if (handler.is_entry || !handler.locks.empty() ||
        std::any_of(handler.attaches.begin(), handler.attaches.end(),
                    [](const probes::Attach &a) { return a.facts().alone; }))
        return false;
    auto reads = [](const Inst &inst) { return facts(inst.op).reads_hit; };
    Body body = handler.body;
    for (Inst &inst : body.code) {
        if (!reads(inst)) continue;
        if (!leaf_read(inst, handler)) return false;
        inst.on_error = -1;
    }
    clean_up(body);
    Body rest = body;
    std::erase_if(rest.code, reads);
    if (!leaf_body(rest)) return false;
    const bool nests = std::any_of(handler.attaches.begin(), handler.attaches.end(),
                                   [](const probes::Attach &a) { return a.facts().nests; });
    if (nests && !calls_untraced_only(rest)) return false;
    handler.body = std::move(body);
    return true;
}

void LeafAnalysis::functions() {
    std::vector<std::vector<size_t>> calls;
    for (const Function &f : module_.functions)
        calls.emplace_back(f.callees.begin(), f.callees.end());
    // Functions that call each other can fail: they are not leaves.
    for (const std::vector<size_t> &group : call_order(calls))
        for (size_t i : group) {
            Function &f = module_.functions[i];
            bool numbers = f.result == ast::Type::Long && takes_numbers(f);
            bool simple = !f.can_fail && !f.has_next && numbers;
            if (f.embedded)
                f.leaf = simple && !f.syscall_here && f.embedded->find("STAP_PRINTF") == std::string::npos &&
                         f.embedded->find("return") == std::string::npos;
            else
                f.leaf = simple && !f.pushes && leaf_body(f.body);
            if (!f.embedded) f.untraced = f.leaf && calls_untraced_only(f.body);
        }
}

void LeafAnalysis::handlers() {
    for (Handler &handler : module_.handlers)
        handler.leaf = leaf_handler(handler);
    for (Handler &handler : module_.handlers)
        if (handler.same_as >= 0 && handler.leaf != module_.handlers[static_cast<size_t>(handler.same_as)].leaf)
            handler.same_as = -1;
}

// True for `<<<` or += on an element that tapir_map_attempt_stat() or _long() can find.
bool LeafAnalysis::attempt_element(const Inst &inst, const std::vector<bool> &stays) const {
    const Global &g = module_.globals[static_cast<size_t>(inst.global)];
    if (inst.weighted || !g.stable || g.stat.variance || g.stat.sketch || inst.dst || inst.args.size() != 1)
        return false;
    const auto op = static_cast<ast::BinaryOp>(inst.detail);
    if (inst.op == Op::MapUpdate &&
        (inst.access != Access::Atomic || (op != ast::BinaryOp::Add && op != ast::BinaryOp::Sub)))
        return false;
    const Value &key = inst.args[0];
    return key.kind == ValueKind::Literal || (key.kind == ValueKind::Pointer && stays[static_cast<size_t>(key.n)]);
}

// Returns the pointers that always point at texts that stay: texts of others are copied.
std::vector<bool> LeafAnalysis::lasting_pointers(const Body &body) const {
    std::vector<bool> stays(static_cast<size_t>(body.pointers), true);
    const auto stays_there = [&](const Inst &inst) {
        if (inst.op == Op::Call) return module_.functions[static_cast<size_t>(inst.index)].borrowed;
        return inst.op == Op::Point && (inst.a.kind == ValueKind::Literal ||
                                        (inst.a.kind == ValueKind::Pointer && stays[static_cast<size_t>(inst.a.n)]));
    };
    for (bool again = true; again;) {
        again = false;
        for (const Inst &inst : body.code) {
            if (inst.dst.kind != ValueKind::Pointer || !stays[static_cast<size_t>(inst.dst.n)] || stays_there(inst))
                continue;
            stays[static_cast<size_t>(inst.dst.n)] = false;
            again = true;
        }
    }
    return stays;
}

std::optional<Body> LeafAnalysis::attempt_of(const Handler &handler) const {
    if (handler.leaf || handler.is_entry || handler.entry >= 0 || !handler.locks.empty() ||
        !handler.body.frame.empty() || module_.regex_groups)
        return {};
    Body body = handler.body;
    const std::vector<bool> stays = lasting_pointers(body);
    bool any = false;
    for (size_t i = 0; i < body.code.size(); ++i) {
        Inst &inst = body.code[i];
        switch (inst.op) {
            case Op::Call: {
                const Function &f = module_.functions[static_cast<size_t>(inst.index)];
                const bool lean = f.leaf || (f.borrowed && takes_numbers(f) && !f.can_fail && !f.has_next);
                if (!lean || !f.embedded || !f.pure) return {};
                break;
            }
            case Op::MapSample:
            case Op::MapUpdate:
                if (!attempt_element(inst, stays) || !is_last(body.code, i)) return {};
                inst.on_error = -1;
                any = true;
                break;
            case Op::Work:
                // It has no loops, so that it takes no time worth a look.
                inst = Inst{};
                inst.op = Op::Label;
                inst.target = body.labels++;
                continue;
            default:
                if (!facts(inst.op).numbers && !facts(inst.op).looks) return {};
        }
        if (inst.on_error >= 0) return {};
    }
    if (!any) return {};
    clean_up(body);
    return body;
}

// For the kinds whose probes try them.
void LeafAnalysis::attempts() {
    std::vector<Handler> &handlers = module_.handlers;
    for (Handler &handler : handlers) {
        const bool tries = std::any_of(handler.attaches.begin(), handler.attaches.end(),
                                       [](const probes::Attach &a) { return a.facts().attempts; });
        Handler &body = handler.same_as >= 0 ? handlers[static_cast<size_t>(handler.same_as)] : handler;
        if (tries && !body.attempt) body.attempt = attempt_of(handler);
    }
}

}  // namespace

void find_leaves(Module &module, const std::string &arch) {
    LeafAnalysis analysis(module, arch);
    analysis.functions();
    analysis.handlers();
    analysis.attempts();
}

}  // namespace tapir::ir
