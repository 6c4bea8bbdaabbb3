// SPDX-License-Identifier: GPL-2.0-or-later
// Globals that a script fills and never reads are its results: print them at the end.
#include <string>

#include "types/finish.h"

namespace tapir::types {

using ast::ExprPtr;
using ast::StatOpKind;
using ast::Type;
using Piece = ast::FormatPiece;

namespace {

// Builds nodes that all stand at the global's declaration.
class Builder {
  public:
    explicit Builder(ast::Variable &global) : global_(global) {}

    ast::StmtPtr body() {
        ast::StmtPtr output = global_.type == Type::Stat ? statistic() : value();
        if (global_.arity == 0) return output;
        auto loop = std::make_unique<ast::Foreach>(global_.at);
        for (auto &key : locals_)
            loop->keys.push_back(name(*key));
        loop->array = name(global_);
        loop->sort = ast::Foreach::Sort::Descending;
        loop->body = std::move(output);
        return loop;
    }

    std::vector<std::unique_ptr<ast::Variable>> make_locals() {
        std::vector<std::unique_ptr<ast::Variable>> locals;
        for (int i = 0; i < global_.arity; ++i) {
            auto key = std::make_unique<ast::Variable>();
            key->name = key->unique_name = "key" + std::to_string(i + 1);
            key->at = global_.at;
            key->type = global_.key_types[static_cast<size_t>(i)];
            key->type_from = global_.at;
            key->arity = 0;
            key->is_read = key->is_written = true;
            locals_.push_back(key.get());
            locals.push_back(std::move(key));
        }
        return locals;
    }

  private:
    std::unique_ptr<ast::VarRef> name(ast::Variable &variable) const {
        auto ref = std::make_unique<ast::VarRef>(global_.at, variable.name);
        ref->variable = &variable;
        ref->type = variable.type;
        return ref;
    }

    // The global, or its element with the loop's keys.
    ExprPtr element() const {
        if (global_.arity == 0) return name(global_);
        std::vector<ExprPtr> keys;
        for (ast::Variable *key : locals_)
            keys.push_back(name(*key));
        return std::make_unique<ast::Index>(global_.at, name(global_), std::move(keys));
    }

    ExprPtr stat(StatOpKind op) const { return std::make_unique<ast::StatOp>(global_.at, op, element()); }

    static void literal(ast::Print &print, const std::string &text) {
        if (!print.pieces.empty() && print.pieces.back().conv == Piece::Conv::Literal) {
            print.pieces.back().literal += text;
        } else {
            Piece piece;
            piece.literal = text;
            print.pieces.push_back(std::move(piece));
        }
        for (char c : text)
            print.format += c == '%' ? std::string("%%") : std::string(1, c);
    }

    static void convert(ast::Print &print, Type type, ExprPtr value) {
        Piece piece;
        piece.conv = type == Type::String ? Piece::Conv::String : Piece::Conv::Decimal;
        print.pieces.push_back(std::move(piece));
        print.format += type == Type::String ? "%s" : "%d";
        print.args.push_back(std::move(value));
    }

    std::unique_ptr<ast::Print> line() const {
        auto print = std::make_unique<ast::Print>(global_.at);
        print->formatted = true;
        print->name = "printf";
        literal(*print, global_.name);
        print->pieces.back().flag = Piece::Flag::Row;
        for (size_t i = 0; i < locals_.size(); ++i) {
            literal(*print, i == 0 ? "[" : ",");
            quoted(*print, locals_[i]->type, name(*locals_[i]));
        }
        if (!locals_.empty()) literal(*print, "]");
        return print;
    }

    static void quoted(ast::Print &print, Type type, ExprPtr value) {
        if (type == Type::String) literal(print, "\"");
        convert(print, type, std::move(value));
        if (type == Type::String) literal(print, "\"");
    }

    ast::StmtPtr statement(std::unique_ptr<ast::Print> print) const {
        return std::make_unique<ast::ExprStmt>(global_.at, std::move(print));
    }

    // name=1, name="text"
    ast::StmtPtr value() const {
        auto print = line();
        literal(*print, "=");
        quoted(*print, global_.type, element());
        literal(*print, "\n");
        return statement(std::move(print));
    }

    // name @count=1 @min=1 ..., or name @count=0 when there is nothing to report.
    ast::StmtPtr statistic() const {
        constexpr std::pair<StatOpKind, const char *> kFields[] = {{StatOpKind::Count, " @count="},
                                                                   {StatOpKind::Min, " @min="},
                                                                   {StatOpKind::Max, " @max="},
                                                                   {StatOpKind::Sum, " @sum="},
                                                                   {StatOpKind::Avg, " @avg="}};
        auto full = line();
        for (const auto &[op, label] : kFields) {
            literal(*full, label);
            convert(*full, Type::Long, stat(op));
        }
        literal(*full, "\n");
        auto empty = line();
        if (!locals_.empty()) empty->pieces.front().flag = Piece::Flag::None;  // elements have samples
        literal(*empty, " @count=0\n");
        auto choice = std::make_unique<ast::If>(global_.at);
        choice->cond = stat(StatOpKind::Count);
        choice->then_stmt = statement(std::move(full));
        choice->else_stmt = statement(std::move(empty));
        return choice;
    }

    ast::Variable &global_;
    std::vector<ast::Variable *> locals_;
};

}  // namespace

void add_autoprint(resolve::Program &program) {
    std::unique_ptr<ast::File> file;
    for (ast::Variable *global : program.globals) {
        const bool of_script = global->at.file && global->at.file->origin() != Origin::Tapset;
        if (!of_script || global->is_read || !global->is_written || global->arity < 0) continue;
        if (!file) file = std::make_unique<ast::File>();
        Builder builder(*global);
        auto handler = std::make_unique<resolve::Handler>();
        handler->locals = builder.make_locals();
        handler->body = std::make_unique<ast::Block>(global->at);
        handler->body->body.push_back(builder.body());
        handler->synthetic = true;
        handler->user_point = "end";
        handler->derivation = {"end"};
        probes::Attach attach;
        attach.kind = probes::Kind::Begin;
        attach.arg = probes::SessionPhase{.phase = probes::Phase::End};
        attach.point = "end";
        handler->attaches.push_back(std::move(attach));
        auto probe = std::make_unique<ast::Probe>();
        probe->at = global->at;
        probe->file = file.get();
        handler->origin = probe.get();
        file->probes.push_back(std::move(probe));
        global->is_read = true;
        program.handlers.push_back(std::move(handler));
    }
    if (file) program.files.push_back(std::move(file));
}

}  // namespace tapir::types
