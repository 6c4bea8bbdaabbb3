// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/embedded_names.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "ast/walk.h"
#include "base/name_patterns.h"

namespace tapir::resolve {

namespace {

struct Instead {
    std::string_view name, text;
};

// Members of CONTEXT there.
constexpr Instead kMembers[] = {
    {"last_error", "STAP_ERROR(format, ...) raises an error"},
    {"error_buffer", "STAP_ERROR(format, ...) raises an error"},
    {"kregs", "CONTEXT->regs is the struct pt_regs of the hit or NULL, and user_mode() of the script tells whose"},
    {"uregs", "CONTEXT->regs is the struct pt_regs of the hit or NULL, and user_mode() of the script tells whose"},
    {"sregs", "CONTEXT->regs is the struct pt_regs of the hit or NULL"},
    {"user_mode_p", "let the script give user_mode() as an argument"},
    {"probe_point", "let the script give pp() as an argument"},
    {"probe_name", "let the script give pn() as an argument"},
    {"probe_type", "let the script give probe_type() as an argument"},
    {"ips", "let the script give $return or @entry(...) as an argument"},
    {"data", "let the script give what it needs as an argument"},
    {"actionremaining", "CONTEXT->budget is the number of actions that are left"},
};

// Names that begin so; the first that fits counts.
constexpr Instead kRuntime[] = {
    {"_stp_text_str", "the function text_str() of the script does it"},
    {"_stp_is_compat_task", "in_compat_syscall() of the kernel tells"},
    {"_stp_div64", "C's / does it: look for 0 first"},
    {"_stp_mod64", "C's % does it: look for 0 first"},
    {"_stp_pid", "let the script give stp_pid() as an argument"},
    {"_stp_print_regs", "call print_regs() in the script"},
    {"_stp_stack_kernel_print", "call print_backtrace() in the script"},
    {"_stp_stack_kernel_sprint", "let the script give sprint_backtrace() as an argument"},
    {"_stp_stack_user_print", "call print_ubacktrace() in the script"},
    {"_stp_stack_user_sprint", "let the script give sprint_ubacktrace() as an argument"},
    {"_stp_snprint_addr", "symname(), symdata() and usymname() of the script name addresses"},
    {"_stp_print_addr", "symname(), symdata() and usymname() of the script name addresses"},
    {"_stp_map_", "STAP_GLOBAL_GET_name() and STAP_GLOBAL_SET_name() reach the script's arrays"},
    {"_stp_stat_", "let the script give @count(...) or @sum(...) as an argument"},
    {"_stp_vmalloc", "what may sleep cannot run in a handler: kmalloc(size, GFP_ATOMIC) of the kernel does not"},
    {"_stp_vzalloc", "what may sleep cannot run in a handler: kzalloc(size, GFP_ATOMIC) of the kernel does not"},
    {"_stp_dbug", "_stp_printf(format, ...) prints"},
    {"_stp_", "docs/language.md lists under Embedded C what there is"},
    {"STAP_SESSION_", "exit() of the script ends the session"},
};

// Names with the prefix _stp_ that <tapir/embed_compat.h> and kmod/compat/embedded.h define.
constexpr std::string_view kHere[] = {
    "_stp_printf",         "_stp_print",       "_stp_print_char",     "_stp_print_flush",
    "_stp_warn",           "_stp_softerror",   "_stp_exit",           "_stp_target",
    "_stp_random_u",       "_stp_error",       "_stp_copy_from_user", "_stp_strncpy_from_user",
    "_stp_snprintf",       "_stp_vsnprintf",   "_stp_kmalloc",        "_stp_kzalloc",
    "_stp_kmalloc_gfp",    "_stp_kzalloc_gfp", "_stp_kfree",          "_stp_current_pt_regs",
    "_stp_gettimeofday_ns"};

const std::vector<std::string_view> kMacros = {"STAP_RETVALUE", "STAP_RETURN",  "STAP_ERROR",         "STAP_PRINTF",
                                               "STAP_NEXT",     "STAP_VERSION", "STAP_COMPAT_VERSION"};

// staprun trusts these words of a module's own information.
constexpr std::string_view kModuleInfo[] = {"tapir_abi", "tapir_kernel", "tapir_needs", "tapir_samples"};

constexpr std::string_view kArgument = "STAP_ARG_", kGet = "STAP_GLOBAL_GET_", kSet = "STAP_GLOBAL_SET_";

// The words of C text outside of comments, strings and characters.
class Words {
  public:
    explicit Words(std::string_view text) : text_(text) {}

    // The next word and where it begins; empty at the end. Blanks before it are behind what `before` is.
    std::string_view next() {
        while (at_ < text_.size() && !skip()) {
            const char c = text_[at_];
            if (!is_word(c)) {
                if (!std::isspace(static_cast<unsigned char>(c))) before_ = c;
                at_++;
                continue;
            }
            begin_ = at_;
            while (at_ < text_.size() && is_word(text_[at_]))
                at_++;
            return text_.substr(begin_, at_ - begin_);
        }
        return at_ < text_.size() ? next() : std::string_view();
    }
    size_t begin() const { return begin_; }
    // The last non-blank character before the word: 0 at the start, 'a' behind another word.
    char before() const { return before_; }
    void passed() { before_ = 'a'; }
    // Takes "-> member" behind the word: returns member, and `begin` then refers to it. Else empty.
    std::string_view member() {
        size_t at = at_;
        const auto blanks = [&] {
            while (at < text_.size() && std::isspace(static_cast<unsigned char>(text_[at])))
                at++;
        };
        blanks();
        if (text_.substr(at, 2) != "->") return {};
        at += 2;
        blanks();
        const size_t from = at;
        while (at < text_.size() && is_word(text_[at]))
            at++;
        return text_.substr(from, at - from);
    }

  private:
    static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
    // Passes a comment, a string or a character. False where none is.
    bool skip() {
        const std::string_view rest = text_.substr(at_);
        if (rest.starts_with("/*")) return pass(text_.find("*/", at_ + 2), 2);
        if (rest.starts_with("//")) return pass(text_.find('\n', at_), 1);
        if (rest[0] != '"' && rest[0] != '\'') return false;
        size_t end = at_ + 1;
        while (end < text_.size() && text_[end] != rest[0])
            end += text_[end] == '\\' ? 2 : 1;
        before_ = rest[0];
        return pass(end, 1);
    }
    bool pass(size_t end, size_t length) {
        at_ = end == std::string_view::npos ? text_.size() : std::min(end + length, text_.size());
        return true;
    }

    std::string_view text_;
    size_t at_ = 0, begin_ = 0;
    char before_ = 0;
};

// The text begins two bytes behind `at`, unless it was pasted from elsewhere.
SourceRef place_in(const SourceRef &at, std::string_view code, size_t offset, std::string_view word) {
    const std::string_view text = at.file->text(), line = at.file->line(at.line);
    const size_t start = static_cast<size_t>(line.data() - text.data()) + at.column - 1 + 2;
    if (line.data() < text.data() || start > text.size() || text.substr(start, code.size()) != code) return at;
    SourceRef found = at;
    at.file->locate(start + offset, found.line, found.column);
    found.kind = TokenKind::Identifier;
    found.text = text.substr(start + offset, word.size());
    return found;
}

class Check {
  public:
    Check(const Program &program, Diagnostics &diagnostics) : program_(program), diagnostics_(diagnostics) {}

    void run() {
        for (const ast::EmbeddedCode *code : program_.embedded)
            if (is_users(code->at)) collect_own(code->code);
        for (const ast::EmbeddedCode *code : program_.embedded)
            if (is_users(code->at)) words({.code = code->code, .at = code->at});
        for (const ast::Function *f : program_.functions)
            function(*f);
        for (const auto &handler : program_.handlers)
            body(*handler->body);
    }

  private:
    struct Part {
        std::string_view code;
        const SourceRef &at;
        const ast::Function *function = nullptr;
        bool inside = false;  // not at the top level
        std::set<std::string_view> reads = {}, writes = {};
    };

    static bool is_users(const SourceRef &at) {
        return at.file && (at.file->origin() == Origin::UserScript || at.file->origin() == Origin::CommandLine);
    }

    // Collects names that C of the top level, a function or a statement may declare: words behind a type, a star or
    // #define.
    void collect_own(std::string_view code) {
        static const std::set<std::string_view> kNoTypes = {"return", "else", "case", "do", "goto"};
        Words words(code);
        std::string_view last;
        for (std::string_view word; !(word = words.next()).empty(); words.passed(), last = word)
            if (words.before() == '*' || (words.before() == 'a' && !kNoTypes.contains(last)))
                own_.insert(std::string(word));
    }

    void function(const ast::Function &f) {
        if (f.body) body(*f.body);
        if (!f.embedded_c || !is_users(f.embedded_at)) return;
        Part part{.code = *f.embedded_c, .at = f.embedded_at, .function = &f, .inside = true};
        part.reads.insert(f.pragmas.reads.begin(), f.pragmas.reads.end());
        part.writes.insert(f.pragmas.writes.begin(), f.pragmas.writes.end());
        words(part);
    }

    void body(const ast::Stmt &body) {
        ast::each_stmt(body, [&](const ast::Stmt &s) {
            if (s.kind == ast::StmtKind::EmbeddedC) piece(static_cast<const ast::EmbeddedCStmt &>(s));
        });
        ast::each_expr(body, [&](const ast::Expr &e) {
            if (e.kind == ast::ExprKind::EmbeddedC) piece(static_cast<const ast::EmbeddedCExpr &>(e));
        });
    }

    template <class Embedded>
    void piece(const Embedded &c) {
        if (!is_users(c.at)) return;
        Part part{.code = c.code, .at = c.at, .inside = true};
        for (const ast::Variable *v : c.reads)
            part.reads.insert(v->name);
        for (const ast::Variable *v : c.writes)
            part.writes.insert(v->name);
        words(part);
    }

    void words(const Part &part) {
        collect_own(part.code);
        Words words(part.code);
        for (std::string_view word; !(word = words.next()).empty(); words.passed()) {
            const std::string_view member = words.member();
            if (word == "CONTEXT" && !member.empty()) context_member(part, words.begin(), member);
            if (own_.contains(std::string(word))) continue;
            if (part.inside && word == "THIS" && part.function && member != "__retvalue" && !member.empty())
                parameter(part, words.begin(), "THIS->", member);
            this->word(part, words.begin(), word);
        }
    }

    void word(const Part &part, size_t at, std::string_view word) {
        if (std::find(std::begin(kHere), std::end(kHere), word) != std::end(kHere)) return;
        for (const Instead &one : kRuntime)
            if (word.starts_with(one.name))
                return report(part, at, word,
                              "'" + std::string(word) + "' is of SystemTap's runtime, and this one has no such name: " +
                                  std::string(one.text));
        if (std::find(std::begin(kModuleInfo), std::end(kModuleInfo), word) != std::end(kModuleInfo))
            return report(
                part, at, word,
                "'" + std::string(word) + "' is what the module says to staprun of itself, and a script cannot say it");
        if (!part.inside || !word.starts_with("STAP_")) return;
        if (word.starts_with(kArgument)) return parameter(part, at, kArgument, word.substr(kArgument.size()));
        const bool get = word.starts_with(kGet);
        if (get || word.starts_with(kSet)) return global(part, at, word, word.substr(kGet.size()), get);
        if (std::find(kMacros.begin(), kMacros.end(), word) != kMacros.end()) {
            const bool result = word == "STAP_RETVALUE" || word == "STAP_RETURN" || word == "STAP_NEXT";
            if (result && !part.function)
                report(part, at, word, std::string(word) + " is for functions of embedded C: this is not one");
            return;
        }
        const std::vector<std::string> similar = similar_views(word, kMacros, 3);
        if (!similar.empty()) report(part, at, word, "there is no '" + std::string(word) + "'" + similar_text(similar));
    }

    void parameter(const Part &part, size_t at, std::string_view prefix, std::string_view name) {
        const std::string whole = std::string(prefix) + std::string(name);
        if (!part.function) return report(part, at, whole, whole + " is for functions of embedded C: this is not one");
        std::string list;
        for (const ast::Param &p : part.function->params) {
            if (p.name == name) return;
            list += (list.empty() ? " (it has: " : ", ") + p.name;
        }
        report(part, at, whole,
               "function " + part.function->name + " has no parameter '" + std::string(name) + "'" + list +
                   (list.empty() ? "" : ")"));
    }

    void global(const Part &part, size_t at, std::string_view word, std::string_view name, bool get) {
        if (part.writes.contains(name) || (get && part.reads.contains(name))) return;
        report(part, at, word,
               std::string(word) + " needs the comment /* pragma:" + (get ? "read:" : "write:") + std::string(name) +
                   " */ in the same piece of C");
    }

    void context_member(const Part &part, size_t at, std::string_view member) {
        for (const Instead &one : kMembers)
            if (one.name == member)
                return report(part, at, "CONTEXT",
                              "CONTEXT has no '" + std::string(member) +
                                  "', which is of SystemTap's runtime: " + std::string(one.text));
    }

    void report(const Part &part, size_t at, std::string_view word, const std::string &text) {
        const SourceRef place = place_in(part.at, part.code, at, word);
        if (reported_.insert({place.file, place.line, place.column}).second)
            diagnostics_.report(Tag::EmbeddedName, place, text);
    }

    const Program &program_;
    Diagnostics &diagnostics_;
    std::set<std::string> own_;
    std::set<std::tuple<const SourceFile *, uint32_t, uint32_t>> reported_;
};

}  // namespace

void check_embedded_names(const Program &program, Diagnostics &diagnostics) {
    Check(program, diagnostics).run();
}

}  // namespace tapir::resolve
