// SPDX-License-Identifier: GPL-2.0-or-later
// The functions that the grammar's actions call: they make nodes, make checks beyond the grammar, and feed it tokens.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "syntax/array_age.h"
#include "syntax/metrics.h"
#include "syntax/table_rows.h"
#include "syntax/token.h"
#include "syntax/triggers.h"

namespace tapir::syntax {

// The deepest tree the parser builds; every pass may recurse this far.
constexpr unsigned max_depth = 1000;

// Subtrees under construction, with the depth of what they hold.
struct ExprNode {
    ast::ExprPtr expr;
    unsigned depth = 0;
};
struct ExprList {
    std::vector<ast::ExprPtr> items;
    unsigned depth = 0;
};
struct StmtNode {
    ast::StmtPtr stmt;
    unsigned depth = 0;
};
struct StmtList {
    std::vector<ast::StmtPtr> items;
    unsigned depth = 0;
};
struct ComponentList {
    std::vector<ast::Component> items;
    unsigned depth = 0;
};
struct SignedNumber {
    SourceRef ref;
    int64_t value = 0;
    std::string option = {};  // as of ast::Number
};

// A probe point component's name, put together from the pieces between its stars.
struct Name {
    std::string text;
    SourceRef ref;
};
// One of the alternatives that braces leave, with the marks that stood inside the braces.
struct Path {
    std::vector<ast::PointComponent> components;
    bool optional = false;
    bool sufficient = false;
};
struct Paths {
    std::vector<Path> alternatives;
};
struct PointNode {
    Paths paths;
    bool optional = false;
    bool sufficient = false;
    ast::ExprPtr condition;
};
struct PointList {
    ast::ProbePoints points;
};
struct AliasHeads {
    ast::ProbePoints names;
    bool epilogue = false;
};
struct FunctionHead {
    std::unique_ptr<ast::Function> function;
};

struct ArrayLimits {
    bool wrap = false;
    std::optional<SignedNumber> size;
    int64_t age = 0;  // ns; 0: none
};

struct SortMark {
    ast::Foreach::Sort direction = ast::Foreach::Sort::None;
    SourceRef ref;
};
struct ForeachKey {
    std::unique_ptr<ast::VarRef> name;
    SortMark sort;
};
struct ForeachKeys {
    std::vector<ForeachKey> keys;
    std::unique_ptr<ast::VarRef> value;
    SortMark value_sort = {};
};
struct ForeachArray {
    ExprNode array;
    ExprList slice;
    const Token *stat = nullptr;
    SortMark sort;
};

class Builder {
  public:
    Builder(const std::deque<Token> &tokens, bool privileged, int64_t array_size_max, ast::File &file,
            Diagnostics &diagnostics)
        : tokens_(tokens),
          privileged_(privileged),
          array_size_max_(array_size_max),
          file_(file),
          diagnostics_(diagnostics) {}

    // --- tokens and errors
    const Token *next_token();
    void syntax_error(const std::vector<std::string> &expected);
    void internal_error(const std::string &message);
    // Forgets the broken item and moves to the next token that begins one.
    void recover();
    void end_item();

    // --- top-level items
    void probe(const Token *keyword, PointList points, StmtNode body);
    void alias(const Token *keyword, AliasHeads heads, PointList points, StmtNode body, StmtNode epilogue = {});
    void global(const Token *name, const ArrayLimits &limits, ExprNode init = {});
    void end_globals(bool is_private);
    FunctionHead function_head(bool is_private, const Token *name, ast::Type type, std::vector<ast::Param> params,
                               std::optional<int64_t> priority);
    void function(FunctionHead head, StmtNode body);
    void function(FunctionHead head, const Token *embedded);
    void embedded_code(const Token *code);
    // `texts`: name, what is known, patterns of files, loop, variables.
    void interpreter(const Token *keyword, const std::array<const Token *, 5> &texts, const Token *frames);
    void table(const Token *keyword, const Token *name, const std::vector<const Token *> &columns) {
        declare_table(file_, diagnostics_, keyword, name, columns);
    }
    // `parts`: name, kind, help, unit.
    void metric(const Token *keyword, const std::array<const Token *, 4> &parts,
                const std::vector<const Token *> &labels) {
        declare_metric(file_, diagnostics_, keyword, parts, labels);
    }
    SignedNumber array_size(const Token *at, SignedNumber size);
    int64_t array_age(const Token *time) { return read_array_age(*time, diagnostics_); }
    std::optional<int64_t> priority(const Token *at, SignedNumber value);
    ast::Type type(const Token *name);
    ast::Param parameter(const Token *name, ast::Type type);
    std::vector<ast::Param> list(ast::Param first);
    std::vector<ast::Param> append(std::vector<ast::Param> params, ast::Param next);

    // --- probe points
    Name name(const Token *token) const;
    Name name(const Token *first, const Token *next);
    Name name(Name first, const Token *next);
    Paths step(Name name, ExprNode argument = {});
    Paths path(Paths first, Paths next);
    Paths either(Paths first, Paths other);
    Paths marked(Paths paths, const Token *mark);
    PointNode point(Paths paths, const Token *mark, ExprNode condition = {});
    PointList points(PointNode point);
    PointList points(PointList list, PointNode point);
    AliasHeads alias_head(PointNode point, bool epilogue);
    AliasHeads alias_head(AliasHeads heads, PointNode point, bool epilogue);

    // --- statements
    StmtList append(StmtList list, StmtNode stmt);
    StmtNode block(const Token *at, StmtList list);
    StmtNode null_statement(const Token *at);
    StmtNode expression(ExprNode expr);
    StmtNode embedded_statement(const Token *code);
    StmtNode if_statement(const Token *at, ExprNode cond, StmtNode then_stmt, StmtNode else_stmt = {});
    StmtNode for_statement(const Token *at, ExprNode init, ExprNode cond, ExprNode step, StmtNode body);
    StmtNode while_statement(const Token *at, ExprNode cond, StmtNode body);
    StmtNode foreach_statement(const Token *at, ForeachKeys keys, ForeachArray array, StmtNode body,
                               ExprNode limit = {});
    StmtNode return_statement(const Token *at, ExprNode value = {});
    StmtNode delete_statement(const Token *at, ExprNode target);
    StmtNode next_statement(const Token *at);
    StmtNode break_statement(const Token *at);
    StmtNode continue_statement(const Token *at);
    StmtNode try_statement(const Token *at, StmtNode body, const Token *error, StmtNode handler);
    StmtNode trigger(const Token *keyword, const Token *name, TriggerParts parts, const Token *end, StmtNode more = {});
    TriggerParts trigger_part(TriggerParts parts, ExprNode value);
    TriggerParts trigger_held(const Token *at, TriggerParts parts, ExprNode time);
    TriggerParts trigger_limit(const Token *at, TriggerParts parts, ExprNode limit);
    ForeachKey foreach_key(const Token *name, SortMark sort);
    ForeachKeys foreach_keys(ForeachKey key);
    ForeachKeys foreach_keys(ForeachKeys keys, ForeachKey key);
    ForeachKeys foreach_value(const Token *name, SortMark sort, ForeachKeys keys);
    SortMark sort_mark(const Token *mark) const;
    ForeachArray foreach_array(ExprNode array, ExprList slice, const Token *stat, SortMark sort);

    // --- expressions
    SignedNumber signed_number(const Token *token, bool negative);
    ExprNode number(const Token *token);
    ExprNode number(SignedNumber literal);
    ExprNode string(const Token *token);
    ExprNode embedded_value(const Token *code);
    ExprNode variable(const Token *name);
    ExprNode index(const Token *name, ExprList keys);
    ExprNode whole(ExprNode operand);  // refuses a slice
    ExprNode bucket(ExprNode hist, const Token *at, ExprNode key);
    ExprNode unary(const Token *at, ast::UnaryOp op, ExprNode operand);
    ExprNode address_of(const Token *at, ExprNode target);
    ExprNode inc_dec(const Token *at, bool increment, bool prefix, ExprNode target);
    ExprNode binary(const Token *at, ast::BinaryOp op, ExprNode left, ExprNode right);
    ExprNode logical(const Token *at, bool is_and, ExprNode left, ExprNode right);
    ExprNode compare(const Token *at, ast::CompareOp op, ExprNode left, ExprNode right);
    ExprNode concat(const Token *at, ExprNode left, ExprNode right);
    ExprNode regex(const Token *at, bool negated, ExprNode left, const Token *pattern);
    ExprNode in(const Token *at, ExprNode key, ExprNode array);
    ExprNode in(const Token *at, ExprList keys, ExprNode array);
    ExprNode ternary(const Token *at, ExprNode cond, ExprNode then_expr, ExprNode else_expr);
    ExprNode assign(const Token *at, ast::AssignOp op, ExprNode target, ExprNode value);
    ExprNode call(const Token *name, ExprList args);
    ExprNode print(const Token *name, ExprList args);
    ExprNode print(const Token *name, ExprNode hist);
    ExprNode row(const Token *keyword, const Token *table, ExprList values) {
        return grow(make_row(file_, diagnostics_, keyword, table, std::move(values.items)), values.depth);
    }
    ExprNode recall(const Token *keyword, const Token *name, const Token *events, ExprList values) {
        return grow(make_recall(file_, diagnostics_, keyword, name, events, std::move(values.items)), values.depth);
    }
    ExprNode after(const Token *keyword, const Token *name) { return grow(make_after(file_, keyword, name), 0); }
    ExprNode stat_op(const Token *op, ExprNode stat);
    ExprNode variance(const Token *op, ExprNode stat, SignedNumber shift);
    ExprNode percentile(const Token *op, ExprNode stat, ExprNode part, ExprNode whole);  // an empty `whole`: 100
    ExprNode unit(ExprNode hist, const Token *unit);                                     // null: none was written
    ExprNode refuse_unit(ExprNode hist);  // of a histogram that is not printed
    ExprNode hist_log(const Token *op, ExprNode stat);
    ExprNode hist_linear(const Token *op, ExprNode stat, SignedNumber low, SignedNumber high, SignedNumber width);
    ExprNode hist_loglinear(const Token *op, ExprNode stat, SignedNumber low, SignedNumber high, SignedNumber steps);
    ExprNode entry(const Token *op, ExprNode operand);
    ExprNode defined(const Token *op, ExprNode operand);
    ExprNode probe_write(const Token *op, const Token *name);
    ExprNode constant(const Token *op, const Token *code);
    ExprNode enumerator(const Token *op, const Token *name, const Token *module);
    ExprNode enumerator_name(const Token *op, const Token *type, ExprNode value, const Token *module);
    ExprNode perf(const Token *op, const Token *name);
    ExprNode reg(const Token *op, bool user, ExprNode which);
    ExprNode deref(const Token *op, bool user, ExprNode size, ExprNode address);
    ExprList list(ExprNode first);
    ExprList append(ExprList list, ExprNode next);

    // --- target variables
    ExprNode target(const Token *name);
    ExprNode cast(const Token *op, ExprNode operand, const Token *type, const Token *module);
    ExprNode at_var(const Token *op, const Token *name, const Token *module);
    ExprNode with_members(ExprNode target, ComponentList members);
    ExprNode members_of(ExprNode value, ComponentList members);
    ComponentList member(const Token *arrow, const Token *name);
    ComponentList element(const Token *at, ExprNode index);
    ComponentList pretty(const Token *mark);
    ComponentList components(ComponentList first);
    ComponentList components(ComponentList list, ComponentList next);

  private:
    Diagnostic &report(Tag tag, const SourceRef &at, std::string message) {
        return diagnostics_.report(tag, at, std::move(message));
    }
    // The node, or a harmless one and an error when the tree would get too deep.
    ExprNode grow(ast::ExprPtr expr, unsigned depth_below);
    StmtNode grow(ast::StmtPtr stmt, unsigned depth_below);
    void too_deep(const SourceRef &at);
    void require_privilege(const Token *at, Tag tag, const std::string &what);
    void require_probe_context();
    void refuse_slice(const ExprNode &operand);
    void check_print_arguments(const ast::Print &print);
    void set_format(ast::Print &print, ExprList &args);
    void set_delimiter(ast::Print &print, ExprList &args);
    void add_members(std::vector<ast::Component> &to, std::vector<ast::Component> members);

    const std::deque<Token> &tokens_;
    size_t next_ = 0;
    size_t last_delivered_ = 0;
    size_t item_begin_ = 0;  // the first token of the item being parsed, or the last one before it
    bool privileged_;
    int64_t array_size_max_;
    ast::File &file_;
    Diagnostics &diagnostics_;

    // State of the item being parsed:
    std::vector<std::unique_ptr<ast::Variable>> pending_globals_;
    std::vector<SourceRef> returns_;
    bool depth_reported_ = false;
};

}  // namespace tapir::syntax
