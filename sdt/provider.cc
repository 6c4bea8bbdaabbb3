// SPDX-License-Identifier: GPL-2.0-or-later
#include "sdt/provider.h"

#include <algorithm>
#include <map>
#include <span>

#include "sdt/lexer.h"

namespace tapir::sdt {
namespace {

using Tokens = std::span<const Token>;

// Words after which a name is not a parameter's: `unsigned int`, `struct request`.
constexpr std::string_view kTypeWords[] = {"char",     "short", "int",   "long",     "float",    "double",   "signed",
                                           "unsigned", "void",  "_Bool", "bool",     "const",    "volatile", "restrict",
                                           "struct",   "union", "enum",  "register", "_Complex", "string"};

bool is_type_word(std::string_view word) {
    return std::find(std::begin(kTypeWords), std::end(kTypeWords), word) != std::end(kTypeWords);
}

bool is_tagged(std::string_view word) {
    return word == "struct" || word == "union" || word == "enum";
}

std::string joined(Tokens tokens) {
    std::string text;
    for (const Token &token : tokens) {
        const bool wide = !text.empty() && token.spaced && text.back() != '(' && text.back() != '[';
        text += (wide ? " " : "") + std::string(token.text);
    }
    return text;
}

// Which token is the parameter's name; tokens.size() if it has none. `pointer` is where a name would be in `int
// (*)(int)`, or 0.
size_t name_of(Tokens tokens, size_t &pointer) {
    pointer = 0;
    bool typed = false;  // a word for the type was there
    for (size_t i = 0; i < tokens.size(); ++i) {
        const Token &token = tokens[i];
        if (token.is("*") && i > 0 && tokens[i - 1].is("(")) {
            while (i + 1 < tokens.size() && (tokens[i + 1].is("*") || tokens[i + 1].is("const")))
                ++i;
            const bool named = i + 1 < tokens.size() && tokens[i + 1].kind == Token::Kind::Word;
            if (!named) pointer = i + 1;
            return named ? i + 1 : tokens.size();
        }
        if (token.is("[")) break;
        if (token.kind != Token::Kind::Word) continue;
        if (is_tagged(token.text)) {
            typed = true;
            ++i;  // its tag
        } else if (is_type_word(token.text)) {
            typed |= token.text != "const" && token.text != "volatile" && token.text != "restrict" &&
                     token.text != "register";
        } else if (typed) {
            return i;
        } else {
            typed = true;
        }
    }
    return tokens.size();
}

Argument argument_of(Tokens tokens) {
    size_t pointer = 0;
    const size_t name = name_of(tokens, pointer);
    Argument argument;
    if (name < tokens.size()) {
        argument.name = tokens[name].text;
        argument.before = joined(tokens.first(name));
        argument.after = joined(tokens.subspan(name + 1));
        return argument;
    }
    const auto bracket = std::find_if(tokens.begin(), tokens.end(), [](const Token &t) { return t.is("["); });
    const size_t cut = pointer ? pointer : static_cast<size_t>(bracket - tokens.begin());
    argument.before = joined(tokens.first(cut));
    argument.after = joined(tokens.subspan(cut));
    return argument;
}

class Parser {
  public:
    Parser(const Source &source, std::vector<Token> tokens, std::vector<Provider> &providers, const Report &report)
        : source_(source), tokens_(std::move(tokens)), providers_(providers), report_(report) {}

    bool run() {
        while (here().kind != Token::Kind::End) {
            if (!(here().is("provider") ? provider() : declaration())) return false;
        }
        return true;
    }

  private:
    const Token &here() const { return tokens_[at_]; }
    bool take(std::string_view sign) {
        if (!here().is(sign)) return false;
        ++at_;
        return true;
    }

    bool wrong(const Token &token, const std::string &text, std::string_view help = {}) const {
        report_(source_.message(token.at, "error", text, help));
        return false;
    }
    bool expected(const std::string &what, std::string_view help = {}) const {
        const std::string found =
            here().kind == Token::Kind::End ? "the file ends" : "there is '" + std::string(here().text) + "'";
        return wrong(here(), "expected " + what + ", but " + found, help);
    }

    // A declaration of C is of no interest: to its ';', or to the end of a body that has none.
    bool declaration() {
        const Token &begin = here();
        std::vector<const Token *> open;
        for (; here().kind != Token::Kind::End; ++at_) {
            if (here().is("(") || here().is("[") || here().is("{")) open.push_back(&here());
            if (here().is(")") || here().is("]") || here().is("}")) {
                if (open.empty())
                    return wrong(here(), "nothing is open that '" + std::string(here().text) + "' would close");
                open.pop_back();
            }
            if (!open.empty()) continue;
            if (take(";")) return true;
            if (here().is("provider") && here().at != begin.at)
                return wrong(begin, "this declaration has no ';' before the provider at line " + line_of(here()));
        }
        if (!open.empty()) return wrong(*open.back(), "this '" + std::string(open.back()->text) + "' is not closed");
        return wrong(begin, "this declaration has no ';'");
    }

    std::string line_of(const Token &token) const {
        const std::string place = source_.place(token.at);
        return place.substr(place.rfind(':') + 1);
    }

    bool provider() {
        ++at_;
        if (here().kind != Token::Kind::Word) return expected("the provider's name");
        const std::string name(here().text);
        ++at_;
        auto found =
            std::find_if(providers_.begin(), providers_.end(), [&](const Provider &p) { return p.name == name; });
        if (found == providers_.end()) found = providers_.insert(found, {name, {}});
        const Token &open = here();
        if (!take("{")) return expected("'{' and the provider's probes");
        while (!take("}")) {
            if (here().kind == Token::Kind::End) return wrong(open, "this '{' is not closed");
            if (!probe(*found)) return false;
        }
        take(";");
        return true;
    }

    bool probe(Provider &provider) {
        if (!take("probe")) return expected("'probe', or the provider's '}'");
        const Token &name = here();
        if (name.kind != Token::Kind::Word) return expected("the probe's name");
        ++at_;
        if (here().is("-")) return expected("'('", "write two underscores for a dash: first__half for first-half");
        Probe probe{std::string(name.text), {}, source_.place(name.at)};
        if (!here().is(";")) {
            if (!parameters(probe.arguments)) return false;
            // Types that D sees instead of those: of no interest here.
            std::vector<Argument> translated;
            if (take(":"))
                if (!parameters(translated)) return false;
        }
        if (!take(";")) return expected("';' behind the probe '" + probe.name + "'");
        if (probe.arguments.size() > kMostArguments)
            return wrong(name, "the probe '" + probe.name + "' has " + std::to_string(probe.arguments.size()) +
                                   " arguments; a mark has at most " + std::to_string(kMostArguments));
        for (const Probe &other : provider.probes)
            if (macro_name(provider, other) == macro_name(provider, probe))
                return wrong(name,
                             (other.name == probe.name ? "the probe '" + probe.name + "' is declared twice"
                                                       : "'" + probe.name + "' and '" + other.name +
                                                             "' have the same macro, " + macro_name(provider, probe)) +
                                 ", first at " + other.place);
        provider.probes.push_back(std::move(probe));
        return true;
    }

    bool parameters(std::vector<Argument> &arguments) {
        const Token &open = here();
        if (!take("(")) return expected("'('");
        size_t depth = 0, begin = at_;
        for (;; ++at_) {
            if (here().kind == Token::Kind::End || here().is(";") || here().is("{") || here().is("}"))
                return wrong(open, "this '(' is not closed");
            const bool last = depth == 0 && here().is(")");
            if (here().is("(") || here().is("[")) ++depth;
            if (last || (depth == 0 && here().is(","))) {
                const Tokens tokens(tokens_.data() + begin, at_ - begin);
                const bool none =
                    last && arguments.empty() && (tokens.empty() || (tokens.size() == 1 && tokens[0].is("void")));
                if (tokens.empty() && !none) return expected("an argument's type");
                if (!tokens.empty() && tokens.back().is("...")) return wrong(tokens.back(), "a mark cannot have '...'");
                if (!none) arguments.push_back(argument_of(tokens));
                begin = at_ + 1;
            }
            if (last) break;
            if (here().is(")") || here().is("]")) {
                if (depth == 0)
                    return wrong(here(), "nothing is open that '" + std::string(here().text) + "' would close");
                --depth;
            }
        }
        ++at_;
        return true;
    }

    const Source &source_;
    std::vector<Token> tokens_;
    std::vector<Provider> &providers_;
    const Report &report_;
    size_t at_ = 0;
};

}  // namespace

std::string Argument::declaration(std::string_view variable) const {
    const bool close = variable.empty() || before.empty() || before.back() == '*' || before.back() == '(';
    return before + (close ? "" : " ") + std::string(variable) + after;
}

bool read_providers(std::string_view text, const std::string &file, std::vector<Provider> &providers,
                    const Report &report) {
    Source source(text, file);
    auto tokens = read_tokens(source, report);
    return tokens && Parser(source, *std::move(tokens), providers, report).run();
}

}  // namespace tapir::sdt
