// SPDX-License-Identifier: GPL-2.0-or-later
#include "syntax/embedded_pieces.h"

#include <cctype>
#include <string>
#include <utility>

#include "ast/walk.h"

namespace tapir::syntax {

namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

bool names(const std::string &code, const std::string &word) {
    for (size_t at = code.find(word); at != std::string::npos; at = code.find(word, at + 1)) {
        const size_t end = at + word.size();
        if ((at == 0 || !is_word(code[at - 1])) && (end == code.size() || !is_word(code[end]))) return true;
    }
    return false;
}

class Splitter {
  public:
    Splitter(const ast::Function &function, size_t first) : function_(function), next_(first) {}

    void stmt(ast::StmtPtr &slot) {
        if (slot->kind == ast::StmtKind::EmbeddedC) {
            const auto &piece = static_cast<const ast::EmbeddedCStmt &>(*slot);
            const SourceRef at = piece.at;
            ast::ExprPtr call = split(piece.code, at, ast::Type::Unknown);
            if (call) slot = std::make_unique<ast::ExprStmt>(at, std::move(call));
            return;
        }
        ast::each_slot(
            *slot, [&](ast::ExprPtr &e) { expr(e); }, [&](ast::StmtPtr &s) { stmt(s); }, [](ast::VarRef &) {});
    }

    std::vector<std::unique_ptr<ast::Function>> made;

  private:
    void expr(ast::ExprPtr &slot) {
        ast::each_slot(*slot, [&](ast::ExprPtr &e) { expr(e); });
        if (slot->kind != ast::ExprKind::EmbeddedC) return;
        const auto &piece = static_cast<const ast::EmbeddedCExpr &>(*slot);
        const bool is_text = piece.code.find("/* string */") != std::string::npos;
        ast::ExprPtr call = split(piece.code, piece.at, is_text ? ast::Type::String : ast::Type::Long);
        if (call) slot = std::move(call);
    }

    // Null for C that uses no parameter.
    ast::ExprPtr split(const std::string &code, const SourceRef &at, ast::Type result) {
        auto made_one = std::make_unique<ast::Function>();
        std::vector<ast::ExprPtr> values;
        for (const ast::Param &param : function_.params) {
            if (!names(code, "STAP_ARG_" + param.name) && !names(code, "THIS->" + param.name)) continue;
            ast::Param &copy = made_one->params.emplace_back();
            copy.name = param.name;
            copy.declared = param.declared;
            copy.at = param.at;
            values.push_back(std::make_unique<ast::VarRef>(at, param.name));
        }
        if (values.empty()) return nullptr;
        made_one->name = std::string(kPiece) + std::to_string(next_++);
        made_one->at = made_one->embedded_at = at;
        made_one->declared = result;
        made_one->is_private = true;
        made_one->embedded_c = result == ast::Type::Unknown ? code
                               : result == ast::Type::Long
                                   ? "STAP_RETVALUE = (" + code + "\n);"
                                   : "tapir_str_copy(STAP_RETVALUE, (" + code + "\n), MAXSTRINGLEN);";
        auto call = std::make_unique<ast::Call>(at, made_one->name, std::move(values));
        made.push_back(std::move(made_one));
        return call;
    }

    const ast::Function &function_;
    size_t next_;
};

}  // namespace

std::vector<std::unique_ptr<ast::Function>> split_embedded(ast::Function &function, size_t first) {
    Splitter splitter(function, first);
    if (!function.params.empty()) splitter.stmt(function.body);
    return std::move(splitter.made);
}

}  // namespace tapir::syntax
