// SPDX-License-Identifier: GPL-2.0-or-later
#include "tool/head.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "base/help.h"
#include "common/quoting.h"
#include "syntax/scanner.h"
#include "syntax/table_rows.h"
#include "tool/driver_options.h"

namespace tapir::tool {
namespace {

using syntax::Token;

bool is(const Token &token, std::string_view text) {
    return token.ref.text == text && (token.ref.kind == TokenKind::Operator || token.ref.kind == TokenKind::Keyword);
}

bool is_name(const Token &token) {
    return token.ref.kind == TokenKind::Identifier && token.ref.text[0] != '$';
}

// Finds @tool and @option at the top level of a script, and the places where options stand for literals.
class HeadReader {
  public:
    HeadReader(const SourceFile &file, Diagnostics &diagnostics)
        : file_(file), diagnostics_(diagnostics), scanner_(file, no_arguments_, nullptr) {
        for (Token token = scanner_.next(); token.ref.kind != TokenKind::EndOfFile; token = scanner_.next())
            tokens_.push_back(std::move(token));
        Token end;
        end.ref.kind = TokenKind::EndOfFile;
        tokens_.push_back(end);
    }

    std::optional<Head> read() {
        find_definitions();
        int braces = 0;
        for (size_t i = 0; i < tokens_.size(); ++i) {
            const Token &token = tokens_[i];
            if (is(token, "{")) braces++;
            if (is(token, "}")) braces--;
            if (is(token, "%(")) conditionals_++;
            if (is(token, "%)")) conditionals_--;
            if (is_argument(token)) head_.takes_arguments = true;
            if (braces != 0) continue;
            if (token.ref.text == "@tool" && !defined_.contains("tool")) take_tool(i);
            if (token.ref.text == "@table" && !defined_.contains("table")) take_table(i);
            if (token.ref.text == "@option" && !defined_.contains("option")) take_option(i);
        }
        if (!head_.at && head_.options.empty() && !wrong_) return std::nullopt;
        if (head_.name.empty()) head_.name = std::filesystem::path(file_.name()).stem();
        find_literals();
        check_order();
        return std::move(head_);
    }

  private:
    static bool is_argument(const Token &token) {
        const std::string_view text = token.ref.text;
        return text.size() > 1 && (text[0] == '$' || text[0] == '@') &&
               (text[1] == '#' || std::isdigit(static_cast<unsigned char>(text[1])));
    }

    Diagnostic &wrong(const SourceRef &at, std::string message, std::string help = {}) {
        wrong_ = true;
        return add_help(diagnostics_.report(Tag::ToolHead, at, std::move(message)), std::move(help));
    }

    // A script's own macros of these names mean what it says.
    void find_definitions() {
        for (size_t i = 0; i + 1 < tokens_.size(); ++i)
            if (tokens_[i].ref.text == "@define") defined_.insert(tokens_[i + 1].ref.text);
    }

    // The parts between the parentheses behind tokens_[i], by commas; nothing, with a report, if they do not end.
    std::optional<std::vector<std::vector<const Token *>>> parts(size_t i) {
        const SourceRef &at = tokens_[i].ref;
        if (!is(tokens_[i + 1], "(")) {
            wrong(at, "expected '(' after " + std::string(at.text));
            return std::nullopt;
        }
        std::vector<std::vector<const Token *>> list(1);
        int depth = 1;
        for (size_t j = i + 2;; ++j) {
            const Token &token = tokens_[j];
            if (token.ref.kind == TokenKind::EndOfFile) {
                wrong(at, "could not find the ')' that ends " + std::string(at.text));
                return std::nullopt;
            }
            if (is(token, "(")) depth++;
            if (is(token, ")") && --depth == 0) return list;
            if (depth == 1 && is(token, ","))
                list.emplace_back();
            else
                list.back().push_back(&token);
        }
    }

    // The text of string literals side by side.
    std::optional<std::string> text_of(const std::vector<const Token *> &part, const SourceRef &at, const char *what) {
        std::string text;
        for (const Token *token : part) {
            if (token->ref.kind != TokenKind::String) {
                wrong(token->ref, std::string("expected ") + what + " in quotes");
                return std::nullopt;
            }
            text += token->value;
        }
        if (!part.empty()) return text;
        wrong(at, std::string("expected ") + what + " in quotes");
        return std::nullopt;
    }

    void take_tool(size_t i) {
        const SourceRef &at = tokens_[i].ref;
        if (head_.at) {
            add_help(wrong(at, "a script is one tool"), "@tool stands at " + head_.at.where());
            return;
        }
        const auto list = parts(i);
        if (!list) return;
        if (list->size() != 3) {
            wrong(at, "@tool takes a name, a question and examples, in quotes");
            return;
        }
        const auto name = text_of((*list)[0], at, "a name"), question = text_of((*list)[1], at, "a question"),
                   examples = text_of((*list)[2], at, "examples");
        head_.at = at;
        if (name) take_name(*name, (*list)[0].front()->ref);
        if (question) take_question(*question, (*list)[1].front()->ref);
        for (size_t from = 0; examples && from < examples->size();) {
            const size_t end = std::min(examples->find('\n', from), examples->size());
            const std::string_view line = trim(std::string_view(*examples).substr(from, end - from));
            if (!line.empty()) head_.examples.emplace_back(line);
            from = end + 1;
        }
    }

    static bool is_tool_name(std::string_view name) {
        return !name.empty() && std::isalnum(static_cast<unsigned char>(name[0])) &&
               std::all_of(name.begin(), name.end(),
                           [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; });
    }

    // "offcpu (offcputime, waits)"
    void take_name(const std::string &text, const SourceRef &at) {
        const size_t open = text.find('(');
        if (const size_t close = text.find(')'); (close == std::string::npos) != (open == std::string::npos) ||
                                                 (open != std::string::npos && close + 1 != trim(text).size()))
            wrong(at, "'" + text + "' is not a name with other names in parentheses", kNameRule);
        head_.name = trim(std::string_view(text).substr(0, open));
        if (open != std::string::npos) {
            std::string_view rest = std::string_view(text).substr(open + 1);
            rest = rest.substr(0, rest.find(')'));
            while (!rest.empty()) {
                const size_t comma = std::min(rest.find(','), rest.size());
                head_.aliases.emplace_back(trim(rest.substr(0, comma)));
                rest.remove_prefix(std::min(comma + 1, rest.size()));
            }
        }
        for (const std::string &name : head_.aliases)
            if (!is_tool_name(name)) wrong(at, "'" + name + "' cannot be the name of a tool", kNameRule);
        if (!is_tool_name(head_.name)) wrong(at, "'" + head_.name + "' cannot be the name of a tool", kNameRule);
    }

    // "Waiting: where do threads wait?"
    void take_question(const std::string &text, const SourceRef &at) {
        const size_t colon = text.find(": ");
        if (colon != std::string::npos) head_.group = text.substr(0, colon);
        head_.question = colon == std::string::npos ? text : text.substr(colon + 2);
        if (trim(head_.question).empty()) wrong(at, "a tool answers a question, which is empty");
    }

    // Says what can be read; the parser reports the rest.
    void take_table(size_t i) {
        if (!is(tokens_[i + 1], "(")) return;
        Table table;
        for (const Token *token = &tokens_[i + 2]; !is(*token, ")") && token->ref.kind != TokenKind::EndOfFile;
             ++token) {
            const bool is_text = token->ref.kind == TokenKind::String;
            if (table.name.empty()) {
                table.name = is_text ? token->value : std::string(token->ref.text);
            } else if (is_text) {
                const ast::Table::Column column = syntax::read_column(token->value);
                table.columns.push_back({column.name, column.unit, column.subject});
            }
        }
        head_.tables.push_back(std::move(table));
    }

    void take_option(size_t i) {
        const SourceRef &at = tokens_[i].ref;
        const auto list = parts(i);
        if (!list) return;
        if (conditionals_ > 0) {
            wrong(at, "an option cannot depend on a condition, %( ... %)",
                  "options are known without a kernel: declare it outside, and use it inside");
            return;
        }
        if (list->size() != 3) {
            wrong(at, "@option takes a name, a default and a text that describes it");
            return;
        }
        const auto &[name, initial, spec] = std::tie((*list)[0], (*list)[1], (*list)[2]);
        if (name.size() != 1 || !is_name(*name[0])) {
            wrong(name.empty() ? at : name[0]->ref, "expected the name of the option, which is that of a global");
            return;
        }
        Option option;
        option.name = name[0]->ref.text;
        option.at = name[0]->ref;
        bool is_number = false;
        if (!take_initial(initial, at, option, is_number)) return;
        const auto text = text_of(spec, at, "the text that describes the option");
        if (!text) return;
        option.spec = spec.front()->ref;
        if (const Outcome<void> read = read_spec(*text, is_number, option); !read) {
            wrong(option.spec, "option '" + option.name + "': " + read.fault().text, read.fault().hint);
            return;
        }
        if (!check_initial(initial, option)) return;
        check_names(option);
        head_.options.push_back(std::move(option));
    }

    bool take_initial(const std::vector<const Token *> &part, const SourceRef &at, Option &option, bool &is_number) {
        const bool negative = part.size() == 2 && is(*part[0], "-");
        if ((part.size() == 1 || negative) && part.back()->ref.kind == TokenKind::Number && !part.back()->problem) {
            is_number = true;
            const auto number = static_cast<int64_t>(part.back()->number);
            option.initial = std::to_string(negative ? -number : number);
            option.default_at = part.back()->ref;
            return true;
        }
        const auto text = text_of(part, at, "the option's default, a number or text");
        if (!text) return false;
        if (part.size() > 1) {
            wrong(part[1]->ref, "the default of option '" + option.name + "' is one text");
            return false;
        }
        option.initial = *text;
        option.default_at = part.front()->ref;
        return true;
    }

    // Nothing, "", is a default of all texts, and 0 of process IDs: it says that the option was not given.
    bool check_initial(const std::vector<const Token *> &part, const Option &option) {
        if (option.initial.empty() || (option.type == Type::Pid && option.initial == "0")) return true;
        Option as_kept = option;
        // A number is written in the unit of the global.
        const Outcome<std::string> value = read_value(as_kept, option.initial);
        if (value || option.required) return true;
        wrong(part.front()->ref,
              "the default of option '" + option.name + "' is none of its values: " + value.fault().text);
        return false;
    }

    void check_names(const Option &option) {
        if (const Option *other = head_.find(option.name))
            wrong(option.at, "option '" + option.name + "' is declared twice", "the first is at " + other->at.where());
        const std::string name = option.long_name();
        if (is_driver_name(name.substr(2)) || (option.type == Type::Flag && is_driver_name("no-" + name.substr(2))))
            wrong(option.at, "every tool has an option " + name + " already", "choose another name");
        if (option.letter && is_driver_letter(option.letter))
            wrong(option.spec, std::string("every tool has an option -") + option.letter + " already",
                  "choose another letter, or none");
        if (option.type == Type::Points && option.initial.empty() && !option.required)
            wrong(option.spec, "option '" + option.name + "' has no probe points unless it is given",
                  "give it a default, or make it required");
        for (const Option &other : head_.options) {
            if (option.letter && option.letter == other.letter)
                wrong(option.spec,
                      std::string("the letter -") + option.letter + " is that of option '" + other.name + "'");
            for (const auto &[flag, negated] : {std::pair(&option, &other), std::pair(&other, &option)})
                if (flag->type == Type::Flag && !negated->positional && negated->name == "no_" + flag->name)
                    wrong(option.at, negated->long_name() + " is the flag " + flag->long_name() + " switched off",
                          "choose another name");
        }
    }

    // Words are matched with the options in their order.
    void check_order() {
        const Option *before = nullptr;
        for (const Option &option : head_.options) {
            if (!option.positional) continue;
            if (before && before->repeated)
                wrong(option.at, "no word can follow '" + before->metavar + "', which takes all the rest");
            if (before && option.required && !before->required)
                wrong(option.at,
                      "'" + option.metavar + "' is required, and '" + before->metavar + "' before it is not");
            before = &option;
        }
    }

    // An option stands for a literal in a probe point, as the size of an array, behind =~ and, as @NAME, for points.
    void find_literals() {
        for (size_t i = 0; i < tokens_.size(); ++i) {
            if (is(tokens_[i], "=~") || is(tokens_[i], "!~")) take_literal(tokens_[i + 1], false);
            if (is(tokens_[i], "global")) find_in_globals(i + 1);
            if (is(tokens_[i], "probe")) find_in_points(i + 1);
        }
        for (Option &option : head_.options) {
            if (option.type == Type::Points) option.rebuilds = true;
            if (option.live && (option.rebuilds || option.loads))
                diagnostics_.report(Tag::ToolHead, option.spec,
                                    "an option that stands for a literal cannot change while the script runs (live)");
            if (option.rebuilds)
                head_.literals.push_back({option.default_at.line, option.default_at.column, option.name});
            option.is_read = std::any_of(tokens_.begin(), tokens_.end(), [&](const Token &token) {
                return is_name(token) && token.ref.text == option.name && !is_literal(token) &&
                       token.ref.text.data() != option.at.text.data();
            });
        }
    }

    bool is_literal(const Token &token) const {
        if (in_points_.contains(token.ref.text.data())) return true;
        return std::any_of(head_.literals.begin(), head_.literals.end(), [&](const LiteralPlace &place) {
            return place.line == token.ref.line && place.column == token.ref.column;
        });
    }

    // `may_load`: the loader can decide a number there.
    void take_literal(const Token &token, bool may_load) {
        const auto option = std::find_if(head_.options.begin(), head_.options.end(),
                                         [&](const Option &o) { return o.name == token.ref.text; });
        if (!is_name(token) || option == head_.options.end()) return;
        may_load = may_load && option->has_number();
        (may_load ? option->loads : option->rebuilds) = true;
        head_.literals.push_back({token.ref.line, token.ref.column, option->name, may_load});
    }

    // "global a[SIZE], b": up to what begins another item.
    void find_in_globals(size_t i) {
        while (is_name(tokens_[i])) {
            ++i;
            if (is(tokens_[i], "%")) ++i;
            if (is(tokens_[i], "[")) {
                take_literal(tokens_[i + 1], true);
                i = std::min(i + 3, tokens_.size() - 1);
            }
            if (!is(tokens_[i], ",")) return;
            ++i;
        }
    }

    // True for the interval or frequency of a timer or performance event; `i` is the component's name.
    bool is_rate(size_t i) const {
        static const std::set<std::string_view> kOfTimers = {"s",    "sec", "ms",   "msec", "us",
                                                             "usec", "ns",  "nsec", "hz",   "jiffies"};
        const std::string_view name = tokens_[i].ref.text;
        while (i >= 2 && is(tokens_[i - 1], ".")) {
            i -= 2;
            // Over the argument of the component before.
            if (is(tokens_[i], ")")) i = i >= 3 && is(tokens_[i - 2], "(") ? i - 3 : 0;
        }
        const std::string_view first = tokens_[i].ref.text;
        return first == "timer" ? kOfTimers.contains(name) : first == "perf" && (name == "hz" || name == "sample");
    }

    // From behind "probe" to the handler's "{".
    void find_in_points(size_t i) {
        int nested = 0;  // braces of a.{b, c}
        int parentheses = 0;
        for (; tokens_[i].ref.kind != TokenKind::EndOfFile; ++i) {
            const Token &token = tokens_[i], &before = tokens_[i - 1];
            if (is(token, "{")) {
                if (!is(before, ".") && nested == 0) return;
                nested++;
            }
            if (is(token, "}") && nested-- == 0) return;
            if (is(token, "(")) parentheses++;
            if (is(token, ")")) parentheses--;
            if (parentheses == 0) in_points_.insert(token.ref.text.data());
            const bool is_argument = is(before, "(") && is(tokens_[i + 1], ")");
            if (is_argument && !is(tokens_[i - 2], "if")) take_literal(token, is_rate(i - 2));
        }
    }

    static constexpr const char *kNameRule = "letters, digits, '-' and '_'; other names of it follow in parentheses";

    const SourceFile &file_;
    Diagnostics &diagnostics_;
    const std::vector<std::string> no_arguments_;  // outlives the scanner
    syntax::Scanner scanner_;
    std::vector<Token> tokens_;  // END last
    std::set<std::string_view> defined_;
    std::set<const char *> in_points_;  // where the names of points are, which may be those of options
    Head head_;
    int conditionals_ = 0;
    bool wrong_ = false;
};

}  // namespace

std::string Option::long_name() const {
    std::string text = "--" + name;
    std::replace(text.begin(), text.end(), '_', '-');
    return text;
}

const Option *Head::find(std::string_view wanted) const {
    for (const Option &option : options)
        if (option.name == wanted) return &option;
    return nullptr;
}

std::optional<Head> read_head(const SourceFile &file, Diagnostics &diagnostics) {
    return HeadReader(file, diagnostics).read();
}

}  // namespace tapir::tool
