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

    // Prints it; of an array all elements, or so many.
    ast::StmtPtr body(int most = 0) {
        ast::StmtPtr output = global_.type == Type::Stat ? statistic() : value();
        if (global_.arity == 0) return output;
        auto loop = std::make_unique<ast::Foreach>(global_.at);
        for (auto &key : locals_)
            loop->keys.push_back(name(*key));
        loop->array = name(global_);
        loop->sort = ast::Foreach::Sort::Descending;
        if (most) loop->limit = std::make_unique<ast::Number>(global_.at, most);
        loop->body = std::move(output);
        return loop;
    }

    // @row(globals, NAME, KEYS): what is printed of the global follows.
    ast::StmtPtr head() const {
        constexpr std::string_view kColumns("globals\0name\0name\0\0keys\0\0", 26);
        auto print = std::make_unique<ast::Print>(global_.at);
        print->name = "@row";
        print->row_of = "globals";
        print->formatted = true;
        print->pieces.resize(3);
        print->pieces[0].flag = Piece::Flag::Table;
        print->pieces[0].literal = kColumns;
        print->pieces[1].conv = Piece::Conv::String;
        print->pieces[2].conv = Piece::Conv::Decimal;
        print->args.push_back(std::make_unique<ast::String>(global_.at, global_.name));
        print->args.push_back(std::make_unique<ast::Number>(global_.at, global_.arity));
        return statement(std::move(print));
    }

    // Gives it the value that it has when the session begins.
    ast::StmtPtr reset() const {
        if (!global_.init) return std::make_unique<ast::Delete>(global_.at, name(global_));
        ExprPtr first;
        if (global_.init->kind == ast::ExprKind::Number)
            first = std::make_unique<ast::Number>(global_.at, static_cast<const ast::Number &>(*global_.init).value);
        else
            first = std::make_unique<ast::String>(global_.at, static_cast<const ast::String &>(*global_.init).value);
        return set(std::move(first));
    }

    ast::StmtPtr set(ExprPtr value) const {
        return std::make_unique<ast::ExprStmt>(
            global_.at, std::make_unique<ast::Assign>(global_.at, ast::AssignOp::Set, name(global_), std::move(value)));
    }

    std::unique_ptr<ast::VarRef> reference() const { return name(global_); }

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

namespace {

constexpr const char kRefresh[] = "__refresh_ms", kReset[] = "__reset_";
constexpr uint64_t kResetMs = 10;
constexpr uint64_t kMillisecond = 1'000'000;
constexpr int64_t kUsualMs = 1000, kLeastMs = 10, kMostMs = 3'600'000;

// Adds handlers to a program, which belong to one file.
class HandlerMaker {
  public:
    explicit HandlerMaker(resolve::Program &program) : program_(program), file_(std::make_unique<ast::File>()) {}

    void at_end(ast::Variable &global) {
        probes::Attach attach;
        attach.kind = probes::Kind::Begin;
        attach.arg = probes::SessionPhase{.phase = probes::Phase::End};
        attach.point = "end";
        Builder builder(global);
        auto handler = make(global, std::move(attach));
        handler->locals = builder.make_locals();
        handler->body->body.push_back(builder.body());
        add(std::move(handler), global);
    }

    // Prints it, or the `most` largest elements.
    void at_intervals(ast::Variable &global, int most = 0) {
        probes::Attach attach;
        attach.kind = probes::Kind::Timer;
        attach.arg = probes::Interval{.period = static_cast<uint64_t>(kUsualMs) * kMillisecond, .may_be_late = true};
        attach.point = std::string("timer.ms(") + kRefresh + ")";
        attach.from_globals.push_back({kRefresh, "period", kMillisecond, 0, kLeastMs, kMostMs});
        Builder builder(global);
        auto handler = make(global, std::move(attach));
        handler->locals = builder.make_locals();
        handler->body->body.push_back(builder.head());
        handler->body->body.push_back(builder.body(most));
        add(std::move(handler), global);
    }

    // A timer that is armed while the loader asks for it, and so costs nothing otherwise.
    void at_wish(ast::Variable &global) {
        ast::Variable &wish = add_number(global.at, kReset + global.name, 0);
        wish.is_written = true;
        wish.live = ast::LiveRange{.least = 0, .most = 1, .choices = {}};
        probes::Attach attach;
        attach.kind = probes::Kind::Timer;
        attach.arg = probes::Interval{.period = kResetMs * kMillisecond, .may_be_late = true};
        attach.point = "timer.ms(" + std::to_string(kResetMs) + ")";
        const Builder builder(global), of_wish(wish);
        auto handler = make(global, std::move(attach));
        handler->condition = of_wish.reference();
        handler->body->body.push_back(builder.reset());
        handler->body->body.push_back(of_wish.set(std::make_unique<ast::Number>(global.at, 0)));
        add(std::move(handler), global);
    }

    // Declares the number that the loader sets: the handlers' interval.
    void add_interval(const SourceRef &at) { add_number(at, kRefresh, kUsualMs); }

    void finish() {
        if (!file_->probes.empty()) program_.files.push_back(std::move(file_));
    }

  private:
    ast::Variable &add_number(const SourceRef &at, std::string name, int64_t first) {
        auto number = std::make_unique<ast::Variable>();
        number->name = number->unique_name = std::move(name);
        number->at = number->type_from = at;
        number->scope = ast::Variable::Scope::Global;
        number->type = Type::Long;
        number->arity = 0;
        number->is_read = true;
        number->init = std::make_unique<ast::Number>(at, first);
        program_.globals.push_back(number.get());
        file_->globals.push_back(std::move(number));
        return *program_.globals.back();
    }

    static std::unique_ptr<resolve::Handler> make(const ast::Variable &global, probes::Attach attach) {
        auto handler = std::make_unique<resolve::Handler>();
        handler->body = std::make_unique<ast::Block>(global.at);
        handler->synthetic = true;
        handler->user_point = attach.point;
        handler->derivation = {attach.point};
        handler->attaches.push_back(std::move(attach));
        return handler;
    }

    void add(std::unique_ptr<resolve::Handler> handler, ast::Variable &global) {
        auto probe = std::make_unique<ast::Probe>();
        probe->at = global.at;
        probe->file = file_.get();
        handler->origin = probe.get();
        file_->probes.push_back(std::move(probe));
        global.is_read = true;
        program_.handlers.push_back(std::move(handler));
    }

    resolve::Program &program_;
    std::unique_ptr<ast::File> file_;
};

bool is_of_script(const ast::Variable &global) {
    return global.at.file && global.at.file->origin() != Origin::Tapset && global.arity >= 0;
}

bool is_displayed(const ast::Variable &global) {
    return is_of_script(global) && !global.is_read && global.is_written;
}

}  // namespace

void add_autoprint(resolve::Program &program, bool refresh) {
    std::vector<ast::Variable *> displayed;
    for (ast::Variable *global : program.globals)
        if (is_displayed(*global)) displayed.push_back(global);
    if (displayed.empty()) return;
    HandlerMaker maker(program);
    for (ast::Variable *global : displayed)
        maker.at_end(*global);
    if (refresh) {
        maker.add_interval(displayed.front()->at);
        for (ast::Variable *global : displayed)
            maker.at_intervals(*global);
    }
    maker.finish();
}

void add_monitor(resolve::Program &program) {
    constexpr size_t kLongestName = 64 - sizeof kReset;  // TAPIR_NAME_MAX with its NUL
    program.is_monitored = true;
    std::vector<ast::Variable *> monitored;
    for (ast::Variable *global : program.globals)
        if (is_of_script(*global) && global->type != Type::Unknown && !global->name.starts_with("__"))
            monitored.push_back(global);
    if (monitored.empty()) return;
    HandlerMaker maker(program);
    maker.add_interval(monitored.front()->at);
    for (ast::Variable *global : monitored) {
        global->is_monitored = true;
        if (global->is_written && !global->live && global->name.size() <= kLongestName) maker.at_wish(*global);
        maker.at_intervals(*global, kMonitoredElements);
    }
    maker.finish();
}

}  // namespace tapir::types
