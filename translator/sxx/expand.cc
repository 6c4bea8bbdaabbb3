// SPDX-License-Identifier: GPL-2.0-or-later
#include "sxx/expand.h"

#include <algorithm>

#include "base/help.h"
#include "base/name_patterns.h"
#include "sxx/line.h"

namespace tapir::sxx {
namespace {

constexpr std::string_view kArgument = "arg_", kLib = "lib", kPath = "_path", kDefault = "default";
constexpr std::string_view kInterpreter = "#!/usr/bin/env stap\n";
constexpr std::string_view kSetProcess = "-x PID, --master PID or --exec PATH sets it";

// The names that have values with a process or a program.
constexpr std::string_view kOfProcess[] = {"exec_path", "pid_ok", "target"};

bool is_of_process(std::string_view name) {
    return std::find(std::begin(kOfProcess), std::end(kOfProcess), name) != std::end(kOfProcess);
}

// "libluajit" of "libluajit_path"; "" of other names.
std::string library_of(std::string_view name) {
    if (!name.starts_with(kLib) || !name.ends_with(kPath) || name.size() <= kLib.size() + kPath.size()) return {};
    return std::string(name.substr(0, name.size() - kPath.size()));
}

bool is_argument(std::string_view name) {
    return name.starts_with(kArgument) && name.size() > kArgument.size();
}

std::string joined(const std::vector<std::string> &names) {
    std::string list;
    for (const std::string &name : names)
        list += (list.empty() ? "" : ", ") + name;
    return list;
}

}  // namespace

Expander::Expander(Settings settings, Diagnostics &diagnostics)
    : settings_(std::move(settings)), diagnostics_(diagnostics) {}

// The rewriting of one file. Variables of the form $*NAME are those of the file.
class Expander::FileExpansion {
  public:
    FileExpansion(Expander &expander, const SourceFile &file) : expander_(expander), file_(file) {}

    void run(std::string &text, std::vector<SourceRun> &runs) {
        const std::string_view all = file_.text();
        for (size_t at = 0; at < all.size();) {
            const size_t end = std::min(all.find('\n', at), all.size() - 1) + 1;
            Line line(all.substr(at, end - at), at);
            if (at == 0 && line.text().starts_with("#!"))
                line.replace_all(std::string(kInterpreter));
            else
                rewrite(line);
            line.append_to(text, runs);
            at = end;
        }
        runs.push_back({text.size(), all.size(), false});
    }

  private:
    using Replacement = Line::Replacement;

    // The order of the steps is a part of the language: each sees what those before it made.
    void rewrite(Line &line) {
        line.replace_each('$',
                          [this](auto text, size_t at, size_t from) { return system_variable(text, at, from, true); });
        line.replace_each('@', [](auto text, size_t at, size_t) { return function_point(text, at); });
        line.replace_each('$',
                          [this](auto text, size_t at, size_t from) { return system_variable(text, at, from, false); });
        line.replace_each('$', [this](auto text, size_t at, size_t) { return definition(text, at); });
        line.replace_each('$', [this](auto text, size_t at, size_t from) { return own_variable(text, at, from); });
        line.replace_each('@', [this](auto text, size_t at, size_t from) { return libraries(text, at, from); });
    }

    // The place of a construct with this text, or of what brought it along.
    SourceRef place(size_t from, std::string_view construct) const {
        SourceRef at;
        at.file = &file_;
        file_.locate(from, at.line, at.column);
        at.kind = TokenKind::Identifier;
        at.text = file_.keep(std::string(construct));
        return at;
    }

    // $^NAME and $^NAME :default(VALUE).
    std::optional<Replacement> system_variable(std::string_view text, size_t at, size_t from, bool only_arguments) {
        Reader reader(text, at);
        if (!reader.take("$^")) return std::nullopt;
        std::string name(reader.word());
        if (name.empty() || (only_arguments && !is_argument(name))) return std::nullopt;
        if (std::string whole = library_variable(text.substr(at + 2), name); !whole.empty()) {
            reader = Reader(text, at + 2 + whole.size());
            name = std::move(whole);
        }
        Use use;
        use.at = place(from, text.substr(at, reader.at() - at));
        use.name = name;
        Reader trait = reader;
        trait.blanks();
        if (trait.take(":")) {
            const std::string word(trait.word());
            trait.blanks();
            if (!word.empty() && trait.take("("))
                if (const auto value = trait.up_to(')')) {
                    use.trait = word;
                    use.value = std::string(*value);
                    reader = trait;
                }
        }
        return Replacement{reader.at(), expander_.value_of(use)};
    }

    // Names of libraries may have '-' and '.' in them: returns "libpcre2-8_path" where `word` is "libpcre2"; "" where
    // the word says it all.
    std::string library_variable(std::string_view text, const std::string &word) const {
        if (!word.starts_with(kLib) || !library_of(word).empty() || expander_.has_value(word)) return {};
        const auto end =
            std::find_if(text.begin(), text.end(), [](char c) { return !is_word(c) && c != '-' && c != '.'; });
        const std::string_view longest = text.substr(0, static_cast<size_t>(end - text.begin()));
        const size_t path = longest.rfind(kPath);
        if (path == std::string_view::npos || path < word.size()) return {};
        return std::string(longest.substr(0, path + kPath.size()));
    }

    // @pfunc(NAME): a function of the program.
    static std::optional<Replacement> function_point(std::string_view text, size_t at) {
        Reader reader(text, at);
        if (!reader.take("@pfunc")) return std::nullopt;
        reader.blanks();
        if (!reader.take("(")) return std::nullopt;
        reader.blanks();
        const std::string name(reader.word());
        reader.blanks();
        if (name.empty() || !reader.take(")")) return std::nullopt;
        return Replacement{reader.at(), "process(\"$^exec_path\").function(\"" + name + "\")"};
    }

    // $*NAME := @cast(...) and its like, which leaves nothing behind.
    std::optional<Replacement> definition(std::string_view text, size_t at) {
        Reader reader(text, at);
        if (!reader.take("$*")) return std::nullopt;
        const std::string name(reader.word());
        reader.blanks();
        if (name.empty() || !reader.take(":=")) return std::nullopt;
        reader.blanks();
        const size_t begin = reader.at();
        reader.take("&");
        if ((!reader.take("@cast(") && !reader.take("@var(")) || !reader.up_to(')')) return std::nullopt;
        Reader index = reader;
        if (index.take("[") && index.is_digit()) {
            while (index.is_digit())
                index.skip();
            if (index.take("]")) reader = index;
        }
        own_[name] = std::string(text.substr(begin, reader.at() - begin));
        return Replacement{reader.at(), ""};
    }

    std::optional<Replacement> own_variable(std::string_view text, size_t at, size_t from) {
        Reader reader(text, at);
        if (!reader.take("$*")) return std::nullopt;
        const std::string name(reader.word());
        if (name.empty()) return std::nullopt;
        const auto [known, fresh] = own_.try_emplace(name);
        if (fresh) report_undefined(name, place(from, "$*" + name));
        return Replacement{reader.at(), known->second};
    }

    void report_undefined(const std::string &name, const SourceRef &at) {
        std::vector<std::string> names;
        for (const auto &[other, value] : own_)
            if (!value.empty()) names.push_back(other);
        const std::vector<std::string> near = similar_names(name, names);
        Diagnostic &told = expander_.diagnostics_.report(
            Tag::SxxNameUndefined, at,
            "$*" + name + " is not defined above its use, in this file" + similar_text(near));
        if (near.empty()) add_help(told, "define it before: $*" + name + " := @cast(VALUE, \"TYPE\", \"$^exec_path\")");
    }

    // @use a.b, c
    std::optional<Replacement> libraries(std::string_view text, size_t at, size_t from) {
        Reader reader(text, at);
        if (!reader.take("@use")) return std::nullopt;
        const size_t behind = reader.at();
        reader.blanks();
        if (reader.at() == behind) return std::nullopt;
        std::string name = dotted_name(reader);
        if (name.empty()) return std::nullopt;
        while (!name.empty()) {
            // A name that the file has itself is marked, not the whole line.
            const size_t own = from + (reader.at() - name.size() - at);
            const bool written = own < file_.text().size() && file_.text().substr(own).starts_with(name);
            expander_.use_library(name, place(written ? own : from, name));
            Reader more = reader;
            more.blanks();
            name = more.take(",") ? (more.blanks(), dotted_name(more)) : "";
            if (!name.empty()) reader = more;
        }
        return Replacement{reader.at(), ""};
    }

    static std::string dotted_name(Reader &reader) {
        std::string name(reader.word());
        while (!name.empty()) {
            Reader more = reader;
            if (!more.take(".")) break;
            const std::string_view part = more.word();
            if (part.empty()) break;
            name.append(".").append(part);
            reader = more;
        }
        return name;
    }

    Expander &expander_;
    const SourceFile &file_;
    std::map<std::string, std::string> own_;
};

std::unique_ptr<SourceFile> Expander::expand(const std::shared_ptr<const SourceFile> &file) {
    files_.push_back(file);
    std::string text;
    std::vector<SourceRun> runs;
    FileExpansion(*this, *file).run(text, runs);
    return std::make_unique<SourceFile>(std::move(text), file, std::move(runs));
}

void Expander::note_argument(const Use &use) {
    const std::string name = use.name.substr(kArgument.size());
    const bool has_default = use.trait == kDefault && !has_value(use.name);
    const auto [noted, fresh] = arguments_.try_emplace(name);
    if (has_default && !noted->second) noted->second = use.value;
}

std::string Expander::value_of(const Use &use) {
    if (is_argument(use.name)) note_argument(use);
    const auto known = settings_.values.find(use.name);
    if (known != settings_.values.end()) return known->second;
    std::string value;
    if (!use.trait) {
        if (settings_.only_arguments) return {};
        const std::string library = library_of(use.name);
        if (!library.empty()) return library_path(library, use);
        value = without_value(use);
    } else if (*use.trait == kDefault) {
        value = *use.value;
    } else {
        add_help(
            diagnostics_.report(Tag::SxxTraitUnknown, use.at, "'" + *use.trait + "' behind a variable means nothing"),
            "a value for the case that there is none is written $^" + use.name + " :default(VALUE)");
    }
    // The first use of a missing value is reported.
    settings_.values[use.name] = value;
    return value;
}

// Reports it.
std::string Expander::without_value(const Use &use) {
    if (is_argument(use.name)) {
        const std::string name = use.name.substr(kArgument.size());
        std::vector<std::string> given;
        for (const auto &[other, value] : settings_.values)
            if (is_argument(other)) given.push_back(other.substr(kArgument.size()));
        const std::vector<std::string> near = similar_names(name, given);
        add_help(diagnostics_.report(Tag::SxxArgumentMissing, use.at,
                                     "the script needs a value for its argument '" + name + "'"),
                 "give it one: --arg " + name + "=VALUE" + (near.empty() ? "" : "; you gave " + joined(near)));
    } else if (is_of_process(use.name)) {
        add_help(diagnostics_.report(Tag::SxxProcessUnknown, use.at,
                                     "$^" + use.name + " is about a process, and none is named"),
                 std::string(kSetProcess));
    } else {
        std::vector<std::string> names(std::begin(kOfProcess), std::end(kOfProcess));
        for (const auto &[other, value] : settings_.values)
            names.push_back(other);
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
        add_help(
            diagnostics_.report(Tag::SxxVariableUnknown, use.at,
                                "there is no variable $^" + use.name + similar_text(similar_names(use.name, names))),
            "there are $^exec_path, $^target, $^pid_ok, $^libNAME_path and, for arguments, $^arg_NAME");
    }
    return {};
}

std::string Expander::library_path(const std::string &library, const Use &use) {
    const auto [known, fresh] = library_paths_.try_emplace(library);
    if (!fresh) return known->second;
    FoundLibrary found = find_library(library, settings_.mapped);
    if (!found.path.empty()) {
        known->second = found.path;
        if (!found.others.empty())
            add_help(diagnostics_.report(Tag::SxxLibraryUnclear, use.at,
                                         "no library is named just " + library + "; " + found.path +
                                             " is the first that it may mean, before " + joined(found.others)),
                     "the whole name says which is meant: $^libNAME_path, where NAME may have '-' and '.' in it");
        return known->second;
    }
    const std::string near = similar_text(similar_names(library, library_names(settings_.mapped)));
    const auto program = settings_.values.find("exec_path");
    if (program == settings_.values.end()) {
        add_help(
            diagnostics_.report(Tag::SxxLibraryNotMapped, use.at, "the library " + library + " is not known" + near),
            settings_.mapped.empty() ? std::string(kSetProcess)
                                     : "if it is linked into the program, -x PID or --exec PATH names that");
        return {};
    }
    known->second = program->second;
    add_help(diagnostics_.report(
                 Tag::SxxLibraryInProgram, use.at,
                 "no library " + library + " is mapped" + near + "; it is taken to be linked into " + program->second),
             "if another process has it mapped, --sample-pid PID adds the libraries of that");
    return known->second;
}

void Expander::use_library(const std::string &name, const SourceRef &at) {
    if (!begun_.insert(name).second) return;
    const std::shared_ptr<const SourceFile> file = settings_.find ? settings_.find(name) : nullptr;
    if (!file) {
        add_help(diagnostics_.report(Tag::SxxLibraryMissing, at, "there is no library '" + name + "'"),
                 settings_.advise ? settings_.advise(name) : "");
        return;
    }
    std::shared_ptr<const SourceFile> text = expand(file);
    libraries_.push_back({name, std::move(text)});
}

std::string argument_list(const std::map<std::string, std::optional<std::string>> &arguments) {
    std::string list;
    for (const auto &[name, value] : arguments)
        list += "\t--arg " + name + "=VALUE" + (value ? " (default: " + *value + ")" : "") + "\n";
    return list;
}

}  // namespace tapir::sxx
