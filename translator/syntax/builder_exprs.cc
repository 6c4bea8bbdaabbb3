// SPDX-License-Identifier: GPL-2.0-or-later
// Expressions and target variables.
#include <tapir/hist_shape.h>
#include <tapir/items.h>

#include <algorithm>

#include "base/help.h"
#include "grammar.hh"
#include "syntax/builder.h"
#include "syntax/operators.h"
#include "syntax/unit_of_subject.h"

namespace tapir::syntax {

using T = Grammar::token;

ExprNode Builder::grow(ast::ExprPtr expr, unsigned depth_below) {
    if (depth_below < max_depth) return {std::move(expr), depth_below + 1};
    too_deep(expr->at);
    return {std::make_unique<ast::Number>(expr->at, 0), 1};
}

// ---------------------------------------------------------------- literals

SignedNumber Builder::signed_number(const Token *token, bool negative) {
    constexpr uint64_t lowest = uint64_t{1} << 63;
    if (token->problem)
        add_help(diagnostics_.report(*token->problem, token->ref, token->value),
                 "numbers are whole: decimal, 0x hexadecimal or 0 octal, up to 2^64-1, without suffixes");
    else if (negative && token->number > lowest)
        report(Tag::BadNumber, token->ref, "number invalid or out of range");
    return {token->ref, static_cast<int64_t>(negative ? 0 - token->number : token->number),
            token->problem ? "" : token->value};
}

ExprNode Builder::number(const Token *token) {
    return number(signed_number(token, false));
}

ExprNode Builder::number(SignedNumber literal) {
    auto number = std::make_unique<ast::Number>(literal.ref, literal.value);
    number->option = std::move(literal.option);
    return grow(std::move(number), 0);
}

ExprNode Builder::string(const Token *token) {
    return grow(std::make_unique<ast::String>(token->ref, token->value), 0);
}

ExprNode Builder::embedded_value(const Token *code) {
    require_privilege(code, Tag::EmbeddedCodeUnprivileged, "embedded code");
    return grow(std::make_unique<ast::EmbeddedCExpr>(code->ref, code->value), 0);
}

// ---------------------------------------------------------------- variables

ExprNode Builder::variable(const Token *name) {
    return grow(std::make_unique<ast::VarRef>(name->ref, std::string(name->ref.text)), 0);
}

ExprNode Builder::index(const Token *name, ExprList keys) {
    auto base = std::make_unique<ast::VarRef>(name->ref, std::string(name->ref.text));
    return grow(std::make_unique<ast::Index>(name->ref, std::move(base), std::move(keys.items)),
                std::max(keys.depth, 1u));
}

void Builder::refuse_slice(const ExprNode &operand) {
    if (operand.expr->kind != ast::ExprKind::Index) return;
    if (static_cast<const ast::Index &>(*operand.expr).has_wildcard())
        report(Tag::SliceNotAllowed, operand.expr->at,
               "'*' as an array index is for 'delete', 'in' and 'foreach' only");
}

ExprNode Builder::whole(ExprNode operand) {
    refuse_slice(operand);
    return operand;
}

ExprNode Builder::bucket(ExprNode hist, const Token *at, ExprNode key) {
    std::vector<ast::ExprPtr> keys;
    hist = refuse_unit(std::move(hist));
    keys.push_back(std::move(key.expr));
    return grow(std::make_unique<ast::Index>(at->ref, std::move(hist.expr), std::move(keys)),
                std::max(hist.depth, key.depth));
}

// ---------------------------------------------------------------- operators

ExprNode Builder::unary(const Token *at, ast::UnaryOp op, ExprNode operand) {
    if (op == ast::UnaryOp::Minus && operand.expr->kind == ast::ExprKind::Number) {
        auto &number = static_cast<ast::Number &>(*operand.expr);
        number.value = static_cast<int64_t>(0 - static_cast<uint64_t>(number.value));
        return operand;
    }
    return grow(std::make_unique<ast::Unary>(at->ref, op, std::move(operand.expr)), operand.depth);
}

ExprNode Builder::address_of(const Token *at, ExprNode target) {
    const auto refuse = [&] {
        report(Tag::NotLvalue, at->ref, "'&' needs a target variable, or a member or element of something");
    };
    auto mark = [&](auto &node) {
        if (node.address_of) refuse();
        node.address_of = true;
        if (!node.components.empty() && node.components.back().kind == ast::Component::Kind::Pretty)
            report(Tag::PrettyPrintNotLast, at->ref, "a pretty-printed value has no address");
    };
    if (target.expr->kind == ast::ExprKind::Target)
        mark(static_cast<ast::Target &>(*target.expr));
    else if (target.expr->kind == ast::ExprKind::Cast)
        mark(static_cast<ast::Cast &>(*target.expr));
    else if (target.expr->kind == ast::ExprKind::AtVar)
        mark(static_cast<ast::AtVar &>(*target.expr));
    else {
        // Reported later, if it is needed: a value that is no place has no address.
        auto address = std::make_unique<ast::Cast>(at->ref, std::move(target.expr));
        address->address_of = true;
        return grow(std::move(address), target.depth);
    }
    return target;
}

namespace {

bool is_memory(const ast::Expr &expr) {
    auto plain = [](const auto &node) {
        return !node.address_of &&
               (node.components.empty() || node.components.back().kind != ast::Component::Kind::Pretty);
    };
    switch (expr.kind) {
        case ast::ExprKind::Target:
            return plain(static_cast<const ast::Target &>(expr));
        case ast::ExprKind::Cast:
            return plain(static_cast<const ast::Cast &>(expr));
        case ast::ExprKind::AtVar:
            return plain(static_cast<const ast::AtVar &>(expr));
        default:
            return false;
    }
}

bool is_variable(const ast::Expr &expr) {
    if (expr.kind == ast::ExprKind::VarRef) return true;
    return expr.kind == ast::ExprKind::Index &&
           static_cast<const ast::Index &>(expr).base->kind == ast::ExprKind::VarRef;
}

}  // namespace

ExprNode Builder::inc_dec(const Token *at, bool increment, bool prefix, ExprNode target) {
    if (!is_variable(*target.expr) && !is_memory(*target.expr))
        report(Tag::NotLvalue, at->ref, "'" + std::string(at->ref.text) + "' needs a variable or array element");
    return grow(std::make_unique<ast::IncDec>(at->ref, increment, prefix, std::move(target.expr)), target.depth);
}

ExprNode Builder::binary(const Token *at, ast::BinaryOp op, ExprNode left, ExprNode right) {
    return grow(std::make_unique<ast::Binary>(at->ref, op, std::move(left.expr), std::move(right.expr)),
                std::max(left.depth, right.depth));
}

ExprNode Builder::logical(const Token *at, bool is_and, ExprNode left, ExprNode right) {
    return grow(std::make_unique<ast::Logical>(at->ref, is_and, std::move(left.expr), std::move(right.expr)),
                std::max(left.depth, right.depth));
}

ExprNode Builder::compare(const Token *at, ast::CompareOp op, ExprNode left, ExprNode right) {
    return grow(std::make_unique<ast::Compare>(at->ref, op, std::move(left.expr), std::move(right.expr)),
                std::max(left.depth, right.depth));
}

ExprNode Builder::concat(const Token *at, ExprNode left, ExprNode right) {
    return grow(std::make_unique<ast::Concat>(at->ref, std::move(left.expr), std::move(right.expr)),
                std::max(left.depth, right.depth));
}

ExprNode Builder::regex(const Token *at, bool negated, ExprNode left, const Token *pattern) {
    return grow(std::make_unique<ast::Regex>(at->ref, negated, std::move(left.expr), pattern->value, pattern->ref),
                left.depth);
}

ExprNode Builder::in(const Token *at, ExprNode key, ExprNode array) {
    return in(at, list(std::move(key)), std::move(array));
}

ExprNode Builder::in(const Token *at, ExprList keys, ExprNode array) {
    return grow(std::make_unique<ast::In>(at->ref, std::move(keys.items), std::move(array.expr)),
                std::max(keys.depth, array.depth));
}

ExprNode Builder::ternary(const Token *at, ExprNode cond, ExprNode then_expr, ExprNode else_expr) {
    return grow(std::make_unique<ast::Ternary>(at->ref, std::move(cond.expr), std::move(then_expr.expr),
                                               std::move(else_expr.expr)),
                std::max({cond.depth, then_expr.depth, else_expr.depth}));
}

ExprNode Builder::assign(const Token *at, ast::AssignOp op, ExprNode target, ExprNode value) {
    bool ok = is_variable(*target.expr) || (op != ast::AssignOp::Sample && is_memory(*target.expr));
    if (!ok) {
        Diagnostic &diagnostic =
            report(Tag::NotLvalue, at->ref,
                   "the left side of '" + std::string(at->ref.text) + "' must be a variable or array element");
        if (op == ast::AssignOp::Set) add_help(diagnostic, "'==' compares; '=' assigns to a variable");
    }
    return grow(std::make_unique<ast::Assign>(at->ref, op, std::move(target.expr), std::move(value.expr)),
                std::max(target.depth, value.depth));
}

ExprNode Builder::call(const Token *name, ExprList args) {
    return grow(std::make_unique<ast::Call>(name->ref, std::string(name->ref.text), std::move(args.items)), args.depth);
}

ExprList Builder::list(ExprNode first) {
    return append({}, std::move(first));
}

ExprList Builder::append(ExprList list, ExprNode next) {
    list.depth = std::max(list.depth, next.depth);
    list.items.push_back(std::move(next.expr));
    return list;
}

// ---------------------------------------------------------------- "@" operators

ExprNode Builder::stat_op(const Token *op, ExprNode stat) {
    return variance(op, std::move(stat), {});
}

ExprNode Builder::variance(const Token *op, ExprNode stat, SignedNumber shift) {
    constexpr int64_t most = 62;
    refuse_slice(stat);
    if (shift.value < 0 || shift.value > most)
        report(Tag::SizeOutOfRange, shift.ref, "bit shift of @variance out of range (0 to 62)");
    auto node = std::make_unique<ast::StatOp>(op->ref, stat_operator(op->ref.text), std::move(stat.expr));
    node->shift = shift.value;
    return grow(std::move(node), stat.depth);
}

// A number that is written must be in its range; others are checked when they are used.
ExprNode Builder::percentile(const Token *op, ExprNode stat, ExprNode part, ExprNode whole) {
    constexpr int64_t greatest_whole = 1000000000;
    refuse_slice(stat);
    const auto written = [](const ast::ExprPtr &e) {
        return e && e->kind == ast::ExprKind::Number ? &static_cast<const ast::Number &>(*e) : nullptr;
    };
    const ast::Number *of = written(whole.expr), *n = written(part.expr);
    int64_t most = whole.expr ? greatest_whole : 100;
    if (of && of->value >= 1 && of->value <= greatest_whole)
        most = of->value;
    else if (of)
        report(Tag::SizeOutOfRange, of->at, "whole of @percentile out of range (1 to 1000000000)");
    if (n && (n->value < 0 || n->value > most))
        report(Tag::SizeOutOfRange, n->at, "percentile out of range (0 to " + std::to_string(most) + ")");
    auto node = std::make_unique<ast::StatOp>(op->ref, stat_operator(op->ref.text), std::move(stat.expr));
    node->part = std::move(part.expr);
    node->whole = std::move(whole.expr);
    return grow(std::move(node), std::max({stat.depth, part.depth, whole.depth}));
}

// It stands behind numbers in a table.
static std::string complaint_about_measure(const std::string &text, const ast::Hist &hist) {
    constexpr ptrdiff_t most = 16;
    const auto is_control = [](unsigned char c) { return c < ' ' || c == 127; };
    const auto begins_character = [](unsigned char c) { return (c & 0xc0) != 0x80; };
    if (std::ranges::any_of(text, is_control) || std::ranges::count_if(*hist.unit, begins_character) > most)
        return "a unit has at most 16 characters, none of them a control character";
    if (hist.measure().size() >= TAPIR_HISTOGRAM_UNIT_BYTES)
        return "a unit and its subject have at most " + std::to_string(TAPIR_HISTOGRAM_UNIT_BYTES - 1) + " bytes";
    return complaint_about_unit(*hist.unit, "");
}

ExprNode Builder::unit(ExprNode hist, const Token *unit) {
    if (!unit) return hist;
    auto &node = static_cast<ast::Hist &>(*hist.expr);
    Measure measure = measure_of(unit->value);
    node.unit_at = unit->ref;
    node.unit = std::move(measure.unit);
    node.subject = std::move(measure.subject);
    if (const std::string complaint = complaint_about_measure(unit->value, node); !complaint.empty())
        add_help(diagnostics_.report(Tag::HistogramUnit, unit->ref, complaint),
                 "\"ns\", \"us\", \"ms\", \"s\" and \"bytes\" are scaled; any other text stands behind the numbers");
    return hist;
}

ExprNode Builder::refuse_unit(ExprNode hist) {
    const auto &node = static_cast<const ast::Hist &>(*hist.expr);
    if (node.unit)
        add_help(diagnostics_.report(Tag::HistogramUnit, node.unit_at,
                                     "only print and println take a histogram with a unit"),
                 "leave the unit out; buckets count the same without it");
    return hist;
}

ExprNode Builder::hist_log(const Token *op, ExprNode stat) {
    refuse_slice(stat);
    return grow(std::make_unique<ast::Hist>(op->ref, ast::HistShape{}, std::move(stat.expr)), stat.depth);
}

ExprNode Builder::hist_linear(const Token *op, ExprNode stat, SignedNumber low, SignedNumber high, SignedNumber width) {
    refuse_slice(stat);
    ast::HistShape shape{ast::HistShape::Kind::Linear, low.value, high.value, width.value};
    const auto complain = [&](const SignedNumber &at, const std::string &what) {
        report(Tag::HistogramBuckets, at.ref, what);
        shape = {};
    };
    const uint64_t most = TAPIR_HIST_MAX_BUCKETS - TAPIR_HIST_MIN_BUCKETS,
                   range = static_cast<uint64_t>(high.value) - static_cast<uint64_t>(low.value);
    if (width.value <= 0)
        complain(width, "the width of buckets must be positive, not " + std::to_string(width.value));
    else if (high.value < low.value)
        complain(high, "the high limit " + std::to_string(high.value) + " is below the low limit " +
                           std::to_string(low.value));
    else if (range / static_cast<uint64_t>(width.value) > most)
        complain(width, "more than the " + std::to_string(TAPIR_HIST_MAX_BUCKETS) +
                            " buckets that a histogram can have; use a width of " +
                            std::to_string(range / (most + 1) + 1) + " or more");
    return grow(std::make_unique<ast::Hist>(op->ref, shape, std::move(stat.expr)), stat.depth);
}

// The first power of ten in the range that cannot be split into the steps; none: -1.
static int64_t unsplit_magnitude(int64_t low, int64_t high, int64_t steps) {
    for (int64_t magnitude = low; magnitude <= high; magnitude++) {
        const uint64_t end = tapir_power_of_ten(magnitude + 1);
        if (end % tapir_loglinear_steps(steps, end) != 0) return magnitude;
    }
    return -1;
}

ExprNode Builder::hist_loglinear(const Token *op, ExprNode stat, SignedNumber low, SignedNumber high,
                                 SignedNumber steps) {
    constexpr int64_t most = TAPIR_HIST_MAGNITUDE_MAX;
    refuse_slice(stat);
    ast::HistShape shape{ast::HistShape::Kind::LogLinear, low.value, high.value, steps.value};
    const auto complain = [&](const SignedNumber &at, const std::string &what) {
        report(Tag::HistogramSteps, at.ref, what);
        shape = {};
    };
    if (low.value < 0 || low.value > most)
        complain(low, "lowest power of ten out of range (0 to 18)");
    else if (high.value < low.value || high.value > most)
        complain(high, "highest power of ten out of range (" + std::to_string(low.value) + " to 18)");
    else if (steps.value < 10 || steps.value % 10 != 0)
        complain(
            steps,
            "the steps of a power of ten must be a multiple of 10: from 0 to its end, one tenth of them lies below it");
    else if (const int64_t unsplit = unsplit_magnitude(low.value, high.value, steps.value); unsplit >= 0)
        complain(steps, std::to_string(steps.value) + " steps do not divide 10^" + std::to_string(unsplit + 1) +
                            " evenly; 10, 20, 50 and 100 always do");
    else if (shape.buckets() > TAPIR_HIST_LOGLINEAR_MAX)
        complain(steps, std::to_string(shape.buckets()) + " buckets are more than the " +
                            std::to_string(TAPIR_HIST_LOGLINEAR_MAX) + " a histogram can have; use fewer steps");
    return grow(std::make_unique<ast::Hist>(op->ref, shape, std::move(stat.expr)), stat.depth);
}

ExprNode Builder::entry(const Token *op, ExprNode operand) {
    return grow(std::make_unique<ast::Entry>(op->ref, std::move(operand.expr)), operand.depth);
}

ExprNode Builder::defined(const Token *op, ExprNode operand) {
    return grow(std::make_unique<ast::Defined>(op->ref, std::move(operand.expr)), operand.depth);
}

ExprNode Builder::probe_write(const Token *op, const Token *name) {
    return grow(std::make_unique<ast::ProbeWrite>(op->ref, std::string(name->ref.text)), 0);
}

ExprNode Builder::constant(const Token *op, const Token *code) {
    require_privilege(op, Tag::OperatorUnprivileged, "using @const operator");
    return grow(std::make_unique<ast::Const>(op->ref, code->value), 0);
}

ExprNode Builder::enumerator(const Token *op, const Token *name, const Token *module) {
    auto node = std::make_unique<ast::Enum>(op->ref);
    node->name = name->value;
    if (module) node->module = module->value;
    return grow(std::move(node), 0);
}

ExprNode Builder::enumerator_name(const Token *op, const Token *type, ExprNode value, const Token *module) {
    auto node = std::make_unique<ast::Enum>(op->ref);
    node->wants_name = true;
    if (type) node->name = type->value;
    node->value = std::move(value.expr);
    if (module) node->module = module->value;
    return grow(std::move(node), value.depth);
}

ExprNode Builder::perf(const Token *op, const Token *name) {
    return grow(std::make_unique<ast::Perf>(op->ref, name->value), 0);
}

ExprNode Builder::reg(const Token *op, bool user, ExprNode which) {
    if (!user) require_privilege(op, Tag::OperatorUnprivileged, "using @kregister operator");
    return grow(std::make_unique<ast::Register>(op->ref, user, std::move(which.expr)), which.depth);
}

ExprNode Builder::deref(const Token *op, bool user, ExprNode size, ExprNode address) {
    if (!user) require_privilege(op, Tag::OperatorUnprivileged, "using @kderef operator");
    return grow(std::make_unique<ast::Deref>(op->ref, user, std::move(size.expr), std::move(address.expr)),
                std::max(size.depth, address.depth));
}

// ---------------------------------------------------------------- target variables

namespace {

// Cuts "$" or "$$" off the end of a name; the number of dollars cut.
int cut_pretty(std::string &name) {
    int depth = 0;
    while (depth < 2 && name.size() > 1 && name.back() == '$') {
        name.pop_back();
        depth++;
    }
    return depth;
}

ast::Component pretty_component(const SourceRef &at, int depth) {
    ast::Component component;
    component.kind = ast::Component::Kind::Pretty;
    component.at = at;
    component.pretty_depth = depth;
    return component;
}

}  // namespace

void Builder::add_members(std::vector<ast::Component> &to, std::vector<ast::Component> members) {
    for (ast::Component &member : members) {
        if (!to.empty() && to.back().kind == ast::Component::Kind::Pretty)
            report(Tag::PrettyPrintNotLast, member.at, "nothing may follow the '$' of a pretty-printed value");
        to.push_back(std::move(member));
    }
}

ExprNode Builder::target(const Token *name) {
    std::string base(name->ref.text);
    int pretty = cut_pretty(base);
    auto node = std::make_unique<ast::Target>(name->ref, base);
    if (pretty) node->components.push_back(pretty_component(name->ref, pretty));
    return grow(std::move(node), 0);
}

ExprNode Builder::cast(const Token *op, ExprNode operand, const Token *type, const Token *module) {
    if (type->value.empty()) report(Tag::CastTypeEmpty, type->ref, "@cast needs a type name");
    auto node = std::make_unique<ast::Cast>(op->ref, std::move(operand.expr));
    node->type_name = type->value;
    if (module) node->module = module->value;
    return grow(std::move(node), operand.depth);
}

ExprNode Builder::at_var(const Token *op, const Token *name, const Token *module) {
    auto node = std::make_unique<ast::AtVar>(op->ref);
    node->name = name->value;
    if (module) node->module = module->value;
    return grow(std::move(node), 0);
}

ExprNode Builder::with_members(ExprNode target, ComponentList members) {
    unsigned depth = std::max(target.depth - 1, members.depth);
    if (target.expr->kind == ast::ExprKind::Target)
        add_members(static_cast<ast::Target &>(*target.expr).components, std::move(members.items));
    else if (target.expr->kind == ast::ExprKind::Cast)
        add_members(static_cast<ast::Cast &>(*target.expr).components, std::move(members.items));
    else
        add_members(static_cast<ast::AtVar &>(*target.expr).components, std::move(members.items));
    return grow(std::move(target.expr), depth);
}

ExprNode Builder::members_of(ExprNode value, ComponentList members) {
    auto node = std::make_unique<ast::Cast>(members.items[0].at, std::move(value.expr));
    add_members(node->components, std::move(members.items));
    return grow(std::move(node), std::max(value.depth, members.depth));
}

ComponentList Builder::member(const Token *arrow, const Token *name) {
    ComponentList list;
    ast::Component component;
    component.at = arrow->ref;
    component.member = name->ref.text;
    int pretty = cut_pretty(component.member);
    list.items.push_back(std::move(component));
    if (pretty) list.items.push_back(pretty_component(name->ref, pretty));
    return list;
}

ComponentList Builder::element(const Token *at, ExprNode index) {
    ComponentList list;
    ast::Component component;
    component.kind = ast::Component::Kind::Index;
    component.at = at->ref;
    component.index = std::move(index.expr);
    list.items.push_back(std::move(component));
    list.depth = index.depth;
    return list;
}

ComponentList Builder::pretty(const Token *mark) {
    ComponentList list;
    list.items.push_back(pretty_component(mark->ref, static_cast<int>(mark->ref.text.size())));
    return list;
}

ComponentList Builder::components(ComponentList first) {
    return first;
}

ComponentList Builder::components(ComponentList list, ComponentList next) {
    list.depth = std::max(list.depth, next.depth);
    for (ast::Component &component : next.items)
        list.items.push_back(std::move(component));
    return list;
}

}  // namespace tapir::syntax
