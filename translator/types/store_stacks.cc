// SPDX-License-Identifier: GPL-2.0-or-later
#include "types/store_stacks.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ast/walk.h"
#include "resolve/pragmas.h"
#include "types/stack_slots.h"

namespace tapir::types {

using ast::Expr;
using ast::ExprKind;
using ast::ExprPtr;
using ast::StmtKind;
using ast::Type;

namespace {

// The replacement for a call of a library function that makes or takes stacks.
struct Known {
    std::string_view name;
    size_t arguments;
    const char *function, *body;
    Type result;
    bool makes;
};
constexpr const char *kKernel = " /* pure */ STAP_RETVALUE = tapir_stack_of_kernel(CONTEXT, STAP_ARG_n); ";
constexpr const char *kUser = " /* pure */ STAP_RETVALUE = tapir_stack_of_user(CONTEXT, STAP_ARG_n); ";
constexpr const char *kBoth = " /* pure */ STAP_RETVALUE = tapir_stack_of_both(CONTEXT, STAP_ARG_n); ";
constexpr const char *kNumber = " /* pure */ /* pragma:untraced */ STAP_RETVALUE = STAP_ARG_n; ";
constexpr const char *kPrint = " tapir_stack_value_print(CONTEXT, STAP_ARG_n); ";
constexpr const char *kLines =
    " /* pure */ tapir_stack_value_lines(CONTEXT, STAP_ARG_n, STAP_RETVALUE, MAXSTRINGLEN); ";
constexpr const char *kText = " /* pure */ tapir_stack_value_text(CONTEXT, STAP_ARG_n, STAP_RETVALUE, MAXSTRINGLEN); ";
constexpr Known kKnown[] = {
    {"backtrace", 0, "__stack_of_kernel", kKernel, Type::Long, true},
    {"callers", 1, "__stack_of_kernel", kKernel, Type::Long, true},
    {"ubacktrace", 0, "__stack_of_user", kUser, Type::Long, true},
    {"ucallers", 1, "__stack_of_user", kUser, Type::Long, true},
    {"stacks", 0, "__stack_of_both", kBoth, Type::Long, true},
    {"__sample_number", 1, "__stack_number", kNumber, Type::Long, false},
    {"print_syms", 1, "__stack_print", kPrint, Type::Void, false},
    {"print_stack", 1, "__stack_print", kPrint, Type::Void, false},
    {"print_usyms", 1, "__stack_print", kPrint, Type::Void, false},
    {"print_ustack", 1, "__stack_print", kPrint, Type::Void, false},
    {"sprint_syms", 1, "__stack_lines", kLines, Type::String, false},
    {"sprint_stack", 1, "__stack_lines", kLines, Type::String, false},
    {"sprint_usyms", 1, "__stack_lines", kLines, Type::String, false},
    {"sprint_ustack", 1, "__stack_lines", kLines, Type::String, false},
};

// Null: none of these, or another function of that name.
const Known *known(const Expr &e) {
    if (e.kind != ExprKind::Call) return nullptr;
    const auto &call = static_cast<const ast::Call &>(e);
    if (call.candidates.size() != 1) return nullptr;
    const SourceRef &at = call.candidates.front()->at;
    if (!at.file || at.file->origin() == Origin::UserScript || at.file->origin() == Origin::CommandLine) return nullptr;
    for (const Known &one : kKnown)
        if (one.name == call.candidates.front()->name && one.arguments == call.args.size()) return &one;
    return nullptr;
}

const Known *maker(const Expr &e) {
    const Known *found = known(e);
    return found && found->makes ? found : nullptr;
}

bool is_empty_text(const Expr &e) {
    return e.kind == ExprKind::String && static_cast<const ast::String &>(e).value.empty();
}

const ast::Function *own_function(const ast::Call &call) {
    return call.candidates.size() == 1 && !call.candidates.front()->embedded_c ? call.candidates.front() : nullptr;
}

// Where a value comes from that is read again: null for all others.
std::optional<Slot> slot_of(const Expr &e) {
    switch (e.kind) {
        case ExprKind::VarRef:
            return Slot{static_cast<const ast::VarRef &>(e).variable, nullptr, -1};
        case ExprKind::Index: {
            const auto &index = static_cast<const ast::Index &>(e);
            if (index.base->kind != ExprKind::VarRef) return std::nullopt;
            return Slot{static_cast<const ast::VarRef &>(*index.base).variable, nullptr, -1};
        }
        case ExprKind::Assign:
            return slot_of(*static_cast<const ast::Assign &>(e).target);
        case ExprKind::Call: {
            const ast::Function *function = known(e) ? nullptr : own_function(static_cast<const ast::Call &>(e));
            if (function) return Slot{nullptr, function, -1};
            return std::nullopt;
        }
        default:
            return std::nullopt;
    }
}

// Walks the program twice: first to learn what gets where, then, once that is decided, to rewrite.
class Stacks {
  public:
    explicit Stacks(resolve::Program &program) : program_(program) {}

    void run() {
        declarations();
        bodies();
        slots_.decide();
        if (!slots_.any()) return;
        rewriting_ = true;
        file_ = std::make_unique<ast::File>();
        file_->privileged = true;
        bodies();
        retype();
        for (const auto &function : file_->functions)
            program_.functions.push_back(function.get());
        program_.files.push_back(std::move(file_));
    }

  private:
    enum class Use { Nothing, Text, Slot, Names };
    struct Sink {
        Use use = Use::Nothing;
        Slot slot = {};
    };

    void declarations() {
        std::set<std::string> in_c;
        for (const ast::Function *f : program_.functions)
            for (const auto *list : {&f->pragmas.reads, &f->pragmas.writes})
                in_c.insert(list->begin(), list->end());
        for (ast::Variable *global : program_.globals) {
            const bool text = in_c.contains(global->name) || (global->init && !is_empty_text(*global->init));
            for (int key = -1; key < static_cast<int>(global->key_types.size()); ++key) {
                const Slot slot{global, nullptr, key};
                slots_.lasts(slot);
                if (text) slots_.text(slot);
            }
        }
    }

    void bodies() {
        for (auto &handler : program_.handlers) {
            if (handler->condition) value(handler->condition, {});
            stmt(*handler->body);
        }
        for (ast::Function *function : program_.functions) {
            function_ = function;
            if (function->body) stmt(*function->body);
        }
        function_ = nullptr;
    }

    // ---------------------------------------------------------------- values

    void value(ExprPtr &e, const Sink &sink) {
        parts(*e);
        if (rewriting_)
            rewrite(e, sink);
        else
            learn(*e, sink);
    }

    void learn(const Expr &e, const Sink &sink) {
        if (e.type != Type::String) return;
        if (e.kind == ExprKind::Ternary) {
            learn(*static_cast<const ast::Ternary &>(e).then_expr, sink);
            return learn(*static_cast<const ast::Ternary &>(e).else_expr, sink);
        }
        const std::optional<Slot> from = slot_of(e);
        if (from && sink.use == Use::Names) slots_.named(*from);
        if (from && sink.use == Use::Slot) slots_.flows(*from, sink.slot);
        if (from || sink.use != Use::Slot || is_empty_text(e)) return;
        if (maker(e))
            slots_.made(sink.slot);
        else
            slots_.text(sink.slot);
    }

    // True if it is available as a number. `stored`: and comes from where numbers are.
    bool can_be_stack(const Expr &e, bool stored) const {
        if (e.kind == ExprKind::Ternary) {
            const auto &choice = static_cast<const ast::Ternary &>(e);
            return can_be_stack(*choice.then_expr, false) && can_be_stack(*choice.else_expr, false) &&
                   (!stored || can_be_stack(*choice.then_expr, true) || can_be_stack(*choice.else_expr, true));
        }
        if (const std::optional<Slot> slot = slot_of(e)) return slots_.is_stack(*slot);
        return !stored && (is_empty_text(e) || maker(e));
    }

    void rewrite(ExprPtr &e, const Sink &sink) {
        const bool number =
            (sink.use == Use::Slot && slots_.is_stack(sink.slot)) || (sink.use == Use::Names && can_be_stack(*e, true));
        if (number) return to_number(e);
        if (sink.use != Use::Nothing) to_text(e);
    }

    void to_number(ExprPtr &e) {
        if (e->kind == ExprKind::Ternary) {
            auto &choice = static_cast<ast::Ternary &>(*e);
            to_number(choice.then_expr);
            to_number(choice.else_expr);
            e->type = Type::Long;
        } else if (const Known *makes = maker(*e)) {
            auto &call = static_cast<ast::Call &>(*e);
            if (call.args.empty()) call.args.push_back(number_of(e->at, -1));
            e = this->call(*makes, call.candidates.front(), e->at, std::move(call.args[0]));
        } else if (is_empty_text(*e)) {
            e = number_of(e->at, 0);
        }
    }

    void to_text(ExprPtr &e) {
        if (e->kind == ExprKind::Ternary) {
            auto &choice = static_cast<ast::Ternary &>(*e);
            to_text(choice.then_expr);
            return to_text(choice.else_expr);
        }
        const std::optional<Slot> slot = slot_of(*e);
        if (!slot || !slots_.is_stack(*slot)) return;
        static constexpr Known text = {"", 1, "__stack_text", kText, Type::String, false};
        const SourceRef at = e->at;
        e = call(text, nullptr, at, std::move(e));
    }

    static ExprPtr number_of(const SourceRef &at, int64_t value) {
        auto number = std::make_unique<ast::Number>(at, value);
        number->type = Type::Long;
        return number;
    }

    ExprPtr call(const Known &what, const ast::Function *like, const SourceRef &at, ExprPtr argument) {
        ast::Function *&function = made_[what.function];
        if (!function) function = make(what, like ? *like : library_function());
        std::vector<ExprPtr> arguments;
        arguments.push_back(std::move(argument));
        auto call = std::make_unique<ast::Call>(at, function->name, std::move(arguments));
        call->candidates = {function};
        call->type = what.result;
        return call;
    }

    // Any that makes stacks: there is one.
    const ast::Function &library_function() const {
        const ast::Function *found = nullptr;
        for (const ast::Function *function : program_.functions)
            for (const Known &one : kKnown)
                if (one.makes && function->name == one.name) found = function;
        return *found;
    }

    ast::Function *make(const Known &what, const ast::Function &like) {
        auto function = std::make_unique<ast::Function>();
        function->name = function->unique_name = what.function;
        function->at = function->embedded_at = like.at;
        function->file = file_.get();
        function->embedded_c = what.body;
        function->pragmas.pure = what.result != Type::Void;
        function->pragmas.unmodified_fnargs = true;
        if (!what.makes) function->pragmas.other.emplace_back(resolve::kAnywhere);
        function->declared = function->type = what.result;
        auto variable = std::make_unique<ast::Variable>();
        variable->name = variable->unique_name = "n";
        variable->at = like.at;
        variable->scope = ast::Variable::Scope::Param;
        variable->type = Type::Long;
        variable->arity = 0;
        variable->is_read = true;
        function->params.push_back({"n", Type::Long, like.at, variable.get()});
        function->locals.push_back(std::move(variable));
        file_->functions.push_back(std::move(function));
        return file_->functions.back().get();
    }

    // ---------------------------------------------------------------- parts of expressions

    void keys(const Expr &array, std::vector<ExprPtr> &list) {
        const ast::Variable *variable =
            array.kind == ExprKind::VarRef ? static_cast<const ast::VarRef &>(array).variable : nullptr;
        for (size_t i = 0; i < list.size(); ++i)
            if (list[i])
                value(list[i], {variable ? Use::Slot : Use::Nothing, {variable, nullptr, static_cast<int>(i)}});
    }

    void assign(ast::Assign &assign) {
        parts(*assign.target);
        const std::optional<Slot> slot = slot_of(*assign.target);
        if (!slot || assign.op == ast::AssignOp::Sample) return value(assign.value, {});
        if (assign.op == ast::AssignOp::Set) return value(assign.value, {Use::Slot, *slot});
        if (assign.op == ast::AssignOp::Concat) slots_.text(*slot);
        value(assign.value, {Use::Text});
    }

    void compare(ast::Compare &compare) {
        const bool equality = compare.op == ast::CompareOp::Eq || compare.op == ast::CompareOp::Ne;
        parts(*compare.left);
        parts(*compare.right);
        if (!rewriting_) return;
        if (equality && can_be_stack(*compare.left, false) && can_be_stack(*compare.right, false) &&
            (can_be_stack(*compare.left, true) || can_be_stack(*compare.right, true))) {
            to_number(compare.left);
            return to_number(compare.right);
        }
        to_text(compare.left);
        to_text(compare.right);
    }

    void arguments(ast::Call &call) {
        const Known *takes = known(call);
        const ast::Function *function = own_function(call);
        for (size_t i = 0; i < call.args.size(); ++i) {
            Sink sink{Use::Text, {}};
            if (takes && !takes->makes) sink = {Use::Names, {}};
            if (!takes && function) sink = {Use::Slot, {function->params[i].variable, nullptr, -1}};
            value(call.args[i], sink);
        }
        if (!takes && !function && !rewriting_)
            for (const ast::Function *candidate : call.candidates)
                if (!candidate->embedded_c) {
                    slots_.text({nullptr, candidate, -1});
                    for (const ast::Param &param : candidate->params)
                        slots_.text({param.variable, nullptr, -1});
                }
        if (rewriting_ && takes && !takes->makes && call.args[0]->type == Type::Long) {
            ast::Function *&made = made_[takes->function];
            if (!made) made = make(*takes, *call.candidates.front());
            call.name = made->name;
            call.candidates = {made};
        }
    }

    void parts(Expr &e) {
        switch (e.kind) {
            case ExprKind::VarRef:
                break;
            case ExprKind::Index: {
                auto &index = static_cast<ast::Index &>(e);
                if (index.base->kind != ExprKind::VarRef) parts(*index.base);
                keys(*index.base, index.keys);
                break;
            }
            case ExprKind::In: {
                auto &in = static_cast<ast::In &>(e);
                if (in.array->kind != ExprKind::VarRef) parts(*in.array);
                keys(*in.array, in.keys);
                break;
            }
            case ExprKind::Ternary: {
                auto &choice = static_cast<ast::Ternary &>(e);
                value(choice.cond, {});
                parts(*choice.then_expr);
                parts(*choice.else_expr);
                break;
            }
            case ExprKind::Assign:
                assign(static_cast<ast::Assign &>(e));
                break;
            case ExprKind::Compare:
                compare(static_cast<ast::Compare &>(e));
                break;
            case ExprKind::Call:
                arguments(static_cast<ast::Call &>(e));
                break;
            default:
                ast::each_slot(e, [&](ExprPtr &part) { value(part, {Use::Text, {}}); });
        }
        const std::optional<Slot> slot = slot_of(e);
        if (rewriting_ && slot && slots_.is_stack(*slot) && e.type == Type::String) e.type = Type::Long;
    }

    // ---------------------------------------------------------------- statements

    void stmt(ast::Stmt &s) {
        switch (s.kind) {
            case StmtKind::Expr:
                return value(static_cast<ast::ExprStmt &>(s).expr, {});
            case StmtKind::Foreach:
                return foreach_stmt(static_cast<ast::Foreach &>(s));
            case StmtKind::Return: {
                auto &answer = static_cast<ast::Return &>(s);
                if (answer.value) value(answer.value, {Use::Slot, {nullptr, function_, -1}});
                return;
            }
            case StmtKind::EmbeddedC: {
                auto &c = static_cast<ast::EmbeddedCStmt &>(s);
                for (const auto *list : {&c.reads, &c.writes})
                    for (const ast::Variable *variable : *list)
                        for (int key = -1; key < static_cast<int>(variable->key_types.size()); ++key)
                            slots_.text({variable, nullptr, key});
                return;
            }
            default:
                ast::each_slot(
                    s, [&](ExprPtr &e) { value(e, {}); }, [&](ast::StmtPtr &child) { stmt(*child); },
                    [&](ast::VarRef &bound) {
                        slots_.text({bound.variable, nullptr, -1});
                    });
        }
    }

    void foreach_stmt(ast::Foreach &loop) {
        const ast::Variable *array =
            loop.array->kind == ExprKind::VarRef ? static_cast<ast::VarRef &>(*loop.array).variable : nullptr;
        if (!array) parts(*loop.array);
        keys(*loop.array, loop.slice);
        if (array && !rewriting_) {
            for (size_t i = 0; i < loop.keys.size(); ++i)
                slots_.same({array, nullptr, static_cast<int>(i)}, {loop.keys[i]->variable, nullptr, -1});
            if (loop.value) slots_.same({array, nullptr, -1}, {loop.value->variable, nullptr, -1});
            if (loop.sort != ast::Foreach::Sort::None) slots_.text({array, nullptr, loop.sort_column - 1});
        }
        if (rewriting_)
            for (auto &key : loop.keys)
                parts(*key);
        if (rewriting_ && loop.value) parts(*loop.value);
        if (loop.limit) value(loop.limit, {});
        if (loop.body) stmt(*loop.body);
    }

    // ---------------------------------------------------------------- declarations

    void retype() {
        for (const Slot &slot : slots_.decided()) {
            if (slot.function) {
                const_cast<ast::Function *>(slot.function)->type = Type::Long;
                continue;
            }
            auto *variable = const_cast<ast::Variable *>(slot.variable);
            if (slot.key >= 0) {
                variable->key_types[static_cast<size_t>(slot.key)] = Type::Long;
                continue;
            }
            variable->type = Type::Long;
            if (variable->init) variable->init = number_of(variable->init->at, 0);
        }
    }

    resolve::Program &program_;
    StackSlots slots_;
    bool rewriting_ = false;
    const ast::Function *function_ = nullptr;
    std::unique_ptr<ast::File> file_;
    std::map<std::string_view, ast::Function *> made_;
};

}  // namespace

void store_stacks(resolve::Program &program) {
    Stacks(program).run();
}

}  // namespace tapir::types
