// SPDX-License-Identifier: GPL-2.0-or-later
#include "docs/catalogue.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "arch/arch.h"
#include "ast/walk.h"
#include "common/files.h"
#include "docs/comment_check.h"
#include "docs/system_call_entries.h"
#include "docs/variables.h"
#include "library/library.h"
#include "library/system_calls.h"
#include "probes/kinds.h"
#include "resolve/pragmas.h"
#include "types/inference.h"

namespace tapir::docs {

namespace {

bool is_internal(std::string_view name) {
    return name.starts_with("_");
}

bool is_internal(const ast::ProbePoint &name) {
    return std::any_of(name.components.begin(), name.components.end(),
                       [](const ast::PointComponent &component) { return is_internal(component.name); });
}

std::string stem(const std::string &path) {
    std::string base = path.substr(path.rfind('/') + 1);
    return base.substr(0, base.find('.'));
}

// The kernel that conditionals are evaluated for: a recent one that has everything.
syntax::ParseOptions parse_settings() {
    syntax::ParseOptions options;
    options.facts.kernel_v = "6.12.0";
    options.facts.kernel_vr = "6.12.0-1-" + std::string(arch::all().front()->debian_name);
    options.facts.arch = arch::all().front()->name;
    options.facts.config = [](const std::string &) -> std::optional<std::string> { return "y"; };
    return options;
}

class CatalogueReader {
  public:
    CatalogueReader(const library::IndexOptions &options, const target::Kernel *kernel, Diagnostics &diagnostics)
        : options_(options), kernel_(kernel), diagnostics_(diagnostics) {}

    Catalogue run() {
        auto library = library::Library::open(library::Index::build(options_), parse_settings(), diagnostics_);
        const auto calls_of_kernel = [this](const syscalls::Table &table) {
            if (kernel_) {
                syscalls::KernelCalls calls = syscalls::read_kernel_calls(kernel_->build_dir, kernel_->arch);
                if (calls.missing.empty()) return calls;
                diagnostics_.report(Tag::NoSuchSyscall, "the kernel's system calls are not known: " + calls.missing);
            }
            return syscalls::calls_of_tables(table);
        };
        library::SystemCalls system_calls(calls_of_kernel, library->index().files(), diagnostics_);
        library->add_aliases(system_calls.aliases());
        const std::vector<ast::File *> files = library->all();
        library_ = library.get();
        for (const library::IndexedFile &file : library->index().files())
            if (file.macros_only) macro_file(file.path);
        for (const ast::File *file : files)
            if (file) aliases_by_name(*file);
        std::map<const ast::File *, Text *> texts;
        for (const ast::File *file : files)
            if (file) texts[file] = &add_text(file->source->name(), std::string(file->source->text()), false);
        for (const auto &[file, text] : texts)
            macro_docs(*text);
        // Points change below: what aliases stand for is taken first.
        for (const ast::File *file : files)
            for (const auto &alias : file->aliases)
                for (const ast::ProbePoint &point : alias->points)
                    take_point(*alias, point);
        variables_ = find_variables(*library);
        for (const ast::File *file : files)
            declarations(*file, *texts.at(file));
        add_system_calls();
        for (const auto &text : texts_)
            check_.leftovers(*text);
        return finish();
    }

  private:
    // ---- comments

    Text &add_text(std::string path, std::string text, bool macros) {
        texts_.push_back(std::make_unique<Text>(std::move(path), std::move(text), macros));
        Text &added = *texts_.back();
        Family &family = families_[stem(added.path)];
        family.name = stem(added.path);
        const std::string head = read_head(added.text);
        if (head.empty()) {
            check_.problem(
                added.path, 1,
                "nothing says what the file is about: write it as a comment directly below the licence line");
        } else if (family.about.empty() || !macros) {
            family.about = head;
        }
        return added;
    }

    // ---- macros

    void macro_file(const std::string &path) {
        const std::optional<std::string> bytes = read_file(path);
        if (!bytes) return;
        sources_.push_back(std::make_unique<SourceFile>(path, *bytes, Origin::Tapset));
        const SourceFile &source = *sources_.back();
        syntax::MacroTable table;
        syntax::parse_macros(source, parse_settings(), table, diagnostics_);
        Text &text = add_text(path, *bytes, true);
        for (const std::string &name : table.names()) {
            const syntax::Macro &macro = *table.find(name);
            const size_t start = item_start(text.text, text.offset(macro.at), "@define");
            const Comment *comment = check_.comment_for(text, Kind::Macro, name, "@" + name, start, macro.at.line,
                                                        !is_internal(name), form_of(name, macro.params, true));
            if (!comment || is_internal(name)) continue;
            check_.check_items(text, *comment, "macro @" + name, "parameter", macro.params);
            Entry entry = begin_entry(Kind::Macro, name, text, macro.at.line, comment);
            entry.signature = "@" + name;
            for (size_t i = 0; i < macro.params.size(); ++i)
                entry.signature += (i ? ", " : "(") + macro.params[i];
            if (macro.has_params) entry.signature += ")";
            for (const std::string &param : macro.params)
                entry.parts.push_back({param, "", text_of(comment, param)});
            add_entry(text, std::move(entry));
        }
    }

    // Comments before a file's own macros describe the variables that the macros set.
    void macro_docs(Text &text) {
        static constexpr std::string_view kDefine = "@define";
        for (size_t i = 0; i < text.comments.size(); ++i) {
            const Comment &comment = text.comments[i];
            if (text.text.compare(comment.next, kDefine.size(), kDefine) != 0) continue;
            size_t at = text.text.find_first_not_of(" \t", comment.next + kDefine.size());
            size_t end = at;
            while (end < text.text.size() &&
                   (std::isalnum(static_cast<unsigned char>(text.text[end])) || text.text[end] == '_'))
                ++end;
            const std::string name = text.text.substr(at, end - at);
            if (name != comment.name)
                check_.problem(text.path, comment.line,
                               "the doc comment of macro @" + name + " must begin with \"" + name + ": \"");
            text.used[i] = true;
            macro_comments_[{&text, name}] = &comment;
        }
    }

    // Returns the text on a variable by the macros that a token went through.
    std::string macro_text(const Text &text, const SourceRef &at, const std::string &variable) const {
        for (const SourceRef *use = at.expansion; use; use = use->expansion) {
            std::string name(use->text);
            if (name.starts_with("@")) name.erase(0, 1);
            auto comment = macro_comments_.find({&text, name});
            if (comment == macro_comments_.end()) continue;
            if (const Item *item = comment->second->find(variable)) return item->text;
        }
        return "";
    }

    // ---- functions and globals

    void declarations(const ast::File &file, Text &text) {
        for (const auto &function : file.functions)
            add_function(*function, text);
        for (const auto &global : file.globals)
            add_global(*global, text);
        for (const auto &alias : file.aliases)
            for (const ast::ProbePoint &name : alias->names)
                add_alias(file, *alias, name, text);
    }

    size_t start_of(const Text &text, const SourceRef &at, std::string_view keyword) const {
        const SourceRef &place = written_at(at);
        return at.expansion ? text.offset(place) : item_start(text.text, text.offset(place), keyword);
    }

    void add_function(const ast::Function &function, Text &text) {
        std::vector<std::string> params;
        for (const ast::Param &param : function.params)
            params.push_back(param.name);
        const bool internal = function.is_private || is_internal(function.name);
        const Comment *comment = check_.comment_for(
            text, Kind::Function, function.name, function.name + "()", start_of(text, function.at, "function"),
            written_at(function.at).line, !internal, form_of(function.name, params));
        if (!comment || internal) return;
        check_.check_items(text, *comment, "function " + function.name + "()", "parameter", params);
        Entry entry = begin_entry(Kind::Function, function.name, text, written_at(function.at).line, comment);
        const auto typed = [](ast::Type type) {
            return type == ast::Type::Unknown ? std::string() : ":" + types::type_word(type);
        };
        entry.signature = function.name + typed(function.declared) + " (";
        for (size_t i = 0; i < function.params.size(); ++i) {
            const ast::Param &param = function.params[i];
            entry.signature += (i ? ", " : "") + param.name + typed(param.declared);
            const std::string type = typed(param.declared);
            entry.parts.push_back({param.name, type.empty() ? "" : type.substr(1), text_of(comment, param.name)});
        }
        entry.signature += ")";
        const ast::Pragmas pragmas = resolve::read_pragmas(function.embedded_c.value_or(""));
        if (pragmas.guru) entry.tags.emplace_back("guru");
        add_entry(text, std::move(entry));
    }

    void add_global(const ast::Variable &global, Text &text) {
        const bool internal = global.is_private || is_internal(global.name);
        const Comment *comment =
            check_.comment_for(text, Kind::Global, global.name, global.name, start_of(text, global.at, "global"),
                               written_at(global.at).line, !internal, form_of(global.name, {}));
        if (!comment || internal) return;
        check_.check_items(text, *comment, "global " + global.name, "part", {});
        Entry entry = begin_entry(Kind::Global, global.name, text, written_at(global.at).line, comment);
        entry.signature = "global " + global.name;
        add_entry(text, std::move(entry));
    }

    // ---- aliases

    void aliases_by_name(const ast::File &file) {
        for (const auto &alias : file.aliases)
            for (const ast::ProbePoint &name : alias->names)
                aliases_[name.str()].push_back({alias.get(), &file});
    }

    struct Assigned {
        std::string name;
        SourceRef at;
        bool is_text;
    };

    // Variables that an alias's body sets.
    std::vector<Assigned> assigned(const ast::File &file, const ast::Alias &alias) const {
        std::vector<Assigned> found;
        const auto add = [&](ast::Expr &target, const ast::Expr *value) {
            if (target.kind != ast::ExprKind::VarRef) return;
            const auto &name = static_cast<ast::VarRef &>(target).name;
            const bool global =
                std::any_of(file.globals.begin(), file.globals.end(), [&](const auto &g) { return g->name == name; }) ||
                !library_->index().global(name).empty();
            if (global || is_internal(name)) return;
            if (std::any_of(found.begin(), found.end(), [&](const Assigned &a) { return a.name == name; })) return;
            const bool is_text = value && (value->kind == ast::ExprKind::String ||
                                           value->kind == ast::ExprKind::Print || value->kind == ast::ExprKind::Concat);
            found.push_back({name, target.at, is_text});
        };
        for (ast::Stmt *body : {alias.body.get(), alias.epilogue_body.get()})
            if (body)
                ast::each_expr(*body, [&](ast::Expr &e) {
                    if (e.kind == ast::ExprKind::Assign)
                        add(*static_cast<ast::Assign &>(e).target, static_cast<ast::Assign &>(e).value.get());
                    if (e.kind == ast::ExprKind::IncDec) add(*static_cast<ast::IncDec &>(e).target, nullptr);
                });
        return found;
    }

    // Returns the text on a variable: at the alias itself, at macros that its body is made by, or at aliases it leads
    // to. Those that are written for system calls have none.
    std::string variable_text(const ast::Alias &alias, const ast::File &file, const std::string &name,
                              std::set<const ast::Alias *> &seen) {
        if (!seen.insert(&alias).second) return "";
        Text &text = *by_path_.at(file.source->name());
        const size_t start = start_of(text, alias.at, "probe");
        for (size_t i : text.before(start))
            for (const ast::ProbePoint &own : alias.names)
                if (text.comments[i].name == own.str())
                    if (const Item *item = text.comments[i].find(name)) return item->text;
        for (const Assigned &variable : assigned(file, alias))
            if (variable.name == name)
                if (std::string said = macro_text(text, variable.at, name); !said.empty()) return said;
        for (const ast::ProbePoint &point : alias.points) {
            auto leads = aliases_.find(point.str());
            if (leads == aliases_.end()) {
                auto written = variables_.find(point.str());
                if (written != variables_.end() && written->second.anywhere.count(name))
                    return "as at `" + point.str() + "`";
                continue;
            }
            for (const auto &[inner, inner_file] : leads->second)
                if (std::string said = variable_text(*inner, *inner_file, name, seen); !said.empty()) return said;
        }
        return "";
    }

    void take_point(const ast::Alias &alias, const ast::ProbePoint &point) {
        std::string &text = points_[&alias];
        text += (text.empty() ? "" : ", ") + point.str();
        // The alias leads to one of another library: its variables are not known here.
        ast::ProbePoint bare = ast::clone(point);
        bare.optional = bare.sufficient = false;
        bare.condition = nullptr;
        if (library_->with_alias(bare).empty() && !probes::is_known(bare)) open_.insert(&alias);
    }

    // Whether it has variables that are not known here.
    bool is_open(const ast::Alias &alias, std::set<const ast::Alias *> &seen) const {
        if (!seen.insert(&alias).second) return false;
        if (open_.count(&alias)) return true;
        return std::any_of(alias.points.begin(), alias.points.end(), [&](const ast::ProbePoint &point) {
            const auto leads = aliases_.find(point.str());
            return leads != aliases_.end() &&
                   std::any_of(leads->second.begin(), leads->second.end(),
                               [&](const auto &inner) { return is_open(*inner.first, seen); });
        });
    }

    void add_alias(const ast::File &file, const ast::Alias &alias, const ast::ProbePoint &point, Text &text) {
        by_path_[text.path] = &text;
        if (is_internal(point)) {
            check_.comment_for(text, Kind::Probe, point.str(), point.str(), start_of(text, alias.at, "probe"), 0, false,
                               "");
            return;
        }
        const std::string name = point.str();
        AliasVariables visible = variables_[name];
        for (const Assigned &variable : assigned(file, alias)) {
            visible.everywhere.try_emplace(variable.name, variable.is_text ? "string" : "");
            visible.anywhere.insert(variable.name);
        }
        std::vector<std::string> all;
        for (const auto &[variable, type] : visible.everywhere)
            all.push_back(variable);
        const Comment *comment = check_.comment_for(text, Kind::Probe, name, name, start_of(text, alias.at, "probe"),
                                                    written_at(alias.at).line, true, form_of(name, all));
        if (!comment) return;
        pending_.push_back({&alias, &file, &text, comment, name, std::move(visible)});
    }

    struct PendingAlias {
        const ast::Alias *alias;
        const ast::File *file;
        Text *text;
        const Comment *comment;
        std::string name;
        AliasVariables visible;
    };

    void finish_alias(const PendingAlias &pending) {
        const std::string what = "probe " + pending.name;
        Entry entry =
            begin_entry(Kind::Probe, pending.name, *pending.text, written_at(pending.alias->at).line, pending.comment);
        entry.signature = pending.name;
        entry.stands_for = points_[pending.alias];
        check_.check_summary(*pending.text, *pending.comment, what);
        for (const Item &item : pending.comment->items) {
            if (item.name.starts_with("$")) {
                entry.parts.push_back({item.name, "", item.text});
                continue;
            }
            std::set<const ast::Alias *> seen;
            if (!pending.visible.anywhere.count(item.name) && !is_open(*pending.alias, seen))
                check_.problem(pending.text->path, pending.comment->line,
                               what + " has no variable " + item.name + ", which its doc comment describes");
            auto type = pending.visible.everywhere.find(item.name);
            entry.parts.push_back({item.name, type == pending.visible.everywhere.end() ? "" : type->second, item.text});
        }
        std::vector<std::string> missing;
        for (const auto &[variable, type] : pending.visible.everywhere) {
            if (pending.comment->find(variable)) continue;
            std::set<const ast::Alias *> seen;
            std::string said = variable_text(*pending.alias, *pending.file, variable, seen);
            if (said.empty()) missing.push_back(variable);
            entry.parts.push_back({variable, type, std::move(said)});
        }
        check_.not_described(*pending.text, *pending.comment, "variable ", " of " + what, missing,
                             ", or to that of the macro that sets it");
        add_entry(*pending.text, std::move(entry));
    }

    // A library with tables describes system calls.
    void add_system_calls() {
        const std::vector<library::IndexedFile> &indexed = library_->index().files();
        if (std::none_of(indexed.begin(), indexed.end(), [](const auto &file) { return file.table; })) return;
        for (Entry &entry : describe_system_calls(*library_, variables_, kernel_)) {
            Family &family = families_["syscall"];
            family.name = "syscall";
            if (family.about.empty()) family.about = "System calls.";
            family.entries.push_back(std::move(entry));
        }
    }

    // ---- entries

    static std::string text_of(const Comment *comment, const std::string &item) {
        const Item *found = comment->find(item);
        return found ? found->text : "";
    }

    static Entry begin_entry(Kind kind, const std::string &name, const Text &text, uint32_t line,
                             const Comment *comment) {
        Entry entry;
        entry.kind = kind;
        entry.name = name;
        entry.summary = comment->summary;
        entry.details = comment->details;
        entry.file = text.path;
        entry.line = line;
        return entry;
    }

    void add_entry(const Text &text, Entry entry) { families_[stem(text.path)].entries.push_back(std::move(entry)); }

    Catalogue finish() {
        for (const PendingAlias &pending : pending_)
            finish_alias(pending);
        for (auto &[name, family] : families_) {
            std::stable_sort(family.entries.begin(), family.entries.end(), [](const Entry &a, const Entry &b) {
                return std::tie(a.kind, a.name) < std::tie(b.kind, b.name);
            });
            catalogue_.families.push_back(std::move(family));
        }
        std::stable_sort(
            catalogue_.problems.begin(), catalogue_.problems.end(),
            [](const Problem &a, const Problem &b) { return std::tie(a.file, a.line) < std::tie(b.file, b.line); });
        return std::move(catalogue_);
    }

    const library::IndexOptions &options_;
    const target::Kernel *kernel_;
    Diagnostics &diagnostics_;
    library::Library *library_ = nullptr;
    Catalogue catalogue_;
    CommentCheck check_{catalogue_.problems};
    std::map<std::string, Family> families_;
    std::vector<std::unique_ptr<Text>> texts_;
    std::map<std::string, Text *> by_path_;
    std::vector<std::unique_ptr<SourceFile>> sources_;
    std::map<std::pair<const Text *, std::string>, const Comment *> macro_comments_;
    std::map<std::string, std::vector<std::pair<const ast::Alias *, const ast::File *>>> aliases_;
    std::map<const ast::Alias *, std::string> points_;
    std::set<const ast::Alias *> open_;
    std::map<std::string, AliasVariables> variables_;
    std::vector<PendingAlias> pending_;
};

}  // namespace

Catalogue read_library(const library::IndexOptions &options, const target::Kernel *kernel, Diagnostics &diagnostics) {
    return CatalogueReader(options, kernel, diagnostics).run();
}

}  // namespace tapir::docs
