// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/targets.h"

#include <algorithm>
#include <iterator>

#include "arch/arch.h"
#include "ast/walk.h"
#include "resolve/pretty.h"
#include "target/calling_convention.h"

namespace tapir::resolve {

using ast::ExprKind;
using ast::ExprPtr;
using ctypes::Type;
using ctypes::TypeKind;

namespace {

const arch::Arch &machine_of(const target::DebugInfo *debug) {
    const arch::Arch *arch = debug ? arch::find(debug->arch()) : nullptr;
    return arch ? *arch : arch::host();
}

bool has_pretty(const std::vector<ast::Component> &components) {
    return !components.empty() && components.back().kind == ast::Component::Kind::Pretty;
}

std::vector<ast::Component> *components_of(ast::Expr &expr) {
    switch (expr.kind) {
        case ExprKind::Target:
            return &static_cast<ast::Target &>(expr).components;
        case ExprKind::Cast:
            return &static_cast<ast::Cast &>(expr).components;
        case ExprKind::AtVar:
            return &static_cast<ast::AtVar &>(expr).components;
        default:
            return nullptr;
    }
}

bool is_address_of(const ast::Expr &expr) {
    switch (expr.kind) {
        case ExprKind::Target:
            return static_cast<const ast::Target &>(expr).address_of;
        case ExprKind::Cast:
            return static_cast<const ast::Cast &>(expr).address_of;
        case ExprKind::AtVar:
            return static_cast<const ast::AtVar &>(expr).address_of;
        default:
            return false;
    }
}

// Follows the components of an expression from the object that it begins with.
bool walk(const ast::Expr &expr, std::vector<ast::Component> &components, Reached &object, Accessor &accessor) {
    // @cast(p, "t")[i] is ((t *)p)[i]: the pointer itself is indexed.
    const bool indexes_pointer = expr.kind == ExprKind::Cast && object.address && !components.empty() &&
                                 components.front().kind == ast::Component::Kind::Index &&
                                 object.type.stripped().info().kind != TypeKind::Array;
    return follow(accessor, object, components, indexes_pointer);
}

}  // namespace

std::nullptr_t TargetResolver::fail(const SourceRef &at, std::string message) {
    problem_ = {std::move(message), at, {}, {}, {}};
    return nullptr;
}

std::string TargetResolver::no_scope() const {
    if (!place_.is_code) return "there are no target variables at this kind of probe";
    return "what is at this place is not known: " +
           (place_.debug ? place_.debug->missing() : "there is no debug information");
}

bool TargetResolver::is_return_value(const ast::Expr &expr) const {
    if (expr.kind != ExprKind::Target) return false;
    const std::string_view name = static_cast<const ast::Target &>(expr).name;
    return name == "$return" || (place_.scope && target::find_variable(place_.scope->results(), name.substr(1)));
}

std::vector<const target::Scope *> TargetResolver::scopes(const std::string &modules) {
    std::vector<const target::Scope *> found;
    if (modules.empty()) {
        if (place_.scope) found.push_back(place_.scope);
        // If a program lacks a name, the kernel's of the same name is not meant.
        if (is_in_program()) return found;
        if (auto kernel = place_.debug ? place_.debug->whole_scope() : nullptr) {
            owned_.push_back(std::move(kernel));
            found.push_back(owned_.back().get());
        }
        return found;
    }
    for (size_t at = 0; at <= modules.size();) {
        const size_t end = std::min(modules.find(':', at), modules.size());
        const std::string name = modules.substr(at, end - at);
        at = end + 1;
        auto whole = place_.debug ? place_.debug->whole_scope(name) : nullptr;
        if (!whole) continue;
        owned_.push_back(std::move(whole));
        found.push_back(owned_.back().get());
    }
    return found;
}

std::optional<Reached> TargetResolver::reach_result(const ast::Target &expr, Accessor &accessor) {
    const std::optional<Type> type = place_.scope->result();
    if (!type || type->stripped().info().kind == TypeKind::Void) {
        fail(expr.at, type ? "the function returns nothing, there is no $return"
                           : "what the function returns is not known here");
        return std::nullopt;
    }
    const std::vector<target::Variable> results = place_.scope->results();
    const ctypes::Place place =
        results.empty() ? target::result_place(place_.debug ? place_.debug->arch() : "", *type) : results.front().place;
    auto result = place.kind == ctypes::Place::Kind::Absent ? std::nullopt : accessor.start(*type, place, "return");
    if (!result)
        fail(expr.at, "a result of type '" + ctypes::type_name(*type) +
                          "' cannot be read: " + (place.why.empty() ? problem_.message : place.why));
    return result;
}

std::nullptr_t TargetResolver::fail_unknown(const ast::Target &expr) {
    std::string names;
    for (const target::Variable &other : place_.scope->variables())
        if (!other.name.empty()) names += (names.empty() ? "$" : ", $") + other.name;
    if (place_.at_return && place_.scope->result()) names += names.empty() ? "$return" : ", $return";
    return fail(expr.at, "unable to find local '" + expr.name.substr(1) + "'" +
                             (names.empty() ? "" : " (alternatives: " + names + ")") +
                             (place_.scope->missing().empty() ? "" : "; " + place_.scope->missing()));
}

std::optional<Reached> TargetResolver::reach_variable(ast::Target &expr, std::unique_ptr<Accessor> &accessor) {
    const target::Scope *scope = place_.scope;
    const std::string name = expr.name.substr(1);
    if (!scope) {
        fail(expr.at, no_scope());
        if (!place_.is_code)
            problem_.help = "probes of code have them: kernel.function(\"NAME\"), process(\"PATH\").function(\"NAME\")";
        return std::nullopt;
    }
    accessor = std::make_unique<Accessor>(scope, scope->user(), expr.at, problem_);
    if (name == "return" && place_.at_return) return reach_result(expr, *accessor);
    auto variable = place_.at_return && !entering_ ? target::find_variable(scope->results(), name) : std::nullopt;
    if (!variable) variable = scope->find(name);
    if (name == "return" && !variable) {
        fail(expr.at, "$return is available only in .return probes");
        return std::nullopt;
    }
    if (!variable) {
        fail_unknown(expr);
        if (!scope->missing().empty()) problem_.help = "see [man error::dwarf]";
        suggest(target::NameKind::Enumerator, name, "", "$");
        return std::nullopt;
    }
    return accessor->start(variable->type, variable->place, name);
}

// Returns why neither the kernel nor, for a process, its program is there.
std::string TargetResolver::why_no_default(const std::string &modules) const {
    if (!place_.debug) return "";
    const target::Subject &subject = place_.debug->subject();
    if (subject.has_kernel()) return place_.debug->missing();
    std::string why;
    if (modules.empty()) subject.program(why);
    return why.empty() ? "nothing of the kernel is looked at" : why;
}

// Returns where a name was looked for, why it is not there, and what to write instead.
std::string TargetResolver::not_there(const std::string &modules,
                                      const std::function<bool(const target::Scope &)> &has) {
    std::string text = modules.empty() ? "" : " in '" + modules + "'";
    if (!modules.empty() || !is_in_program()) {
        const std::string module = modules == "kernel" ? "" : modules.substr(0, modules.find(':'));
        const std::vector<const target::Scope *> found = scopes(modules);
        const std::string why = !found.empty()   ? found.front()->missing()
                                : module.empty() ? why_no_default(modules)
                                : place_.debug   ? place_.debug->missing(module)
                                                 : "";
        return text + (why.empty() ? "" : ": " + why);
    }
    const std::string why = place_.scope ? place_.scope->missing() : "the program is not known";
    text = place_.scope ? " in " + place_.scope->module() : "";
    if (!why.empty()) text += ": " + why;
    const auto kernel = place_.debug ? place_.debug->whole_scope("kernel") : nullptr;
    return text + (kernel && has(*kernel) ? "; the kernel's is meant by the module \"kernel\"" : "");
}

std::optional<Reached> TargetResolver::reach_cast(ast::Cast &expr, std::unique_ptr<Accessor> &accessor) {
    std::string name = expr.type_name;
    for (const target::Scope *scope : scopes(expr.module)) {
        std::optional<Type> type = scope->find_type(name);
        if (!type) type = scope->find_type(ctypes::integer_name(name));
        // "T*" is accepted for its pointee: the operand is a pointer in any case.
        while (!type && !name.empty() && (name.back() == '*' || name.back() == ' ')) {
            name.pop_back();
            type = scope->find_type(name);
            if (!type) type = scope->find_type(ctypes::integer_name(name));
        }
        if (!type) {
            name = expr.type_name;
            continue;
        }
        accessor = std::make_unique<Accessor>(scope, scope->user(), expr.at, problem_);
        return accessor->at_pointer(*type, std::move(expr.operand));
    }
    fail(expr.at, "type '" + expr.type_name + "' not found" + not_there(expr.module, [&](const target::Scope &scope) {
                      return scope.find_type(expr.type_name) || scope.find_type(ctypes::integer_name(expr.type_name));
                  }));
    suggest(target::NameKind::Type, expr.type_name, expr.module);
    return std::nullopt;
}

std::optional<Reached> TargetResolver::reach_global(ast::AtVar &expr, std::unique_ptr<Accessor> &accessor) {
    for (const target::Scope *scope : scopes(expr.module)) {
        const auto variable = scope->find_global(expr.name);
        if (!variable) continue;
        accessor = std::make_unique<Accessor>(scope, scope->user(), expr.at, problem_);
        return accessor->start(variable->type, variable->place, expr.name);
    }
    fail(expr.at, "unable to find global '" + expr.name + "'" + not_there(expr.module, [&](const target::Scope &scope) {
                      return scope.find_global(expr.name).has_value();
                  }));
    suggest(target::NameKind::Variable, expr.name, expr.module);
    return std::nullopt;
}

std::optional<Reached> TargetResolver::reach(ast::Expr &expr, std::unique_ptr<Accessor> &accessor) {
    switch (expr.kind) {
        case ExprKind::Target:
            return reach_variable(static_cast<ast::Target &>(expr), accessor);
        case ExprKind::Cast:
            return is_untyped(expr) ? reach_typed(static_cast<ast::Cast &>(expr), accessor)
                                    : reach_cast(static_cast<ast::Cast &>(expr), accessor);
        default:
            return reach_global(static_cast<ast::AtVar &>(expr), accessor);
    }
}

ExprPtr TargetResolver::finish(ast::Expr &expr, std::vector<ast::Component> &components, bool address_of,
                               Reached object, Accessor &accessor) {
    const int pretty_depth = has_pretty(components) ? components.back().pretty_depth : 0;
    if (pretty_depth) components.pop_back();
    if (!walk(expr, components, object, accessor)) return nullptr;
    if (pretty_depth)
        return pretty(std::move(object), pretty_depth > 1, accessor.user(), accessor.scope(), expr.at,
                      *place_.synthesis);
    // @cast(p, "t") alone is p itself with a type. A structure has no value, except one that is passed by its address.
    const Type type = object.type;
    const TypeKind kind = type.stripped().info().kind;
    const bool structure = kind == TypeKind::Struct || kind == TypeKind::Union;
    const bool whole_cast = expr.kind == ExprKind::Cast && components.empty() && object.address;
    const bool is_address = whole_cast || address_of || kind == TypeKind::Array ||
                            (structure && object.address && object.by_reference && !object.bit_size);
    ExprPtr value = whole_cast && object.address            ? std::move(object.address)
                    : is_address && kind != TypeKind::Array ? accessor.address(std::move(object))
                                                            : accessor.value(std::move(object));
    if (!value) return nullptr;
    // Expressions that pass on other types need a node of their own for this one: the first member of a structure has
    // the structure's address.
    const bool carrier = value->kind == ExprKind::VarRef || value->kind == ExprKind::Assign ||
                         value->kind == ExprKind::Ternary || value->kind == ExprKind::Call;
    if ((whole_cast && value->kind != ExprKind::Number) || (is_address && carrier))
        value = std::make_unique<ast::Unary>(expr.at, ast::UnaryOp::Plus, std::move(value));
    value->target_type = place_.types->of(type, is_address, accessor.user());
    return value;
}

// Keeps a value of the entry for the return: the same value is kept once.
ExprPtr TargetResolver::save(const SourceRef &at, ExprPtr value) {
    EntrySaves &saves = *place_.saves;
    bool names = false;  // anything of the script
    ast::each_expr(*value,
                   [&](const ast::Expr &e) { names |= e.kind == ExprKind::VarRef || e.kind == ExprKind::Call; });
    const std::string seen_from = names ? "\n" + std::to_string(reinterpret_cast<uintptr_t>(place_.file)) : "";
    const std::string text = ast::print(*value) + seen_from;
    const auto known = std::find(saves.texts.begin(), saves.texts.end(), text);
    ast::Variable *variable = nullptr;
    if (known != saves.texts.end()) {
        variable = saves.saves[static_cast<size_t>(known - saves.texts.begin())].variable;
    } else {
        auto fresh = std::make_unique<ast::Variable>();
        fresh->name = fresh->unique_name = "@entry" + std::to_string(saves.saves.size());
        fresh->at = at;
        fresh->scope = ast::Variable::Scope::Saved;
        fresh->arity = 0;
        fresh->is_read = fresh->is_written = true;
        fresh->target_type = value->target_type;
        variable = fresh.get();
        saves.variables->push_back(std::move(fresh));
        saves.saves.push_back({variable, std::move(value), place_.file});
        saves.texts.push_back(text);
    }
    auto ref = std::make_unique<ast::VarRef>(at, variable->name);
    ref->variable = variable;
    return ref;
}

// A local variable of the handler in an expression, or null.
const ast::VarRef *TargetResolver::local_in(const ast::Expr &expr) const {
    const ast::VarRef *found = nullptr;
    if (!place_.is_local) return found;
    ast::each_expr(expr, [&](const ast::Expr &e) {
        if (found || e.kind != ExprKind::VarRef) return;
        const auto &ref = static_cast<const ast::VarRef &>(e);
        if (!ref.variable && place_.is_local(ref.name)) found = &ref;
    });
    return found;
}

// A variable at a return: its value at the entry, up to the first index that only the return knows.
ExprPtr TargetResolver::saved_variable(ast::Target &expr) {
    size_t count = 0;
    while (count < expr.components.size() && !(expr.components[count].index && local_in(*expr.components[count].index)))
        ++count;
    if (count < expr.components.size()) return from_entry(expr, count);
    entering_ = true;
    ExprPtr value = read(expr);
    entering_ = false;
    if (!value || value->kind == ExprKind::Number) return value;  // an enumerator
    return save(expr.at, std::move(value));
}

// An array or pointer of the entry, reached by `count` components; the rest, an index first, is followed at the return.
ExprPtr TargetResolver::from_entry(ast::Target &expr, size_t count) {
    const auto middle = expr.components.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<ast::Component> rest(std::make_move_iterator(middle), std::make_move_iterator(expr.components.end()));
    expr.components.resize(count);
    std::unique_ptr<Accessor> accessor;
    std::optional<Reached> object = reach(expr, accessor);
    if (!object || !walk(expr, expr.components, *object, *accessor)) return nullptr;
    Reached at_return;
    at_return.type = object->type;
    ExprPtr value = accessor->value(std::move(*object));
    if (!value) return nullptr;
    const bool is_array = at_return.type.stripped().info().kind == TypeKind::Array;
    (is_array ? at_return.address : at_return.value) = save(expr.at, std::move(value));
    return finish(expr, rest, expr.address_of, std::move(at_return), *accessor);
}

// $$name, $$system, $$provider.
ExprPtr TargetResolver::name_of(const ast::Target &expr) {
    if (!expr.components.empty() || expr.address_of)
        return fail(expr.at, expr.name + " is a text, which has no members, elements or address");
    if (expr.name == "$$provider") {
        const std::optional<std::string> provider = place_.scope ? place_.scope->probe_provider() : std::nullopt;
        if (!provider) return fail(expr.at, "$$provider is available only in mark probes");
        return std::make_unique<ast::String>(expr.at, *provider);
    }
    if (expr.name == "$$system") {
        const std::optional<std::string> system = place_.scope ? place_.scope->probe_system() : std::nullopt;
        if (!system) return fail(expr.at, "$$system is available only in tracepoint probes");
        return std::make_unique<ast::String>(expr.at, *system);
    }
    const std::string name = place_.scope ? place_.scope->probe_name() : "";
    if (name.empty()) return fail(expr.at, "$$name is available only in mark, tracepoint and PLT probes");
    return std::make_unique<ast::String>(expr.at, name);
}

// "a=0x1 b=?"
// { try { return VALUE } catch { return "?" } }: frames of what stands still have registers that are lost, and memory
// that was never written to the core.
static ExprPtr shown_if_known(ExprPtr value, bool is_text, Synthesis &synthesis) {
    const SourceRef at = value->at;
    if (!is_text) {
        FormatBuilder number(at);
        number.value(ast::FormatPiece::Conv::HexLower, std::move(value), ast::FormatPiece::Flag::Alternate);
        value = number.build();
    }
    auto result = std::make_unique<ast::Return>(at), instead = std::make_unique<ast::Return>(at);
    result->value = std::move(value);
    instead->value = std::make_unique<ast::String>(at, "?");
    auto attempt = std::make_unique<ast::Try>(at);
    attempt->body = std::move(result);
    attempt->handler = std::move(instead);
    auto body = std::make_unique<ast::Block>(at);
    body->body.push_back(std::move(attempt));
    return synthesis.call(at, "shown", ast::Type::String, {}, std::move(body));
}

ExprPtr TargetResolver::list(ast::Target &expr) {
    constexpr size_t kMaxValues = 32;  // of one sprintf
    const target::Scope *scope = place_.scope;
    if (!scope) return fail(expr.at, no_scope());
    const int pretty_depth = has_pretty(expr.components) ? expr.components.back().pretty_depth : 0;
    if (expr.components.size() > (pretty_depth ? 1 : 0) || expr.address_of)
        return fail(expr.at, expr.name + " is a text, which has no members, elements or address");
    std::vector<target::Variable> results;
    if (place_.at_return) results = scope->results();
    std::vector<std::string> names;
    const auto add_name = [&](const std::string &name) {
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    if (expr.name == "$$return") {
        const bool returned = scope->find("return").has_value();  // with a system call
        if (!place_.at_return && !returned) return fail(expr.at, "$$return is available only in .return probes");
        const auto type = scope->result();
        if (results.size() > 1)
            for (const target::Variable &result : results)
                add_name(result.name);
        else if (returned || (type && type->stripped().info().kind != TypeKind::Void))
            add_name("return");
    } else {
        const bool parameters = expr.name != "$$locals", locals = expr.name != "$$parms";
        for (const target::Variable &variable : scope->variables())
            if (!target::find_variable(results, variable.name) &&
                (variable.parameter ? parameters : locals && !place_.at_return))
                add_name(variable.name);
    }
    ExprPtr before;  // as many as fit one sprintf each
    FormatBuilder format(expr.at);
    const auto append = [&] {
        ExprPtr text = format.build();
        before = before ? std::make_unique<ast::Concat>(expr.at, std::move(before), std::move(text)) : std::move(text);
    };
    for (size_t i = 0; i < names.size(); ++i) {
        if (format.values() == kMaxValues) {
            append();
            format = FormatBuilder(expr.at);
        }
        ast::Target variable(expr.at, "$" + names[i]);
        if (pretty_depth)
            variable.components.push_back({ast::Component::Kind::Pretty, expr.at, {}, nullptr, pretty_depth});
        ExprPtr value = read(variable);
        format.text((i ? " " : "") + names[i] + (value ? "=" : "=?"));
        if (!value) continue;
        const bool stands_still = place_.debug && place_.debug->subject().stands_still();
        if (stands_still) value = shown_if_known(std::move(value), pretty_depth > 0, *place_.synthesis);
        if (pretty_depth || stands_still)
            format.value(ast::FormatPiece::Conv::String, std::move(value));
        else
            format.value(ast::FormatPiece::Conv::HexLower, std::move(value), ast::FormatPiece::Flag::Alternate);
    }
    append();
    return before;
}

std::optional<Type> TargetResolver::type_of(ast::Expr &expr) {
    std::vector<ast::Component> *components = components_of(expr);
    if (!components || is_address_of(expr) || has_pretty(*components)) return std::nullopt;
    std::unique_ptr<Accessor> accessor;
    std::optional<Reached> object = reach(expr, accessor);
    if (!object || !walk(expr, *components, *object, *accessor)) return std::nullopt;
    return object->type;
}

ExprPtr TargetResolver::counter(const ast::Perf &expr) {
    Counted counted;
    if (place_.counters)
        if (const auto it = place_.counters->find(expr.name); it != place_.counters->end()) counted = it->second;
    if (!counted.by_cpus && !counted.by_threads)
        return fail(expr.at, "no probe of this script counts '" + expr.name + "': perf.type(T).config(C).counter(\"" +
                                 expr.name + "\") does");
    if (counted.by_cpus && counted.by_threads)
        return fail(expr.at, "'" + expr.name +
                                 "' counts events of CPUs and of threads, .process(): give one of the probes another "
                                 "name");
    std::vector<ExprPtr> arguments;
    arguments.push_back(std::make_unique<ast::String>(expr.at, expr.name));
    return std::make_unique<ast::Call>(expr.at, counted.by_cpus ? "__perf_counter" : "__task_counter",
                                       std::move(arguments));
}

ExprPtr TargetResolver::raw(ast::Expr &expr) {
    const ExprPtr &number = expr.kind == ExprKind::Register ? static_cast<ast::Register &>(expr).number
                                                            : static_cast<ast::Deref &>(expr).size;
    const bool user = expr.kind == ExprKind::Register ? static_cast<ast::Register &>(expr).user
                                                      : static_cast<ast::Deref &>(expr).user;
    if (!user && !place_.guru)
        return fail(expr.at, "this reads any memory or register of the kernel, and so needs stap -g");
    const int64_t value = number->kind == ExprKind::Number ? static_cast<const ast::Number &>(*number).value : -1;
    if (expr.kind == ExprKind::Register) {
        const arch::Arch &machine = machine_of(place_.debug);
        const int64_t last = machine.saved_registers - 1, thread = machine.thread_local_storage.pointer;
        if ((value < 0 || value > last) && !(user && value == thread))
            return fail(number->at, "a register is named by its number in DWARF, from 0 to " + std::to_string(last) +
                                        (user ? ", or " + std::to_string(thread) + ", the thread pointer" : ""));
        return std::make_unique<ast::Register>(expr.at, user, ast::clone(*number));
    }
    if (value != 1 && value != 2 && value != 4 && value != 8)
        return fail(number->at, "memory is read by 1, 2, 4 or 8 bytes, written as a number");
    return std::make_unique<ast::Deref>(expr.at, user, ast::clone(*number),
                                        std::move(static_cast<ast::Deref &>(expr).address));
}

ExprPtr TargetResolver::read(ast::Expr &expr) {
    switch (expr.kind) {
        case ExprKind::Entry:
            if (!place_.saves) return fail(expr.at, "@entry is available only in .return probes");
            if (const ast::VarRef *local = local_in(*static_cast<ast::Entry &>(expr).operand))
                return fail(local->at, "'" + local->name +
                                           "' is a local variable, which has no value at the entry of the function; "
                                           "@entry(...) may use global variables and target variables");
            return save(expr.at, std::move(static_cast<ast::Entry &>(expr).operand));
        case ExprKind::Enum:
            return enumerator(static_cast<ast::Enum &>(expr));
        case ExprKind::Register:
        case ExprKind::Deref:
            return raw(expr);
        case ExprKind::Perf:
            return counter(static_cast<ast::Perf &>(expr));
        default:
            break;
    }
    if (expr.kind == ExprKind::Target) {
        auto &target = static_cast<ast::Target &>(expr);
        if (target.name == "$$vars" || target.name == "$$parms" || target.name == "$$locals" ||
            target.name == "$$return")
            return list(target);
        if (target.name == "$$name" || target.name == "$$system" || target.name == "$$provider") return name_of(target);
        // A parameter at a return has its value at the entry, and so has everything reached through it.
        if (place_.at_return && !entering_ && !is_return_value(expr) && place_.saves) return saved_variable(target);
    }
    if (const target::FunctionVariable *variable = by_function(expr)) return call(expr, variable->read, nullptr);
    std::vector<ast::Component> &components = *components_of(expr);
    std::unique_ptr<Accessor> accessor;
    std::optional<Reached> object = reach(expr, accessor);
    if (!object) return named_value(expr);
    return finish(expr, components, is_address_of(expr), std::move(*object), *accessor);
}

const target::FunctionVariable *TargetResolver::by_function(const ast::Expr &expr) const {
    if (expr.kind != ExprKind::Target || !place_.scope) return nullptr;
    return place_.scope->by_function(std::string_view(static_cast<const ast::Target &>(expr).name).substr(1));
}

// The call that reads a variable or, with a value, writes it.
ExprPtr TargetResolver::call(const ast::Expr &expr, const std::string &function, ExprPtr value) {
    const auto &target = static_cast<const ast::Target &>(expr);
    if (!target.components.empty() || target.address_of)
        return fail(expr.at, target.name + " is a value of its own, without members or an address");
    if (function.empty()) return misuse(expr, value != nullptr);
    std::vector<ExprPtr> arguments;
    if (value) arguments.push_back(std::move(value));
    return std::make_unique<ast::Call>(expr.at, function, std::move(arguments));
}

// Reports a variable that is only read, or only written: an error even if the value does not matter.
ExprPtr TargetResolver::misuse(const ast::Expr &expr, bool write) {
    fail(expr.at,
         static_cast<const ast::Target &>(expr).name +
             (write ? " cannot be written here: it is only read" : " cannot be read here: it is only written") +
             " at this kind of probe");
    problem_.certain = true;
    return nullptr;
}

ExprPtr TargetResolver::append(ast::Expr &target, ExprPtr value) {
    const target::FunctionVariable *variable = by_function(target);
    if (variable && variable->append.empty() && variable->write.empty()) return misuse(target, true);
    if (!variable || variable->append.empty()) return fail({}, "target variables are assigned with plain = only");
    return call(target, variable->append, std::move(value));
}

ExprPtr TargetResolver::write(ast::Expr &target, ExprPtr value) {
    const target::FunctionVariable *variable = by_function(target);
    if (variable && (place_.guru || !variable->guarded)) return call(target, variable->write, std::move(value));
    if (!place_.guru) return fail(target.at, "write to target variable not permitted; need stap -g");
    if (target.kind == ExprKind::Deref || target.kind == ExprKind::Register) {
        ExprPtr place = raw(target);
        return place ? std::make_unique<ast::Assign>(target.at, ast::AssignOp::Set, std::move(place), std::move(value))
                     : nullptr;
    }
    if (place_.at_return && target.kind == ExprKind::Target && !is_return_value(target))
        return fail(target.at, "a variable of the function cannot be written at its return");
    std::vector<ast::Component> *components = components_of(target);
    if (!components || is_address_of(target) || has_pretty(*components))
        return fail(target.at, "this cannot be assigned");
    std::unique_ptr<Accessor> accessor;
    std::optional<Reached> object = reach(target, accessor);
    if (!object || !walk(target, *components, *object, *accessor)) return nullptr;
    return accessor->assign(std::move(*object), std::move(value), *place_.synthesis);
}

}  // namespace tapir::resolve
