// SPDX-License-Identifier: GPL-2.0-or-later
#include "syntax/preprocessor.h"

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "base/name_patterns.h"
#include "grammar.hh"
#include "syntax/conditional.h"
#include "syntax/operators.h"
#include "syntax/scanner.h"

namespace tapir::syntax {

using T = Grammar::token;

namespace {

// Bounds for macros that expand to ever more: tokens in all, and expansions inside expansions.
constexpr size_t max_expanded_tokens = 250'000;
constexpr size_t max_expansion_depth = 500;

// The names in a macro's body: its parameters' arguments, each to be read in the scope of the macro's use.
struct Scope {
    const Macro *macro;
    std::vector<std::vector<Token>> args;
    std::shared_ptr<const Scope> outer;
};
using ScopePtr = std::shared_ptr<const Scope>;

// A list of tokens being read in place of a macro use or parameter.
struct Frame {
    const std::vector<Token> *tokens;
    size_t next = 0;
    ScopePtr scope;              // what names mean in these tokens; null in the file itself
    ScopePtr keeps;              // keeps `tokens` alive
    const SourceRef *expansion;  // marks the tokens as coming from a macro's body; null for an argument's
};

class Preprocessor {
  public:
    Preprocessor(const SourceFile &file, const ParseOptions &options, MacroTable *library_out, Diagnostics &diagnostics)
        : file_(file),
          options_(options),
          library_out_(library_out),
          diagnostics_(diagnostics),
          scanner_(file, options.args, options.used_args) {}

    std::deque<Token> run();

  private:
    struct Conditional {
        SourceRef open;
        bool saw_else = false;
    };

    Token raw();
    Token expanded();
    ScopePtr scope() const { return frames_.empty() ? nullptr : frames_.back().scope; }
    enum class Use { None, Expanded, Wrong };
    // Starts reading what `token` stands for. Wrong: it has become an INVALID token that says why.
    Use expand(Token &token);
    const Macro *find(const std::string &name) const;
    // The complaint, or "".
    std::string read_arguments(const Token &use, const Macro &macro, std::vector<std::vector<Token>> &args);
    Use push(Frame frame, Token &token);
    void define(const Token &at);
    bool read_body(const SourceRef &at, std::vector<Token> &body);
    void add_macro(Macro macro);
    void handle(Token token, std::deque<Token> &out);
    void open_conditional(const Token &at);
    void skip(bool may_stop_at_else, const SourceRef &open);
    Token at_word(Token token);
    Diagnostic &report(Tag tag, const SourceRef &at, std::string message) {
        return diagnostics_.report(tag, at, std::move(message));
    }

    const SourceFile &file_;
    const ParseOptions &options_;
    MacroTable *library_out_;
    Diagnostics &diagnostics_;
    Scanner scanner_;
    std::vector<Frame> frames_;
    std::optional<Token> pending_;  // read ahead from the scanner
    std::map<std::string, Macro> local_;
    std::map<std::string, std::string> unknown_;  // what was said about such a word: macros may repeat it very often
    std::vector<Conditional> open_;
    size_t expanded_tokens_ = 0;
    bool ended_ = false;
};

// The next token as written, from the innermost expansion that is not finished or from the file.
Token Preprocessor::raw() {
    while (!frames_.empty()) {
        Frame &frame = frames_.back();
        if (frame.next == frame.tokens->size()) {
            frames_.pop_back();
            continue;
        }
        Token token = (*frame.tokens)[frame.next++];
        if (frame.expansion && !token.ref.expansion) token.ref.expansion = frame.expansion;
        if (++expanded_tokens_ > max_expanded_tokens) {
            if (!ended_)
                report(Tag::ExpansionLimit, token.ref,
                       "macros expand to more than " + std::to_string(max_expanded_tokens) + " tokens");
            ended_ = true;
            frames_.clear();
            break;
        }
        return token;
    }
    if (pending_) {
        Token token = std::move(*pending_);
        pending_.reset();
        return token;
    }
    Token token = scanner_.next();
    while (ended_ && token.kind != T::END)
        token = scanner_.next();
    if (ended_) token.problem = Tag::SyntaxError;
    return token;
}

// The next token after expansion of macros; conditional marks and @define come through.
Token Preprocessor::expanded() {
    while (true) {
        Token token = raw();
        if (token.kind != T::AT_WORD || token.ref.text == "@define") return token;
        Use use = expand(token);
        if (use == Use::None) return at_word(std::move(token));
        if (use == Use::Wrong) return token;
    }
}

// An "@" word that is no macro: an operator, or a mistake.
Token Preprocessor::at_word(Token token) {
    if (auto kind = at_operator(token.ref.text)) {
        token.kind = *kind;
        return token;
    }
    token.kind = T::INVALID;
    token.problem = Tag::UnknownOperator;
    auto [known, fresh] = unknown_.try_emplace(std::string(token.ref.text));
    if (fresh) {
        std::vector<std::string> names = at_operator_names();
        for (const auto &[name, macro] : local_)
            names.push_back("@" + name);
        if (options_.library_macros)
            for (const std::string &name : options_.library_macros->names())
                names.push_back("@" + name);
        known->second = "unknown operator or macro" + similar_text(similar_names(token.ref.text, names));
    }
    token.value = known->second;
    return token;
}

const Macro *Preprocessor::find(const std::string &name) const {
    ScopePtr inside = scope();
    if (!inside || !inside->macro->library) {
        auto local = local_.find(name);
        if (local != local_.end()) return &local->second;
    }
    if (library_out_)
        if (const Macro *macro = library_out_->find(name)) return macro;
    return options_.library_macros ? options_.library_macros->find(name) : nullptr;
}

namespace {

Macro macro_of_text(const std::string &name, const SourceFile &text) {
    Macro macro;
    macro.name = name;
    const std::vector<std::string> no_arguments;
    Scanner scanner(text, no_arguments, nullptr);
    for (Token token = scanner.next(); token.kind != T::END; token = scanner.next())
        macro.body.push_back(std::move(token));
    if (!macro.body.empty()) macro.at = macro.body.front().ref;
    return macro;
}

void invalidate(Token &token, Tag tag, std::string why) {
    token.kind = T::INVALID;
    token.problem = tag;
    token.value = std::move(why);
}

}  // namespace

Preprocessor::Use Preprocessor::push(Frame frame, Token &token) {
    if (frames_.size() >= max_expansion_depth) {
        invalidate(token, Tag::ExpansionLimit, "macros are nested too deeply");
        return Use::Wrong;
    }
    frames_.push_back(std::move(frame));
    return Use::Expanded;
}

Preprocessor::Use Preprocessor::expand(Token &token) {
    std::string name(token.ref.text.substr(1));
    ScopePtr inside = scope();
    if (inside) {
        const auto &params = inside->macro->params;
        auto param = std::find(params.begin(), params.end(), name);
        if (param != params.end()) {
            const auto &tokens = inside->args[static_cast<size_t>(param - params.begin())];
            return push({&tokens, 0, inside->outer, inside, nullptr}, token);
        }
    }
    const Macro *macro = find(name);
    if (!macro) return Use::None;
    for (const Scope *active = inside.get(); active; active = active->outer.get()) {
        if (active->macro != macro) continue;
        invalidate(token, Tag::MacroRecursion, "recursive use of macro '@" + name + "'");
        return Use::Wrong;
    }
    auto body_scope = std::make_shared<Scope>();
    body_scope->macro = macro;
    body_scope->outer = inside;
    if (macro->has_params) {
        std::string complaint = read_arguments(token, *macro, body_scope->args);
        if (!complaint.empty()) {
            invalidate(token, Tag::MacroArguments, std::move(complaint));
            return Use::Wrong;
        }
    }
    return push({&macro->body, 0, body_scope, body_scope, file_.keep(token.ref)}, token);
}

// Splits "(a, b)" after a macro's name. Commas inside ( ) and [ ] do not split. Tokens stay unexpanded.
std::string Preprocessor::read_arguments(const Token &use, const Macro &macro, std::vector<std::vector<Token>> &args) {
    bool in_frame = !frames_.empty();
    // The list has to be in the same text as the name.
    auto next = [&]() {
        if (!frames_.empty() && frames_.back().next == frames_.back().tokens->size()) {
            Token end;
            end.kind = T::END;
            end.ref = use.ref;
            return end;
        }
        return raw();
    };
    std::string what = "macro '@" + macro.name + "'";
    Token token = next();
    if (token.kind != T::LPAREN) {
        if (token.kind != T::END) {
            if (in_frame)
                frames_.back().next--;
            else
                pending_ = token;
        }
        return "expected '(' after the name of " + what;
    }
    args.emplace_back();
    int depth = 1;
    while (true) {
        token = next();
        if (token.kind == T::END) return "could not find the ')' that ends the arguments of " + what;
        if (token.kind == T::LPAREN || token.kind == T::LBRACKET) depth++;
        if (token.kind == T::RPAREN || token.kind == T::RBRACKET) depth--;
        if (depth == 0) break;
        if (depth == 1 && token.kind == T::COMMA)
            args.emplace_back();
        else
            args.back().push_back(std::move(token));
    }
    if (macro.params.empty() && args.size() == 1 && args[0].empty()) args.clear();
    if (args.size() == macro.params.size()) return "";
    return what + " needs " + std::to_string(macro.params.size()) + " arguments, not " + std::to_string(args.size());
}

// ---------------------------------------------------------------- @define

bool Preprocessor::read_body(const SourceRef &at, std::vector<Token> &body) {
    int depth = 1;
    while (true) {
        Token token = raw();
        if (token.kind == T::END) {
            report(Tag::MacroDefinition, at, "could not find the '%)' that ends the macro");
            ended_ = true;
            return false;
        }
        if (token.kind == T::PP_OPEN) depth++;
        if (token.kind == T::PP_CLOSE && --depth == 0) return true;
        if (token.kind == T::AT_WORD && token.ref.text == "@define") {
            report(Tag::MacroDefinition, token.ref, "a macro may not define macros");
            continue;
        }
        body.push_back(std::move(token));
    }
}

void Preprocessor::define(const Token &at) {
    Macro macro;
    auto wrong = [&](const Token &token, const std::string &expected) {
        report(Tag::MacroDefinition, token.ref, "expected " + expected + " in @define");
        // Leave out what looks like the rest of the definition.
        Token next = token;
        while (next.kind != T::END && next.kind != T::PP_OPEN && next.ref.line == at.ref.line)
            next = raw();
        std::vector<Token> body;
        if (next.kind == T::PP_OPEN)
            read_body(next.ref, body);
        else if (next.kind != T::END)
            pending_ = next;
    };
    if (!frames_.empty()) {
        report(Tag::MacroDefinition, at.ref, "a macro may not define macros");
        return;
    }
    Token token = raw();
    if (token.ref.kind != TokenKind::Identifier && token.ref.kind != TokenKind::Keyword) return wrong(token, "a name");
    macro.name = token.ref.text;
    if (macro.name == "define") return wrong(token, "a name other than 'define'");
    macro.at = token.ref;
    macro.library = library_out_ != nullptr;
    token = raw();
    if (token.kind == T::LPAREN) {
        macro.has_params = true;
        token = raw();
        while (token.kind != T::RPAREN) {
            if (token.ref.kind != TokenKind::Identifier && token.ref.kind != TokenKind::Keyword)
                return wrong(token, "a parameter's name");
            macro.params.emplace_back(token.ref.text);
            token = raw();
            if (token.kind == T::COMMA)
                token = raw();
            else if (token.kind != T::RPAREN)
                return wrong(token, "',' or ')'");
        }
        token = raw();
    }
    if (token.kind != T::PP_OPEN) return wrong(token, "'%('");
    if (read_body(token.ref, macro.body)) add_macro(std::move(macro));
}

void Preprocessor::add_macro(Macro macro) {
    SourceRef at = macro.at;
    std::string name = macro.name;
    if (at_operator("@" + name)) report(Tag::BuiltinRedefined, at, "macro redefines built-in operator '@" + name + "'");
    const Macro *other = nullptr;
    if (library_out_) {
        if (!library_out_->add(std::move(macro))) other = library_out_->find(name);
    } else if (auto [place, added] = local_.emplace(name, std::move(macro)); !added) {
        other = &place->second;
    }
    if (!other) return;
    Diagnostic &diagnostic = report(Tag::MacroDuplicate, at, "attempt to redefine macro '@" + name + "'");
    diagnostic.causes.push_back({Tag::MacroDuplicate, "macro was first defined here", other->at, {}, Severity::Error});
}

// ---------------------------------------------------------------- conditionals

constexpr const char *kSecondThen = "unexpected '%?'; '%:' begins what is read otherwise";

// Reads over tokens up to the "%)" that closes the current conditional, or its "%:" where that may come first.
void Preprocessor::skip(bool may_stop_at_else, const SourceRef &open) {
    int depth = 0;
    while (true) {
        Token token = raw();
        if (token.kind == T::END) {
            report(Tag::ConditionalUnbalanced, open, "could not find the '%)' that ends the conditional");
            ended_ = true;
            open_.clear();
            return;
        }
        if (token.kind == T::PP_OPEN) depth++;
        if (token.kind == T::PP_THEN && depth == 0) report(Tag::ConditionalUnbalanced, token.ref, kSecondThen);
        if (token.kind == T::PP_ELSE && depth == 0) {
            if (may_stop_at_else) {
                open_.push_back({open, true});
                return;
            }
            report(Tag::ConditionalUnbalanced, token.ref, "unexpected '%:'");
        }
        if (token.kind == T::PP_CLOSE && depth-- == 0) return;
    }
}

void Preprocessor::open_conditional(const Token &at) {
    std::vector<Token> condition;
    while (true) {
        Token token = expanded();
        if (token.kind == T::PP_THEN) break;
        if (token.kind == T::END || token.kind == T::PP_OPEN || token.kind == T::PP_ELSE || token.kind == T::PP_CLOSE) {
            report(Tag::BadConditional, token.ref, "expected '%?' after the condition");
            // Where the conditional's code begins is unknown.
            ended_ = true;
            frames_.clear();
            open_.clear();
            return;
        }
        condition.push_back(std::move(token));
    }
    bool taken = evaluate_condition(condition, at.ref, options_.facts, diagnostics_);
    if (taken)
        open_.push_back({at.ref, false});
    else
        skip(true, at.ref);
}

void Preprocessor::handle(Token token, std::deque<Token> &out) {
    switch (token.kind) {
        case T::PP_OPEN:
            open_conditional(token);
            return;
        case T::PP_THEN:
            report(Tag::ConditionalUnbalanced, token.ref, open_.empty() ? "unexpected '%?'" : kSecondThen);
            return;
        case T::PP_ELSE:
            if (open_.empty() || open_.back().saw_else) {
                report(Tag::ConditionalUnbalanced, token.ref, "unexpected '%:'");
                return;
            }
            {
                SourceRef open = open_.back().open;
                open_.pop_back();
                skip(false, open);
            }
            return;
        case T::PP_CLOSE:
            if (open_.empty())
                report(Tag::ConditionalUnbalanced, token.ref, "unexpected '%)'");
            else
                open_.pop_back();
            return;
        case T::AT_WORD:  // only @define comes through
            define(token);
            return;
        default:
            if (library_out_ && out.empty()) {
                if (token.problem)
                    report(*token.problem, token.ref, token.value);
                else
                    report(Tag::MacroFileContent, token.ref, "expected '@define'; a macro file holds nothing else");
            }
            out.push_back(std::move(token));
    }
}

std::deque<Token> Preprocessor::run() {
    std::deque<Token> out;
    // A script that redefines what the command line gave is told so, as with any two macros of a name.
    if (file_.origin() != Origin::Tapset)
        for (const auto &[name, text] : options_.pasted)
            local_.emplace(name, macro_of_text(name, *text));
    while (true) {
        Token token = expanded();
        if (token.kind == T::END) {
            if (!open_.empty())
                report(Tag::ConditionalUnbalanced, open_.back().open,
                       "could not find the '%)' that ends the conditional");
            out.push_back(std::move(token));
            return out;
        }
        handle(std::move(token), out);
    }
}

}  // namespace

std::deque<Token> preprocess(const SourceFile &file, const ParseOptions &options, Diagnostics &diagnostics) {
    return Preprocessor(file, options, nullptr, diagnostics).run();
}

void preprocess_macro_file(const SourceFile &file, const ParseOptions &options, MacroTable &table,
                           Diagnostics &diagnostics) {
    Preprocessor(file, options, &table, diagnostics).run();
}

}  // namespace tapir::syntax
