// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/synthesis.h"

namespace tapir::resolve {

using ast::ExprKind;
using ast::ExprPtr;
using Conv = ast::FormatPiece::Conv;
using Flag = ast::FormatPiece::Flag;

ExprPtr Synthesis::call(const SourceRef &at, const std::string &stem, ast::Type result, std::vector<Argument> arguments,
                        ast::StmtPtr body) {
    std::string text = stem;
    for (const Argument &argument : arguments)
        text += " " + argument.parameter;
    text += "\n" + ast::print(*body);
    auto [known, is_new] = known_.try_emplace(std::move(text), nullptr);
    if (is_new) {
        auto function = std::make_unique<ast::Function>();
        function->name = "__" + stem + "_" + std::to_string(file_.functions.size() + 1);
        function->at = at;
        function->declared = result;
        for (const Argument &argument : arguments) {
            ast::Param &parameter = function->params.emplace_back();
            parameter.name = argument.parameter;
            parameter.declared = ast::Type::Long;
            parameter.at = at;
        }
        function->body = std::move(body);
        function->file = &file_;
        known->second = function.get();
        file_.functions.push_back(std::move(function));
    }
    std::vector<ExprPtr> values;
    for (Argument &argument : arguments)
        values.push_back(std::move(argument.value));
    auto call = std::make_unique<ast::Call>(at, known->second->name, std::move(values));
    call->candidates = {known->second};
    return call;
}

void hoist(ExprPtr &expr, std::vector<Synthesis::Argument> &arguments) {
    switch (expr->kind) {
        case ExprKind::Number:
        case ExprKind::SymbolAddress:
            return;
        case ExprKind::Deref:
            return hoist(static_cast<ast::Deref &>(*expr).address, arguments);
        case ExprKind::Unary:
            return hoist(static_cast<ast::Unary &>(*expr).operand, arguments);
        case ExprKind::Binary: {
            auto &binary = static_cast<ast::Binary &>(*expr);
            hoist(binary.left, arguments);
            return hoist(binary.right, arguments);
        }
        case ExprKind::Compare: {
            auto &compare = static_cast<ast::Compare &>(*expr);
            hoist(compare.left, arguments);
            return hoist(compare.right, arguments);
        }
        default:
            break;
    }
    const SourceRef at = expr->at;
    // The same register twice is one argument.
    if (expr->kind == ExprKind::Register) {
        const std::string text = ast::print(*expr);
        for (const Synthesis::Argument &argument : arguments) {
            if (argument.value->kind != ExprKind::Register || ast::print(*argument.value) != text) continue;
            expr = std::make_unique<ast::VarRef>(at, argument.parameter);
            return;
        }
    }
    std::string name = "arg" + std::to_string(arguments.size() + 1);
    arguments.push_back({name, std::move(expr)});
    expr = std::make_unique<ast::VarRef>(at, name);
}

void FormatBuilder::text(const std::string &text) {
    literal_ += text;
    for (char c : text)
        format_ += c == '%' ? "%%" : std::string(1, c);
}

void FormatBuilder::value(Conv conv, ExprPtr value, Flag flag) {
    if (!literal_.empty()) {
        pieces_.emplace_back().literal = std::move(literal_);
        literal_.clear();
    }
    ast::FormatPiece &piece = pieces_.emplace_back();
    piece.conv = conv;
    piece.flag = flag;
    format_ += '%';
    if (flag == Flag::Alternate) format_ += '#';
    switch (conv) {
        case Conv::Unsigned:
            format_ += 'u';
            break;
        case Conv::HexLower:
            format_ += 'x';
            break;
        case Conv::Pointer:
            format_ += 'p';
            break;
        case Conv::Char:
            format_ += 'c';
            break;
        case Conv::String:
            format_ += 's';
            break;
        default:
            format_ += 'd';
            break;
    }
    args_.push_back(std::move(value));
}

ExprPtr FormatBuilder::build() {
    if (args_.empty()) return std::make_unique<ast::String>(at_, std::move(literal_));
    if (!literal_.empty()) pieces_.emplace_back().literal = std::move(literal_);
    auto print = std::make_unique<ast::Print>(at_);
    print->to_string = true;
    print->formatted = true;
    print->name = "sprintf";
    print->format = std::move(format_);
    print->pieces = std::move(pieces_);
    print->args = std::move(args_);
    return print;
}

}  // namespace tapir::resolve
