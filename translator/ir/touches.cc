// SPDX-License-Identifier: GPL-2.0-or-later
#include "ir/touches.h"

#include <algorithm>
#include <set>

#include "ast/walk.h"

namespace tapir::ir {

namespace {

constexpr size_t kMaxPrograms = 100;
constexpr int kMaxDepth = 8;  // TAPIR_TOUCH_DEPTH
constexpr int kMaxCalls = 4;  // of functions within each other
constexpr int kLastArgument = 255;
constexpr std::string_view kArgumentPragma = "pragma:argument", kUserPragma = "pragma:user:";
constexpr int kLastProgram = 255;  // of a tapir_touch.detail

int64_t literal(const ast::Expr &e) {
    return static_cast<const ast::Number &>(e).value;
}

std::optional<TouchOp> binary_op(ast::BinaryOp op) {
    switch (op) {
        case ast::BinaryOp::Add:
            return TouchOp::Add;
        case ast::BinaryOp::Sub:
            return TouchOp::Subtract;
        case ast::BinaryOp::Mul:
            return TouchOp::Multiply;
        case ast::BinaryOp::And:
            return TouchOp::And;
        case ast::BinaryOp::Or:
            return TouchOp::Or;
        case ast::BinaryOp::Xor:
            return TouchOp::Xor;
        case ast::BinaryOp::Shl:
            return TouchOp::ShiftLeft;
        case ast::BinaryOp::Shr:
            return TouchOp::ShiftRightSigned;
        case ast::BinaryOp::ShrLogical:
            return TouchOp::ShiftRight;
        default:
            return std::nullopt;
    }
}

// Writes one expression as instructions that leave its value on the stack.
class Writer {
  public:
    explicit Writer(const std::vector<target::BuiltProgram> &programs) : programs_(programs) {}

    // False: its value depends on something else than registers and memory, or is too deep.
    bool write(const ast::Expr &e, int depth = 1) {
        if (depth > kMaxDepth) return false;
        switch (e.kind) {
            case ast::ExprKind::Number:
                return put(TouchOp::Constant, 0, literal(e));
            case ast::ExprKind::Register:
                from_hit = true;
                return put(TouchOp::Register,
                           static_cast<uint8_t>(literal(*static_cast<const ast::Register &>(e).number)));
            case ast::ExprKind::ProgramAddress: {
                const auto &address = static_cast<const ast::ProgramAddress &>(e);
                const auto program =
                    std::find_if(programs_.begin(), programs_.end(),
                                 [&](const target::BuiltProgram &known) { return known.path == address.path; });
                const auto index = program - programs_.begin();
                from_hit = true;
                return program != programs_.end() && index <= kLastProgram &&
                       put(TouchOp::Program, static_cast<uint8_t>(index), address.linked);
            }
            case ast::ExprKind::Deref: {
                const auto &load = static_cast<const ast::Deref &>(e);
                return load.user && write(*load.address, depth) &&
                       put(TouchOp::Load, static_cast<uint8_t>(literal(*load.size)));
            }
            case ast::ExprKind::Binary: {
                const auto &binary = static_cast<const ast::Binary &>(e);
                const std::optional<TouchOp> op = binary_op(binary.op);
                return op && write(*binary.left, depth) && write(*binary.right, depth + 1) && put(*op);
            }
            case ast::ExprKind::VarRef:
                return parameter(static_cast<const ast::VarRef &>(e), depth);
            case ast::ExprKind::Call:
                return call(static_cast<const ast::Call &>(e), depth);
            default:
                return false;
        }
    }

    bool put(TouchOp op, uint8_t detail = 0, int64_t value = 0) {
        code.push_back({op, detail, value});
        return true;
    }

    std::vector<TouchStep> code;
    bool from_hit = false;  // a register or an address of the program is in it

  private:
    // A function that is being called, and in whose terms its arguments are.
    struct Frame {
        const ast::Call *call;
        const Frame *caller;
    };

    // Handles calls of tapset functions that read arguments and memory, and of those that only pass an expression on.
    bool call(const ast::Call &call, int depth) {
        if (call.candidates.size() != 1 || call.args.empty() || calls_ == kMaxCalls) return false;
        const ast::Function &function = *call.candidates.front();
        for (const std::string &pragma : function.pragmas.other) {
            if (pragma == kArgumentPragma) return argument(*call.args[0]);
            if (pragma.starts_with(kUserPragma))
                return write(*call.args[0], depth) &&
                       put(TouchOp::Load, static_cast<uint8_t>(std::stoi(pragma.substr(kUserPragma.size()))));
        }
        const ast::Expr *result = function.body ? only_result(*function.body) : nullptr;
        if (!result || result->type != ast::Type::Long) return false;
        const Frame frame{&call, frame_};
        frame_ = &frame;
        ++calls_;
        const bool good = write(*result, depth);
        --calls_;
        frame_ = frame.caller;
        return good;
    }

    static const ast::Expr *only_result(const ast::Stmt &body) {
        if (body.kind == ast::StmtKind::Return) return static_cast<const ast::Return &>(body).value.get();
        if (body.kind != ast::StmtKind::Block) return nullptr;
        const auto &block = static_cast<const ast::Block &>(body);
        return block.body.size() == 1 ? only_result(*block.body.front()) : nullptr;
    }

    // Returns the caller's argument for a parameter; null if `e` is not a parameter.
    const ast::Expr *given(const ast::VarRef &e) const {
        if (!frame_) return nullptr;
        const ast::Function &function = *frame_->call->candidates.front();
        for (size_t i = 0; i < function.params.size(); ++i)
            if (function.params[i].variable == e.variable) return frame_->call->args[i].get();
        return nullptr;
    }

    bool parameter(const ast::VarRef &e, int depth) {
        const ast::Expr *value = given(e);
        if (!value) return false;
        const Frame *const frame = frame_;
        frame_ = frame->caller;
        const bool good = write(*value, depth);
        frame_ = frame;
        return good;
    }

    bool argument(const ast::Expr &number) {
        const ast::Expr *e = &number;
        const Frame *const frame = frame_;
        while (e && e->kind == ast::ExprKind::VarRef) {
            e = given(static_cast<const ast::VarRef &>(*e));
            if (e) frame_ = frame_->caller;
        }
        frame_ = frame;
        if (!e || e->kind != ast::ExprKind::Number || literal(*e) < 1 || literal(*e) > kLastArgument) return false;
        from_hit = true;
        return put(TouchOp::Argument, static_cast<uint8_t>(literal(*e)));
    }

    const std::vector<target::BuiltProgram> &programs_;
    const Frame *frame_ = nullptr;
    int calls_ = 0;
};

class Collector {
  public:
    explicit Collector(const std::vector<target::BuiltProgram> &programs) : programs_(programs) {}

    void look_at(const ast::Expr &e) {
        if (e.kind == ast::ExprKind::Deref && static_cast<const ast::Deref &>(e).user) {
            add(e, TouchOp::End);
        } else if (e.kind == ast::ExprKind::Assign) {
            // The return's handler may read a saved value as a string.
            const auto &assign = static_cast<const ast::Assign &>(e);
            if (is_saved(*assign.target)) add(*assign.value, TouchOp::Text);
        } else if (e.kind == ast::ExprKind::Call) {
            for (const ast::ExprPtr &argument : static_cast<const ast::Call &>(e).args)
                if (argument->type == ast::Type::Long) add(*argument, TouchOp::Text);
        }
    }

    std::vector<TouchStep> take() && { return std::move(code_); }

  private:
    static bool is_saved(const ast::Expr &e) {
        if (e.kind != ast::ExprKind::VarRef) return false;
        const ast::Variable *variable = static_cast<const ast::VarRef &>(e).variable;
        return variable && variable->scope == ast::Variable::Scope::Saved && variable->type == ast::Type::Long;
    }

    void add(const ast::Expr &e, TouchOp end) {
        Writer writer(programs_);
        if (count_ == kMaxPrograms || !writer.write(e) || !writer.from_hit) return;
        writer.put(end);
        if (std::search(code_.begin(), code_.end(), writer.code.begin(), writer.code.end()) != code_.end()) return;
        code_.insert(code_.end(), writer.code.begin(), writer.code.end());
        ++count_;
    }

    const std::vector<target::BuiltProgram> &programs_;
    std::vector<TouchStep> code_;
    size_t count_ = 0;
};

}  // namespace

std::vector<TouchStep> find_touches(const ast::Stmt &body, const std::vector<target::BuiltProgram> &programs) {
    Collector collector(programs);
    std::vector<const ast::Stmt *> bodies = {&body};
    std::set<const ast::Function *> seen;
    for (size_t i = 0; i < bodies.size(); ++i) {
        ast::each_expr(*bodies[i], [&](const ast::Expr &e) {
            collector.look_at(e);
            if (e.kind != ast::ExprKind::Call) return;
            // Among functions, only those made for the probed place read user memory.
            for (const ast::Function *function : static_cast<const ast::Call &>(e).candidates)
                if (function->names_from && function->body && seen.insert(function).second)
                    bodies.push_back(function->body.get());
        });
    }
    return std::move(collector).take();
}

}  // namespace tapir::ir
