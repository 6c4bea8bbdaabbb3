// SPDX-License-Identifier: GPL-2.0-or-later
// The scope of a tracepoint. The kernel has a function for each, __traceiter_NAME, that calls the tracepoint's probes:
// its parameters, after a pointer, are the tracepoint's arguments. Its description in BTF or DWARF gives their names
// and types.
#include <utility>

#include "target/debug_info.h"

namespace tapir::target {

namespace {

constexpr std::string_view kCaller = "__traceiter_";
constexpr uint64_t kArgumentBytes = 8;

class TracepointScope : public Scope {
  public:
    TracepointScope(std::unique_ptr<Scope> caller, Tracepoint tracepoint)
        : caller_(std::move(caller)), tracepoint_(std::move(tracepoint)) {
        int64_t number = 0;
        bool first = true;  // the pointer
        bool plain = true;
        for (Variable variable : caller_->variables()) {
            if (!variable.parameter || std::exchange(first, false)) continue;
            // A structure takes more than one place, or another kind of it, and so do all after it then.
            const ctypes::TypeKind kind = variable.type.stripped().info().kind;
            const auto size = ctypes::type_size(variable.type);
            plain &= (kind == ctypes::TypeKind::Integer || kind == ctypes::TypeKind::Pointer ||
                      kind == ctypes::TypeKind::Enum) &&
                     size && *size <= kArgumentBytes;
            variable.place = {};
            if (plain) {
                variable.place.kind = ctypes::Place::Kind::Value;
                variable.place.term = ctypes::argument_term(number++);
            } else {
                variable.place = ctypes::absent("it, or an argument before it, is handed over as a structure");
            }
            variables_.push_back(std::move(variable));
        }
    }

    std::vector<Variable> variables() const override { return variables_; }
    std::optional<Variable> find(std::string_view name) const override { return find_variable(variables_, name); }
    std::optional<ctypes::Type> result() const override { return std::nullopt; }
    std::optional<ctypes::Type> find_type(std::string_view name) const override { return caller_->find_type(name); }
    std::optional<int64_t> find_enumerator(std::string_view name) const override {
        return caller_->find_enumerator(name);
    }
    std::optional<Anchor> anchor(uint64_t linked_address) const override { return caller_->anchor(linked_address); }
    ctypes::Place measure(const ctypes::Type &type) const override { return caller_->measure(type); }
    std::string source() const override { return caller_->source(); }
    std::string module() const override { return caller_->module(); }
    std::string probe_name() const override { return tracepoint_.name; }
    std::optional<std::string> probe_system() const override { return tracepoint_.system; }

  private:
    std::unique_ptr<Scope> caller_;
    Tracepoint tracepoint_;
    std::vector<Variable> variables_;
};

}  // namespace

const std::vector<Tracepoint> &DebugInfo::tracepoints(const std::string &module) const {
    const auto [known, is_new] = tracepoints_.try_emplace(module);
    if (!is_new) return known->second;
    std::vector<std::string> names;
    if (const BtfObject *object = btf(module)) {
        names = object->types->functions_with_prefix(kCaller);
    } else if (const DebugObject *debug = module.empty() ? kernel() : this->module(module)) {
        dwarf::FunctionPattern pattern;
        pattern.function = std::string(kCaller) + "*";
        for (const dwarf::CodeSite &site : dwarf::find_functions(*debug->object, *debug->index, pattern, {}))
            names.push_back(site.name.substr(kCaller.size()));
    }
    known->second =
        find_systems(std::move(names), {sources_.release, sources_.root, sources_.build_dir, sources_.running});
    for (Tracepoint &tracepoint : known->second) {
        tracepoint.module = module;
        if (tracepoint.system.empty()) tracepoint.system = module;
    }
    return known->second;
}

std::unique_ptr<Scope> DebugInfo::tracepoint_scope(const Tracepoint &tracepoint) const {
    const std::string caller = std::string(kCaller) + tracepoint.name;
    if (auto scope = entry_scope(caller, tracepoint.module))
        return std::make_unique<TracepointScope>(std::move(scope), tracepoint);
    const DebugObject *debug = tracepoint.module.empty() ? kernel() : module(tracepoint.module);
    if (!debug) return nullptr;
    dwarf::FunctionPattern pattern;
    pattern.function = caller;
    for (const dwarf::CodeSite &site : dwarf::find_functions(*debug->object, *debug->index, pattern, {}))
        return std::make_unique<TracepointScope>(make_scope(*debug, site), tracepoint);
    return nullptr;
}

}  // namespace tapir::target
