// SPDX-License-Identifier: GPL-2.0-or-later
// Scopes from DWARF.
#include <algorithm>
#include <tuple>

#include "dwarf/first_instruction.h"
#include "names/qualified_name.h"
#include "target/debug_info.h"
#include "target/entry_arguments.h"
#include "target/go_calls.h"
#include "target/integers.h"
#include "target/program_data.h"

namespace tapir::target {

namespace {

class WholeScope : public Scope {
  public:
    explicit WholeScope(const DebugObject &object) : object_(object) { object.used = true; }

    std::vector<Variable> variables() const override { return {}; }

    // "name" or "name@file": an external definition first, else the first in the shortest path that matches.
    std::optional<Variable> find(std::string_view text) const override {
        const size_t at = text.find('@');
        const std::string_view file = at == std::string_view::npos ? "" : text.substr(at + 1);
        const NamePattern pattern(text.substr(0, at));
        const dwarf::VariableEntry *best = nullptr;
        std::tuple<bool, size_t, size_t, bool> best_rank;
        for (const dwarf::VariableEntry &entry : object_.index->variables(pattern.last())) {
            const std::string_view unit = unit_name(entry.home);
            const std::vector<std::string_view> parts = object_.index->parts(entry.scope, entry.name);
            if (!file.empty() && !dwarf::file_matches(unit, file)) continue;
            if (!object_.index->matches(pattern, entry.scope, entry.name, NamePattern::Mode::Exact)) continue;
            const std::tuple rank((entry.flags & dwarf::kVariableDeclared) != 0, parts.size(),
                                  file.empty() ? 0 : unit.size(), !(entry.flags & dwarf::kVariableExternal));
            if (best && rank >= best_rank) continue;
            best = &entry;
            best_rank = rank;
        }
        if (!best) return file.empty() ? std::nullopt : find_function_static(text.substr(0, at), file);
        dwarf::CodeSite nowhere;
        nowhere.unit = best->unit;
        Variable found = variable({std::string(text.substr(0, at)), best->die, false, true}, nowhere);
        // Another object may define a variable that is only declared here.
        if ((best->flags & dwarf::kVariableDeclared) && found.place.kind == ctypes::Place::Kind::Absent)
            return std::nullopt;
        return found;
    }

    std::optional<ctypes::Type> result() const override { return std::nullopt; }

    std::optional<ctypes::Type> find_type(std::string_view name) const override {
        if (auto id = object_.types->find_type(name)) return ctypes::Type{object_.types.get(), *id};
        return std::nullopt;
    }

    ctypes::Place measure(const ctypes::Type &type) const override { return measure_at(type, {}); }

    std::optional<int64_t> find_enumerator(std::string_view name) const override {
        const NamePattern pattern(name);
        for (const dwarf::EnumeratorEntry &entry : object_.index->enumerators(pattern.last())) {
            if (object_.index->matches(pattern, entry.scope, entry.name, NamePattern::Mode::Exact)) return entry.value;
            std::vector<std::string_view> parts = object_.index->parts(entry.scope, entry.name);
            // "ns::RED" of an unscoped enum in ns.
            if (parts.size() > 1) parts.erase(parts.end() - 2);
            if (pattern.matches(parts, NamePattern::Mode::Exact)) return entry.value;
        }
        return std::nullopt;
    }

    std::optional<Anchor> anchor(uint64_t linked_address) const override { return object_.anchor(linked_address); }
    ThreadBlock thread_block() const override { return find_thread_block(object_); }
    std::string source() const override { return "DWARF of " + object_.object->debug_file(); }
    std::string module() const override { return object_.module; }
    // Headers of programs are named without "kernel".
    bool user() const override { return object_.program.has_value() || object_.module.starts_with('<'); }

  private:
    // In the shortest path that matches and has one.
    std::optional<Variable> find_function_static(std::string_view name, std::string_view file) const {
        std::optional<Variable> found;
        size_t length = 0;
        for (uint32_t unit = 0; unit < object_.index->units().size(); ++unit) {
            const std::string_view path = unit_name(unit);
            if (!dwarf::file_matches(path, file) || (found && path.size() >= length)) continue;
            const auto variable_of_function = dwarf::find_function_static(*object_.object, *object_.index, unit, name);
            if (!variable_of_function) continue;
            found = variable(*variable_of_function, {});
            length = path.size();
        }
        return found;
    }

  protected:
    Variable variable(const dwarf::ScopeVariable &found, const dwarf::CodeSite &site) const {
        return {found.name, dwarf::type_of_variable(*object_.object, *object_.types, found),
                dwarf::place_of_variable(*object_.object, *object_.index, site, found), found.parameter, found.global};
    }

    ctypes::Place measure_at(const ctypes::Type &type, const dwarf::CodeSite &site) const {
        if (type.source != object_.types.get()) return Scope::measure(type);
        return dwarf::measure_at(*object_.object, *object_.index, *object_.types, site, type.id);
    }

    std::string_view unit_name(uint32_t unit) const {
        return unit < object_.index->units().size() ? object_.index->text(object_.index->units()[unit].name) : "";
    }

    const DebugObject &object_;
};

class SiteScope : public WholeScope {
  public:
    SiteScope(const DebugObject &object, dwarf::CodeSite site) : WholeScope(object), site_(std::move(site)) {}

    std::vector<Variable> variables() const override {
        std::vector<Variable> parameters, locals;
        for (const dwarf::ScopeVariable &found : dwarf::variables_at(*object_.object, site_))
            (found.parameter ? parameters : locals).push_back(variable(found));
        parameters.insert(parameters.end(), locals.begin(), locals.end());
        return parameters;
    }

    std::optional<Variable> find(std::string_view name) const override {
        const auto found = dwarf::find_variable(*object_.object, *object_.index, site_, name);
        return found ? std::optional(variable(*found)) : std::nullopt;
    }

    std::string readable_at(std::string_view name) const override {
        constexpr size_t kMostRanges = 6;
        const auto found = dwarf::find_variable(*object_.object, *object_.index, site_, name);
        // Go's debug information describes lost values as if they were there.
        if (!found || found->global || is_go(object_, site_)) return {};
        const std::set<int> lines = dwarf::readable_lines(*object_.object, *object_.index, site_, *found);
        if (lines.empty()) return "it can be read nowhere in the function";
        std::string text =
            "lines of " + std::string(dwarf::shown_file(*object_.index, site_.file)) + " where it can be read: ";
        size_t ranges = 0;
        for (auto first = lines.begin(), after = first; first != lines.end(); first = after) {
            int last = *first;
            for (after = std::next(first); after != lines.end() && *after == last + 1; ++after)
                ++last;
            if (ranges == kMostRanges) return text + ", ...";
            text += (ranges++ ? ", " : "") + std::to_string(*first);
            if (last != *first) text += "-" + std::to_string(last);
        }
        return text;
    }

    std::optional<Variable> find_global(std::string_view name) const override {
        if (auto near = find(name)) return near;
        return WholeScope::find(name);
    }

    ctypes::Place measure(const ctypes::Type &type) const override { return measure_at(type, site_); }

    std::optional<ctypes::Type> result() const override {
        const std::vector<Variable> several = results();
        return several.empty() ? dwarf::return_type(*object_.object, *object_.types, site_) : several.front().type;
    }

    std::vector<Variable> results() const override {
        return is_go(object_, site_) ? go_function_results(object_, site_) : std::vector<Variable>();
    }

    std::optional<ctypes::Type> find_type(std::string_view name) const override {
        Dwarf_Die unit;
        if (const auto id = object_.types->find_type_from(name, site_.name))
            return ctypes::Type{object_.types.get(), *id};
        if (site_.unit < object_.index->units().size() &&
            object_.object->die_at(object_.index->units()[site_.unit].die, unit))
            if (auto id = object_.types->find_type(name, unit)) return ctypes::Type{object_.types.get(), *id};
        return WholeScope::find_type(name);
    }

    std::optional<uint64_t> behind_prologue() const override {
        const auto behind = wants_frame_ ? target::behind_prologue(object_, site_) : std::nullopt;
        return behind ? std::optional(behind->pc - site_.pc) : std::nullopt;
    }

    void move_behind_prologue() const override {
        if (const auto behind = target::behind_prologue(object_, site_)) site_ = *behind;
        wants_frame_ = false;
    }

  private:
    Variable variable(const dwarf::ScopeVariable &found) const {
        Variable known = WholeScope::variable(found, site_);
        if (is_go(object_, site_)) known.place = with_gaps(std::move(known.place), known.type);
        refuse_unsaved(known.place);
        if (found.parameter && site_.at_entry)
            passed(found, known.place);
        else if (found.parameter && known.place.kind == ctypes::Place::Kind::Memory && is_address_on_stack(found))
            known.place.term = ctypes::load_term(8, known.place.term);
        if (found.parameter && is_go(object_, site_)) refuse_lost(object_, site_, known.place);
        if (site_.at_entry && site_.call && !site_.jump) known.place = before_call(object_, known.place);
        return known;
    }

    bool is_address_on_stack(const dwarf::ScopeVariable &parameter) const {
        const dwarf::FunctionEntry *function = dwarf::function_of(*object_.index, site_);
        if (!function) return false;
        dwarf::CodeSite entry = site_;
        entry.pc = function->entry;
        entry.at_entry = true;
        return target::is_address_on_stack(object_, entry, parameter);
    }

    // Marks values in registers that hits do not save as absent.
    void refuse_unsaved(ctypes::Place &place) const {
        for (ctypes::Piece &piece : place.pieces)
            refuse_unsaved(piece.place);
        const arch::Arch *arch = dwarf::arch_of(*object_.object);
        if (place.kind != ctypes::Place::Kind::Register || place.term->op != ctypes::TermOp::Register || !arch) return;
        const int64_t number = place.term->constant, first = arch->arguments.first_vector;
        const bool vector = first && number >= first && number < first + static_cast<int64_t>(arch->vector_registers);
        if (number < static_cast<int64_t>(arch->saved_registers) || (vector && object_.program)) return;
        place = ctypes::absent("it is in a register that hits do not save");
    }

    // Where the ABI has a parameter that the debug information does not have right at the function's first instruction.
    void passed(const dwarf::ScopeVariable &parameter, ctypes::Place &place) const {
        if (!arguments_) arguments_ = entry_arguments(object_, site_);
        const auto parameters = dwarf::parameters_of(*object_.object, site_);
        for (size_t i = 0; i < arguments_->size(); ++i) {
            if (parameters[i].die != parameter.die) continue;
            if ((*arguments_)[i].kind != ctypes::Place::Kind::Absent)
                place = (*arguments_)[i];
            else if (place.later && (*arguments_)[i].why != place.why)
                place.why = (*arguments_)[i].why + ", and " + place.why;
        }
        wants_frame_ |= place.later && site_.movable;
    }

    mutable dwarf::CodeSite site_;
    mutable bool wants_frame_ = false;                             // of the function, for something that was asked for
    mutable std::optional<std::vector<ctypes::Place>> arguments_;  // when first asked for
};

class UnknownPlace : public WholeScope {
  public:
    UnknownPlace(const DebugObject &object, std::string why) : WholeScope(object), why_(std::move(why)) {}

    std::optional<Variable> find(std::string_view) const override { return std::nullopt; }
    std::optional<Variable> find_global(std::string_view name) const override { return WholeScope::find(name); }
    std::string missing() const override { return why_; }

  private:
    std::string why_;
};

// The scope of a program without debug information: variables by their symbols, which have a size and no type.
class ProgramScope : public Scope {
  public:
    explicit ProgramScope(const DebugObject &object) : object_(object) {}

    std::vector<Variable> variables() const override { return {}; }
    std::optional<Variable> find(std::string_view) const override { return std::nullopt; }
    std::optional<Variable> find_global(std::string_view name) const override {
        std::string why;
        const auto data = find_program_data(object_, name, why);
        if (!data) return std::nullopt;
        Variable found{std::string(name), {}, {}, false, true};
        const auto bytes = static_cast<uint32_t>(std::min<uint64_t>(data->size, kLargestInteger));
        found.type = {&Integers::all(), Integers::id(bytes, false)};
        found.place.kind = ctypes::Place::Kind::Memory;
        found.place.term = ctypes::relocated_term(data->address);
        return found;
    }
    std::optional<ctypes::Type> result() const override { return std::nullopt; }
    std::optional<ctypes::Type> find_type(std::string_view) const override { return std::nullopt; }
    std::optional<int64_t> find_enumerator(std::string_view) const override { return std::nullopt; }
    std::optional<Anchor> anchor(uint64_t linked_address) const override { return object_.anchor(linked_address); }
    std::string source() const override { return "symbols of " + object_.module; }
    std::string missing() const override { return missing_debug_information(object_); }
    std::string module() const override { return object_.module; }
    bool user() const override { return true; }

  private:
    static constexpr uint64_t kLargestInteger = 64;  // larger variables have an address only

    const DebugObject &object_;
};

}  // namespace

std::unique_ptr<Scope> make_scope(const DebugObject &object, std::string why_nothing) {
    return std::make_unique<UnknownPlace>(object, std::move(why_nothing));
}

std::unique_ptr<Scope> make_scope(const DebugObject &object, dwarf::CodeSite site) {
    return std::make_unique<SiteScope>(object, std::move(site));
}

std::string missing_debug_information(const DebugObject &program) {
    const std::string &build_id = program.object->build_id(), &problem = program.object->debug_problem();
    if (!problem.empty()) return problem;
    return program.module + " has no debug information" +
           (build_id.empty()
                ? "; compile it with -g"
                : " (build-id " + build_id + "); compile it with -g, or get its debug package: 'stap-prep " +
                      program.module + "' names it");
}

std::unique_ptr<Scope> make_program_scope(const DebugObject &object) {
    return std::make_unique<ProgramScope>(object);
}

std::unique_ptr<Scope> make_scope(const DebugObject &object) {
    return std::make_unique<WholeScope>(object);
}

}  // namespace tapir::target
