// SPDX-License-Identifier: GPL-2.0-or-later
// Tokens, errors, top-level items and probe points.
#include <tapir/wire.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "base/help.h"
#include "common/quoting.h"
#include "grammar.hh"
#include "syntax/builder.h"
#include "syntax/embedded_pieces.h"
#include "syntax/mistakes.h"

namespace tapir::syntax {

using T = Grammar::token;

namespace {

// Braces multiply; a script that means this many points is a mistake.
constexpr size_t max_alternatives = 4096;

bool starts_item(const Token &token) {
    switch (token.kind) {
        case T::PROBE:
        case T::GLOBAL:
        case T::PRIVATE:
        case T::FUNCTION:
        case T::AT_INTERPRETER:
            return true;
        case T::EMBEDDED_BLOCK:
            return token.ref.column == 1;  // inside a body it is usually indented
        default:
            return false;
    }
}

}  // namespace

// ---------------------------------------------------------------- tokens and errors

const Token *Builder::next_token() {
    const Token &token = tokens_[next_];
    last_delivered_ = next_;
    if (next_ + 1 < tokens_.size()) next_++;
    return &token;
}

namespace {

bool contains(const std::vector<std::string> &list, std::string_view item) {
    return std::find(list.begin(), list.end(), item) != list.end();
}

// The expected tokens in the user's words.
std::string describe_expected(const std::vector<std::string> &expected) {
    if (contains(expected, "'probe'") && contains(expected, "'function'") && !contains(expected, "'return'"))
        return "expected 'probe', 'global', 'private', 'function', or '%{'";
    if (contains(expected, "'while'") && contains(expected, "'probe'"))
        return contains(expected, "'**'") ? "expected probe point" : "expected name";
    if (contains(expected, "'while'")) return "expected statement";
    if (contains(expected, "number") && contains(expected, "$variable")) return "expected expression";
    // After an operand everything that could go on with it is expected; name only what could end it.
    std::vector<std::string> names;
    bool after_operand = contains(expected, "'>>>'");
    for (const std::string &name : expected) {
        bool continues = after_operand && name != "')'" && name != "']'" && name != "','" && name != "';'" &&
                         name != "'}'" && name != "':'";
        if (!continues) names.push_back(name);
    }
    if (after_operand) names.insert(names.begin(), "operator");
    if (contains(expected, "'{'") && contains(expected, "'.'")) return "expected '{', or more of the probe point";
    if (names.empty() || names.size() > 6) return "unexpected token";
    std::string out = "expected ";
    for (size_t i = 0; i < names.size(); i++)
        out += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
    return out;
}

}  // namespace

void Builder::syntax_error(const std::vector<std::string> &expected) {
    const Token &seen = tokens_[last_delivered_];
    if (seen.kind == T::END && seen.problem) return;  // the preprocessor has said why the text ends here
    const bool invalid = seen.kind == T::INVALID;
    Diagnostic &diagnostic = diagnostics_.report(invalid ? *seen.problem : Tag::SyntaxError, seen.ref,
                                                 invalid ? seen.value : describe_expected(expected));
    Advice advice = advise({tokens_, item_begin_, last_delivered_, expected});
    add_help(diagnostic, std::move(advice.help));
    if (advice.opened)
        diagnostic.causes.push_back(
            {diagnostic.tag, std::move(advice.about_opened), advice.opened->ref, {}, Severity::Error});
}

void Builder::internal_error(const std::string &message) {
    report(Tag::SyntaxError, tokens_[last_delivered_].ref, message);
}

void Builder::recover() {
    next_ = last_delivered_;
    while (next_ + 1 < tokens_.size() && !starts_item(tokens_[next_]))
        next_++;
    pending_globals_.clear();
    end_item();
    item_begin_ = next_;
}

void Builder::end_item() {
    item_begin_ = last_delivered_;
    returns_.clear();
    depth_reported_ = false;
}

void Builder::too_deep(const SourceRef &at) {
    if (!depth_reported_) report(Tag::NestingLimit, at, "nested too deeply (limit " + std::to_string(max_depth) + ")");
    depth_reported_ = true;
}

void Builder::require_privilege(const Token *at, Tag tag, const std::string &what) {
    if (!privileged_) report(tag, at->ref, what + " in unprivileged script; need stap -g");
}

void Builder::require_probe_context() {
    for (const SourceRef &at : returns_)
        add_help(diagnostics_.report(Tag::ReturnOutsideFunction, at, "found 'return' not in function context"),
                 "'next' ends a handler");
}

// ---------------------------------------------------------------- items

void Builder::probe(const Token *keyword, PointList points, StmtNode body) {
    require_probe_context();
    auto probe = std::make_unique<ast::Probe>();
    probe->at = keyword->ref;
    probe->points = std::move(points.points);
    probe->body = std::move(body.stmt);
    file_.probes.push_back(std::move(probe));
}

void Builder::alias(const Token *keyword, AliasHeads heads, PointList points, StmtNode body, StmtNode epilogue) {
    require_probe_context();
    auto alias = std::make_unique<ast::Alias>();
    alias->at = keyword->ref;
    alias->names = std::move(heads.names);
    alias->points = std::move(points.points);
    alias->epilogue = heads.epilogue;
    alias->body = std::move(body.stmt);
    alias->epilogue_body = std::move(epilogue.stmt);
    file_.aliases.push_back(std::move(alias));
}

void Builder::global(const Token *name, const ArrayLimits &limits, ExprNode init) {
    const std::optional<SignedNumber> &size = limits.size;
    auto variable = std::make_unique<ast::Variable>();
    variable->name = name->ref.text;
    variable->at = name->ref;
    variable->scope = ast::Variable::Scope::Global;
    variable->wrap = limits.wrap;
    variable->age = limits.age;
    if (size) variable->max_entries = size->value;
    if (size) variable->size_option = size->option;
    if (init.expr && (size || limits.age))
        report(Tag::ArrayInitializer, init.expr->at, "arrays cannot have initializers");
    variable->init = std::move(init.expr);
    pending_globals_.push_back(std::move(variable));
}

void Builder::end_globals(bool is_private) {
    for (auto &variable : pending_globals_) {
        variable->is_private = is_private;
        file_.globals.push_back(std::move(variable));
    }
    pending_globals_.clear();
}

FunctionHead Builder::function_head(bool is_private, const Token *name, ast::Type type, std::vector<ast::Param> params,
                                    std::optional<int64_t> priority) {
    FunctionHead head{std::make_unique<ast::Function>()};
    head.function->name = name->ref.text;
    head.function->at = name->ref;
    head.function->declared = type;
    head.function->params = std::move(params);
    head.function->priority = priority;
    head.function->is_private = is_private;
    return head;
}

void Builder::function(FunctionHead head, StmtNode body) {
    head.function->body = std::move(body.stmt);
    auto pieces = split_embedded(*head.function, file_.functions.size());
    file_.functions.push_back(std::move(head.function));
    std::move(pieces.begin(), pieces.end(), std::back_inserter(file_.functions));
}

void Builder::function(FunctionHead head, const Token *embedded) {
    require_privilege(embedded, Tag::EmbeddedCodeUnprivileged, "embedded code");
    head.function->embedded_c = embedded->value;
    head.function->embedded_at = embedded->ref;
    file_.functions.push_back(std::move(head.function));
}

void Builder::embedded_code(const Token *code) {
    require_privilege(code, Tag::EmbeddedCodeUnprivileged, "embedded code");
    auto embedded = std::make_unique<ast::EmbeddedCode>();
    embedded->at = code->ref;
    embedded->code = code->value;
    file_.embedded.push_back(std::move(embedded));
}

namespace {

// function __frames_of:string (interpreter:string) { if (interpreter != NAME) next return FRAMES() }
std::unique_ptr<ast::Function> frames_function(const SourceRef &at, const std::string &name, const SourceRef &frames) {
    auto function = std::make_unique<ast::Function>();
    function->name = ast::kFramesOf;
    function->at = at;
    function->declared = ast::Type::String;
    function->params.push_back({"interpreter", ast::Type::String, at});
    auto other = std::make_unique<ast::If>(at);
    other->cond =
        std::make_unique<ast::Compare>(at, ast::CompareOp::Ne, std::make_unique<ast::VarRef>(at, "interpreter"),
                                       std::make_unique<ast::String>(at, name));
    other->then_stmt = std::make_unique<ast::Next>(at);
    auto result = std::make_unique<ast::Return>(at);
    result->value = std::make_unique<ast::Call>(frames, std::string(frames.text), std::vector<ast::ExprPtr>());
    auto body = std::make_unique<ast::Block>(at);
    body->body.push_back(std::move(other));
    body->body.push_back(std::move(result));
    function->body = std::move(body);
    return function;
}

std::vector<std::string> words_of(const std::string &text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

}  // namespace

void Builder::interpreter(const Token *keyword, const std::array<const Token *, 5> &texts, const Token *frames) {
    require_privilege(keyword, Tag::OperatorUnprivileged, "using @interpreter");
    constexpr size_t kRooms[] = {sizeof tapir_ioc_interpreter::name, sizeof tapir_ioc_interpreter::known,
                                 sizeof tapir_ioc_interpreter::files, sizeof tapir_ioc_interpreter::loop};
    for (size_t i = 0; i < std::size(kRooms); ++i)
        if (texts[i]->value.size() >= kRooms[i])
            report(Tag::InterpreterText, texts[i]->ref,
                   "this text may have " + std::to_string(kRooms[i] - 1) + " bytes at most");
    auto interpreter = std::make_unique<ast::Interpreter>();
    interpreter->at = keyword->ref;
    interpreter->name = texts[0]->value;
    interpreter->known = texts[1]->value;
    interpreter->files = texts[2]->value;
    interpreter->loop = texts[3]->value;
    interpreter->variables = words_of(texts[4]->value);
    interpreter->frames = frames->ref.text;
    interpreter->frames_of = frames_function(keyword->ref, interpreter->name, frames->ref);
    const std::vector<std::string> &variables = interpreter->variables;
    if (interpreter->name.empty()) report(Tag::InterpreterText, texts[0]->ref, "an interpreter needs a name");
    if (variables.empty() || variables.size() > TAPIR_INTERPRETER_VARIABLES)
        report(Tag::InterpreterText, texts[4]->ref,
               "this names 1 to " + std::to_string(TAPIR_INTERPRETER_VARIABLES) +
                   " variables of the interpreter's file, with spaces between them");
    for (const std::string &variable : variables)
        if (variable.size() >= sizeof tapir_ioc_interpreter::variables[0])
            report(Tag::InterpreterText, texts[4]->ref, "the name '" + variable + "' is too long");
    file_.interpreters.push_back(std::move(interpreter));
}

SignedNumber Builder::array_size(const Token *at, SignedNumber size) {
    if (size.value > 0 && size.value <= array_size_max_) return size;
    report(Tag::SizeOutOfRange, size.ref ? size.ref : at->ref,
           "array size out of range (1 to " + std::to_string(array_size_max_) +
               (array_size_max_ < INT32_MAX ? " without -g)" : ")"));
    return {size.ref, 1};
}

std::optional<int64_t> Builder::priority(const Token *at, SignedNumber value) {
    if (value.value >= 1) return value.value;
    report(Tag::SizeOutOfRange, value.ref ? value.ref : at->ref, "function priority out of range (1 and up)");
    return 1;
}

ast::Type Builder::type(const Token *name) {
    return name->kind == T::STRING_TYPE ? ast::Type::String : ast::Type::Long;
}

ast::Param Builder::parameter(const Token *name, ast::Type type) {
    ast::Param param;
    param.name = name->ref.text;
    param.at = name->ref;
    param.declared = type;
    return param;
}

std::vector<ast::Param> Builder::list(ast::Param first) {
    std::vector<ast::Param> params;
    params.push_back(std::move(first));
    return params;
}

std::vector<ast::Param> Builder::append(std::vector<ast::Param> params, ast::Param next) {
    params.push_back(std::move(next));
    return params;
}

// ---------------------------------------------------------------- probe points

Name Builder::name(const Token *token) const {
    return {std::string(token->ref.text), token->ref};
}

Name Builder::name(const Token *first, const Token *next) {
    return name(name(first), next);
}

Name Builder::name(Name first, const Token *next) {
    if (!next->glued)
        report(Tag::BadProbeName, next->ref, "blank inside the probe point component '" + first.text + "'");
    first.text += next->ref.text;
    return first;
}

Paths Builder::step(Name name, ExprNode argument) {
    Paths paths;
    ast::PointComponent component;
    component.name = std::move(name.text);
    component.at = name.ref;
    component.arg = std::move(argument.expr);
    paths.alternatives.emplace_back().components.push_back(std::move(component));
    return paths;
}

namespace {

void append_copy(Path &to, const Path &from) {
    for (const ast::PointComponent &component : from.components)
        to.components.push_back({component.name, component.at, component.arg ? ast::clone(*component.arg) : nullptr});
    to.optional |= from.optional;
    to.sufficient |= from.sufficient;
}

}  // namespace

Paths Builder::path(Paths first, Paths next) {
    if (next.alternatives.size() == 1 && first.alternatives.size() == 1) {
        Path &to = first.alternatives[0], &from = next.alternatives[0];
        for (ast::PointComponent &component : from.components)
            to.components.push_back(std::move(component));
        to.optional |= from.optional;
        to.sufficient |= from.sufficient;
        return first;
    }
    Paths paths;
    if (first.alternatives.size() * next.alternatives.size() > max_alternatives) {
        report(Tag::ProbeExpansionLimit, next.alternatives[0].components[0].at,
               "braces expand to more than " + std::to_string(max_alternatives) + " probe points");
        next.alternatives.resize(1);
        first.alternatives.resize(1);
    }
    for (const auto &head : first.alternatives) {
        for (const auto &tail : next.alternatives) {
            Path &joined = paths.alternatives.emplace_back();
            append_copy(joined, head);
            append_copy(joined, tail);
        }
    }
    return paths;
}

Paths Builder::either(Paths first, Paths other) {
    for (auto &alternative : other.alternatives)
        first.alternatives.push_back(std::move(alternative));
    return first;
}

Paths Builder::marked(Paths paths, const Token *mark) {
    for (Path &path : paths.alternatives)
        (mark->kind == T::QUESTION ? path.optional : path.sufficient) = true;
    return paths;
}

PointNode Builder::point(Paths paths, const Token *mark, ExprNode condition) {
    PointNode point;
    point.paths = std::move(paths);
    point.optional = mark && mark->kind == T::QUESTION;
    point.sufficient = mark && mark->kind == T::NOT;
    point.condition = std::move(condition.expr);
    return point;
}

PointList Builder::points(PointNode point) {
    return points(PointList{}, std::move(point));
}

PointList Builder::points(PointList list, PointNode point) {
    for (Path &path : point.paths.alternatives) {
        ast::ProbePoint added;
        added.at = path.components[0].at;
        added.components = std::move(path.components);
        added.sufficient = point.sufficient || path.sufficient;
        added.optional = !added.sufficient && (point.optional || path.optional);
        if (point.condition) added.condition = ast::clone(*point.condition);
        list.points.push_back(std::move(added));
    }
    return list;
}

AliasHeads Builder::alias_head(PointNode point, bool epilogue) {
    return alias_head({}, std::move(point), epilogue);
}

AliasHeads Builder::alias_head(AliasHeads heads, PointNode point, bool epilogue) {
    PointList list = points(std::move(point));
    ast::ProbePoint &name = list.points[0];
    bool plain = list.points.size() == 1 && !name.optional && !name.sufficient && !name.condition;
    for (const ast::PointComponent &component : name.components)
        plain = plain && component.name.find('*') == std::string::npos;
    if (!plain)
        report(Tag::AliasNameNotPlain, name.at,
               "the name of a probe alias may not have wildcards, braces, '?', '!' or a condition");
    heads.names.push_back(std::move(name));
    heads.epilogue = epilogue;
    return heads;
}

}  // namespace tapir::syntax
