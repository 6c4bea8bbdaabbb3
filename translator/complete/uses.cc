// SPDX-License-Identifier: GPL-2.0-or-later
#include "complete/uses.h"

#include <algorithm>
#include <set>

#include <grammar.hh>
#include "base/source.h"
#include "syntax/operator_kinds.h"
#include "syntax/scanner.h"

namespace tapir::complete {

using T = syntax::Grammar::token;

namespace {

bool assigns(int kind) {
    return kind == T::INCREMENT || kind == T::DECREMENT || syntax::is_assignment(kind);
}

class UseFinder {
  public:
    explicit UseFinder(std::string_view text) : text_(text), file_("", std::string(text), Origin::UserScript) {}

    std::vector<Use> run() {
        static const std::vector<std::string> none;
        syntax::Scanner scanner(file_, none, nullptr);
        for (syntax::Token token = scanner.next();; token = scanner.next()) {
            tokens_.push_back(token);
            if (token.kind == T::END) break;
        }
        for (size_t i = 0; i + 1 < tokens_.size(); i++)
            take(i);
        return std::move(uses_);
    }

  private:
    int kind(size_t i) const { return i < tokens_.size() ? tokens_[i].kind : static_cast<int>(T::END); }
    int before(size_t i) const { return i > 0 ? tokens_[i - 1].kind : static_cast<int>(T::END); }
    bool begins_line(size_t i) const { return tokens_[i].ref.column == 1; }

    void begin_item(size_t i) {
        head_ = tokens_[i].kind;
        // "private global" and "private function" are one item.
        if (before(i) != T::PRIVATE) item_++;
        braces_ = parens_ = 0;
    }

    void take(size_t i) {
        const int token = kind(i);
        const bool name_in_path = head_ == T::PROBE && before(i) == T::DOT;
        if ((token == T::PROBE || token == T::FUNCTION || token == T::GLOBAL || token == T::PRIVATE) && !name_in_path &&
            (braces_ == 0 || begins_line(i))) {
            begin_item(i);
            return;
        }
        if (token == T::AT_WORD && tokens_[i].ref.text == "@define") macro_ = 1;
        if (token == T::AT_WORD && tokens_[i].ref.text == "@option" && braces_ == 0) head_ = T::AT_WORD;
        if (token == T::PP_OPEN && macro_) macro_++;
        if (token == T::PP_CLOSE && macro_ && --macro_ == 1) macro_ = 0;
        follow(i, token);
        if (token == T::IDENTIFIER) add(i);
    }

    void follow(size_t i, int token) {
        if (token == T::LPAREN) parens_++;
        if (token == T::RPAREN) {
            parens_ -= parens_ > 0;
            if (head_ == T::AT_WORD && parens_ == 0) head_ = 0;
        }
        if (token == T::LBRACE) {
            const bool path = head_ == T::PROBE && braces_ == 0 && parens_ == 0 &&
                              (paths_ || before(i) == T::DOT || before(i) == T::COMMA || before(i) == T::PROBE ||
                               before(i) == T::ASSIGN || before(i) == T::ADD_ASSIGN);
            if (path) {
                paths_++;
            } else {
                braces_++;
                if (braces_ == 1) head_ = 0;
            }
        }
        if (token == T::RBRACE) {
            if (paths_)
                paths_--;
            else
                braces_ -= braces_ > 0;
        }
        if (head_ == T::PROBE && token == T::IF && parens_ == 0) condition_ = true;
        if (token == T::COMMA || token == T::LBRACE) condition_ = condition_ && parens_ > 0;
    }

    void add(size_t i) {
        const syntax::Token &token = tokens_[i];
        Use use;
        use.name = token.ref.text;
        // Tokens are those of a copy of the text.
        use.begin = static_cast<size_t>(use.name.data() - file_.text().data());
        use.name = text_.substr(use.begin, use.name.size());
        use.item = item_;
        use.in_macro = macro_ > 1;
        const bool declares = braces_ == 0 && parens_ == 0;
        if (before(i) == T::ARROW || (i > 1 && tokens_[i - 1].ref.text == "@define")) {
            use.kind = UseKind::Other;
        } else if (macro_ == 1) {
            use.kind = UseKind::Macro;
        } else if (head_ == T::PROBE && braces_ == 0 && !(condition_ && parens_ > 0)) {
            use.kind = UseKind::Other;
            // An option may be the argument of a point.
            if (parens_ > 0) use.kind = UseKind::Variable;
        } else if (head_ == T::FUNCTION && braces_ == 0) {
            use.kind = parens_ > 0 ? UseKind::Parameter : UseKind::Function;
        } else if (head_ == T::AT_WORD) {
            use.global = before(i) == T::LPAREN && parens_ == 1;
            use.kind = use.global ? UseKind::Variable : UseKind::Other;
        } else if (kind(i + 1) == T::LPAREN) {
            use.kind = UseKind::Call;
        } else {
            use.kind = UseKind::Variable;
            use.global = (head_ == T::GLOBAL || head_ == T::PRIVATE) && declares &&
                         (before(i) == T::GLOBAL || before(i) == T::PRIVATE || before(i) == T::COMMA);
            use.written =
                assigns(kind(i + 1)) || before(i) == T::INCREMENT || before(i) == T::DECREMENT || is_loop_variable(i);
        }
        uses_.push_back(use);
    }

    // foreach ([a, b] in c): what stands between "foreach (" and "in".
    bool is_loop_variable(size_t i) const {
        for (size_t n = i; n > 0; n--) {
            const int token = kind(n - 1);
            if (token == T::LPAREN) return n > 1 && kind(n - 2) == T::FOREACH;
            if (token != T::LBRACKET && token != T::COMMA && token != T::IDENTIFIER && token != T::PLUS &&
                token != T::MINUS && token != T::ASSIGN)
                return false;
        }
        return false;
    }

    std::string_view text_;
    SourceFile file_;
    std::vector<syntax::Token> tokens_;
    std::vector<Use> uses_;
    int head_ = 0;  // PROBE, FUNCTION, GLOBAL, PRIVATE, AT_WORD in @option; 0: none
    size_t item_ = 0;
    int braces_ = 0, parens_ = 0, paths_ = 0;
    int macro_ = 0;  // 1: at the head of a @define, more: in its body
    bool condition_ = false;
};

// The name at an offset; null: none is there.
const Use *use_at(const std::vector<Use> &uses, size_t offset) {
    for (const Use &use : uses)
        if (use.begin <= offset && offset <= use.begin + use.name.size()) return &use;
    return nullptr;
}

bool is_function(const Use &use) {
    return use.kind == UseKind::Call || use.kind == UseKind::Function;
}

bool is_variable(const Use &use) {
    return use.kind == UseKind::Variable || use.kind == UseKind::Parameter;
}

// The items in which a parameter hides a global.
std::set<size_t> hiding_items(const std::vector<Use> &uses, std::string_view name) {
    std::set<size_t> items;
    for (const Use &use : uses)
        if (use.kind == UseKind::Parameter && use.name == name) items.insert(use.item);
    return items;
}

bool is_global(const std::vector<Use> &uses, std::string_view name) {
    return std::ranges::any_of(uses, [&](const Use &use) { return use.global && use.name == name; });
}

// The uses with the same meaning as one of them.
std::vector<const Use *> alike(const std::vector<Use> &uses, const Use &at) {
    std::vector<const Use *> found;
    const std::set<size_t> hiding = hiding_items(uses, at.name);
    const bool local = is_variable(at) && (hiding.contains(at.item) || !is_global(uses, at.name));
    const bool declared =
        std::ranges::any_of(uses, [&](const Use &use) { return use.kind == UseKind::Function && use.name == at.name; });
    if (is_function(at) && !declared) return found;
    for (const Use &use : uses) {
        if (use.name != at.name) continue;
        const bool same = is_function(at)    ? is_function(use)
                          : !is_variable(at) ? use.begin == at.begin
                          : local            ? is_variable(use) && use.item == at.item
                                             : is_variable(use) && !hiding.contains(use.item);
        if (same) found.push_back(&use);
    }
    return found;
}

bool is_name(const std::string &text) {
    if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
    return std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

Fault refuse(std::string text, std::string hint = {}) {
    return Fault{FaultTag::Misuse, std::move(text), std::move(hint)};
}

}  // namespace

std::vector<Use> uses_of(std::string_view text) {
    return UseFinder(text).run();
}

std::vector<size_t> same_name(std::string_view text, size_t offset) {
    const std::vector<Use> uses = uses_of(text);
    const Use *at = use_at(uses, offset);
    std::vector<size_t> places;
    if (!at || at->kind == UseKind::Other || at->kind == UseKind::Macro) return places;
    for (const Use *use : alike(uses, *at))
        places.push_back(use->begin);
    return places;
}

Outcome<std::vector<size_t>> rename_places(std::string_view text, size_t offset, const std::string &name) {
    const std::vector<Use> uses = uses_of(text);
    const Use *at = use_at(uses, offset);
    if (!at || (!is_variable(*at) && !is_function(*at)))
        return refuse("no variable or function of this script is here");
    const std::vector<std::string> keywords = syntax::keyword_names();
    if (!is_name(name) || std::ranges::find(keywords, name) != keywords.end())
        return refuse("'" + name + "' is no name for a variable or function");
    const std::vector<const Use *> found = alike(uses, *at);
    if (found.empty()) return refuse("'" + std::string(at->name) + "' is not declared in this script");
    const bool global = is_function(*at) || std::ranges::any_of(found, [](const Use *use) { return use->global; });
    const bool parameter = std::ranges::any_of(found, [](const Use *use) { return use->kind == UseKind::Parameter; });
    if (!global) {
        if (std::ranges::any_of(uses, [&](const Use &use) { return use.in_macro && use.name == at->name; }))
            return refuse("a macro mentions '" + std::string(at->name) + "', too", "rename it by hand");
        if (!parameter && std::ranges::none_of(found, [](const Use *use) { return use->written; }))
            return refuse("'" + std::string(at->name) + "' is not set here: it may be an alias's variable");
    }
    for (const Use &use : uses)
        if (use.name == name && use.kind != UseKind::Other && (global || use.item == at->item || use.global))
            return refuse("the script has a '" + name + "' already");
    std::vector<size_t> places;
    for (const Use *use : found)
        places.push_back(use->begin);
    return places;
}

}  // namespace tapir::complete
