// SPDX-License-Identifier: GPL-2.0-or-later
#include "ir/thinning.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

namespace tapir::ir {

namespace {

// A budget may leave out hits of it.
bool is_thinned(const Handler &handler) {
    return std::any_of(handler.attaches.begin(), handler.attaches.end(), [](const probes::Attach &a) {
        return !a.facts().alone && !a.facts().unattached && !a.facts().steady;
    });
}

// The bodies that run with a hit of the handler: its own, and those of the functions it calls.
class Reached {
  public:
    explicit Reached(const Module &module) : module_(module) {}

    template <typename Visit>
    void each_body(const Handler &handler, const Visit &visit) const {
        visit(handler.body);
        each_function(handler, [&](const Function &f) { visit(f.body); });
    }

    template <typename Visit>
    void each_function(const Handler &handler, const Visit &visit) const {
        std::vector<int> todo = handler.callees;
        std::set<int> seen(todo.begin(), todo.end());
        while (!todo.empty()) {
            const Function &f = module_.functions[static_cast<size_t>(todo.back())];
            todo.pop_back();
            visit(f);
            for (const int callee : f.callees)
                if (seen.insert(callee).second) todo.push_back(callee);
        }
    }

  private:
    const Module &module_;
};

// The statement n += x or a[k] += x, whose result is not looked at.
bool is_addition(const Inst &inst) {
    return (inst.op == Op::Update || inst.op == Op::MapUpdate) && !inst.dst &&
           static_cast<ast::BinaryOp>(inst.detail) == ast::BinaryOp::Add;
}

bool is_sample(const Inst &inst) {
    return inst.op == Op::Sample || inst.op == Op::MapSample;
}

class Weights {
  public:
    explicit Weights(Module &module)
        : module_(module), added_(module.globals.size()), used_otherwise_(module.globals.size()) {}

    void find() {
        const Reached reached(module_);
        for (const Handler &handler : module_.handlers) {
            if (!is_thinned(handler)) continue;
            reached.each_body(handler, [this](const Body &body) { look_at(body); });
            reached.each_function(handler, [this](const Function &f) { use(f.accessed_globals); });
        }
        for (Handler &handler : module_.handlers)
            mark(handler.body);
        for (Function &f : module_.functions)
            mark(f.body);
    }

  private:
    void use(const std::vector<int> &globals) {
        for (const int global : globals)
            used_otherwise_[static_cast<size_t>(global)] = true;
    }

    void look_at(const Body &body) {
        for (const Inst &inst : body.code) {
            if (inst.op == Op::EmbeddedStmt || inst.op == Op::EmbeddedExpr)
                use(module_.snippets[static_cast<size_t>(inst.index)].accessed_globals);
            if (inst.op == Op::SnapshotsTake)
                for (const Snapshot &snapshot : module_.snapshots[static_cast<size_t>(inst.index)])
                    used_otherwise_[static_cast<size_t>(snapshot.global)] = true;
            if (inst.global >= 0)
                (is_addition(inst) ? added_ : used_otherwise_)[static_cast<size_t>(inst.global)] = true;
        }
    }

    bool counts(int global) const {
        const auto i = static_cast<size_t>(global);
        return added_[i] && !used_otherwise_[i] && !module_.globals[i].live;
    }

    void mark(Body &body) const {
        for (Inst &inst : body.code)
            inst.weighted = is_sample(inst) || (is_addition(inst) && counts(inst.global));
    }

    Module &module_;
    std::vector<bool> added_, used_otherwise_;  // by probes that are thinned
};

// The registers of a body that always have the number of the current thread.
std::vector<bool> thread_registers(const Module &module, const Body &body) {
    std::vector<bool> is_thread(static_cast<size_t>(body.registers), true);
    std::vector<bool> is_set(is_thread.size());
    const auto gives_thread = [&](const Inst &inst) {
        if (inst.op == Op::Call) {
            const Function &f = module.functions[static_cast<size_t>(inst.index)];
            return f.embedded && f.name == "tid" && f.params.empty();
        }
        return inst.op == Op::Move && inst.a.kind == ValueKind::Reg && is_thread[static_cast<size_t>(inst.a.n)];
    };
    for (bool again = true; again;) {
        again = false;
        for (const Inst &inst : body.code)
            for (const Value &dst : {inst.dst, inst.next}) {
                if (dst.kind != ValueKind::Reg) continue;
                const auto i = static_cast<size_t>(dst.n);
                is_set[i] = true;
                if (!is_thread[i] || gives_thread(inst)) continue;
                is_thread[i] = false;
                again = true;
            }
    }
    // A parameter is set by its callers.
    for (size_t i = 0; i < is_thread.size(); ++i)
        is_thread[i] = is_thread[i] && is_set[i];
    return is_thread;
}

// How a handler uses an array.
struct Use {
    bool leaves = false;    // elements
    bool finds = false;     // what others left
    bool by_thread = true;  // only elements whose key has the current thread
    explicit operator bool() const { return leaves || finds; }
};

class Pairs {
  public:
    explicit Pairs(Module &module) : module_(module), groups_(module.handlers.size()) {
        std::iota(groups_.begin(), groups_.end(), size_t{0});
    }

    void find() {
        for (size_t global = 0; global < module_.globals.size(); ++global)
            if (!module_.globals[global].key_types.empty() && module_.globals[global].type != ast::Type::Stat)
                join(static_cast<int>(global));
        number();
    }

  private:
    Use use_of(const Handler &handler, int global) const;
    void join(int global);
    void number();
    size_t group(size_t i) const {
        while (groups_[i] != i)
            i = groups_[i];
        return i;
    }

    Module &module_;
    std::vector<size_t> groups_;  // by handler: another one of its group; itself: it is the group's
    std::set<size_t> paired_;
};

Use Pairs::use_of(const Handler &handler, int global) const {
    Use use;
    const Reached reached(module_);
    reached.each_body(handler, [&](const Body &body) {
        std::optional<std::vector<bool>> is_thread;
        for (const Inst &inst : body.code) {
            if (inst.global != global) continue;
            if (!is_thread) is_thread = thread_registers(module_, body);
            const bool leaves = inst.op == Op::MapSet || is_addition(inst);
            (leaves ? use.leaves : use.finds) = true;
            use.by_thread &= std::any_of(inst.args.begin(), inst.args.end(), [&](const Value &key) {
                return key.kind == ValueKind::Reg && (*is_thread)[static_cast<size_t>(key.n)];
            });
        }
    });
    return use;
}

void Pairs::join(int global) {
    std::vector<size_t> users;
    bool is_left = false, is_found = false;
    for (size_t i = 0; i < module_.handlers.size(); ++i) {
        const Handler &handler = module_.handlers[i];
        if (!is_thinned(handler)) continue;
        const Use use = use_of(handler, global);
        if (!use) continue;
        // The two sides of one call are kept together in another way.
        if (!use.by_thread || handler.is_entry || handler.entry >= 0) return;
        users.push_back(i);
        // One that stores under a condition of its own leaves nothing while that is false: others must not wait for it.
        is_left |= !use.finds && handler.condition < 0;
        is_found |= use.finds;
    }
    if (!is_left || !is_found) return;
    for (const size_t i : users) {
        groups_[group(i)] = group(users.front());
        paired_.insert(i);
        module_.handlers[i].follows |= use_of(module_.handlers[i], global).finds;
    }
}

// More groups than numbers are left as they are.
void Pairs::number() {
    constexpr int kMost = std::numeric_limits<uint8_t>::max();
    std::map<size_t, int> numbers;
    for (const size_t i : paired_) {
        const int next = static_cast<int>(numbers.size()) + 1;
        const int number = numbers.try_emplace(group(i), next).first->second;
        module_.handlers[i].pair = number <= kMost ? number : 0;
        module_.handlers[i].follows &= number <= kMost;
    }
}

}  // namespace

void find_weights(Module &module) {
    module.weighted = true;
    Weights(module).find();
}

void find_pairs(Module &module) {
    Pairs(module).find();
}

}  // namespace tapir::ir
