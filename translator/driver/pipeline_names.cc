// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cctype>

#include "ctypes/type.h"
#include "driver/language_host.h"
#include "types/listings.h"

namespace tapir::driver {

namespace {

using complete::Name;

// Steps of "$file->f_path.dentry", "@cast(p, "task_struct")->mm", "$argv[0]".
class Chain {
  public:
    explicit Chain(std::string_view text) : text_(text) {}

    // The type of the whole expression.
    std::optional<ctypes::Type> type(const target::Scope &scope, bool at_return) {
        if (text_.starts_with('&')) text_.remove_prefix(1);
        std::optional<ctypes::Type> type = first(scope, at_return);
        while (type && !text_.empty()) {
            if (text_.starts_with("->")) {
                text_.remove_prefix(2);
                const std::string name = word();
                const auto member = ctypes::find_member(pointed(*type), name);
                if (name.empty() || !member) return std::nullopt;
                type = member->type;
            } else if (text_.starts_with('[')) {
                skip_brackets('[', ']');
                const ctypes::Type of = type->stripped();
                if (of.info().kind != ctypes::TypeKind::Pointer && of.info().kind != ctypes::TypeKind::Array)
                    return std::nullopt;
                type = of.with(of.info().target);
            } else {
                return std::nullopt;
            }
            skip_blanks();
        }
        return type;
    }

    // A structure that a value has or points to.
    static ctypes::Type pointed(ctypes::Type type) {
        type = type.stripped();
        const ctypes::TypeKind kind = type.info().kind;
        if (kind == ctypes::TypeKind::Pointer || kind == ctypes::TypeKind::Array)
            type = type.with(type.info().target).stripped();
        return type.completed();
    }

  private:
    void skip_blanks() {
        while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_.front())))
            text_.remove_prefix(1);
    }

    std::string word() {
        skip_blanks();
        size_t end = 0;
        while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_'))
            end++;
        std::string found(text_.substr(0, end));
        text_.remove_prefix(end);
        skip_blanks();
        return found;
    }

    std::string skip_brackets(char open, char close) {
        int depth = 0;
        for (size_t i = 0; i < text_.size(); i++) {
            depth += (text_[i] == open) - (text_[i] == close);
            if (depth > 0) continue;
            std::string inside(text_.substr(1, i - 1));
            text_.remove_prefix(i + 1);
            skip_blanks();
            return inside;
        }
        text_ = {};
        return {};
    }

    std::optional<ctypes::Type> first(const target::Scope &scope, bool at_return) {
        if (text_.starts_with("@cast")) {
            text_.remove_prefix(5);
            skip_blanks();
            const std::string inside = skip_brackets('(', ')');
            const size_t begin = inside.find('"'), end = inside.find('"', begin + 1);
            if (begin == inside.npos || end == inside.npos) return std::nullopt;
            const std::string name = inside.substr(begin + 1, end - begin - 1);
            if (const auto type = scope.find_type(name)) return type;
            return scope.find_type("struct " + name);
        }
        if (!text_.starts_with('$')) return std::nullopt;
        text_.remove_prefix(1);
        const std::string name = word();
        if (name == "return" && at_return) return scope.result();
        const auto variable = scope.find(name);
        return variable ? std::optional(variable->type) : std::nullopt;
    }

    std::string_view text_;
};

std::vector<Name> members_of(const ctypes::Type &type) {
    std::vector<Name> names;
    const ctypes::Type structure = Chain::pointed(type);
    for (const std::string &member : ctypes::member_names(structure)) {
        const auto found = ctypes::find_member(structure, member);
        names.push_back({complete::Kind::Member, member, found ? ctypes::type_name(found->type) : "", {}, {}, 0});
    }
    return names;
}

// The words of a line of -L behind its point: "$file:struct file*". A type may have blanks.
std::vector<Name> variables_in(const std::string &line) {
    std::vector<Name> names;
    size_t depth = 0, begin = line.size();
    bool quoted = false;
    for (size_t i = 0; i < line.size(); i++) {
        if (line[i] == '"') quoted = !quoted;
        if (quoted) continue;
        depth += line[i] == '(';
        depth -= line[i] == ')' && depth > 0;
        if (line[i] != ' ' || depth > 0) continue;
        begin = i;
        break;
    }
    std::string rest = line.substr(begin);
    while (!rest.empty()) {
        // A name begins behind a blank and ends with a colon.
        rest.erase(0, rest.find_first_not_of(' '));
        const size_t colon = rest.find(':');
        if (colon == rest.npos) break;
        size_t end = rest.size();
        for (size_t at = rest.find(' ', colon); at != rest.npos; at = rest.find(' ', at + 1)) {
            const size_t next_colon = rest.find(':', at), next_blank = rest.find(' ', at + 1);
            if (next_colon != rest.npos && (next_blank == rest.npos || next_colon < next_blank)) {
                end = at;
                break;
            }
        }
        const std::string name = rest.substr(0, colon);
        names.push_back({name.starts_with('$') ? complete::Kind::Target : complete::Kind::Local,
                         name,
                         rest.substr(colon + 1, end - colon - 1),
                         {},
                         {},
                         0});
        rest.erase(0, end);
    }
    return names;
}

}  // namespace

std::unique_ptr<library::Library> PipelineNames::open_library() {
    // Elaboration changes the trees of the library: each has its own.
    auto library =
        library::Library::open(library::Index(state_.library->index()), parse_settings(state_), state_.diagnostics);
    library->add_aliases(state_.system_calls->aliases());
    return library;
}

const resolve::ElaborateOptions &PipelineNames::settings() {
    if (!settings_) {
        settings_ = elaborate_settings(state_);
        settings_->guru = true;
        settings_->listing = true;
        settings_->drop_unused = false;
    }
    return *settings_;
}

std::unique_ptr<ast::File> PipelineNames::parse_points(const SourceFile &script, library::Library &library) {
    syntax::ParseOptions settings = parse_settings(state_);
    settings.library_macros = &library.macros();
    Diagnostics problems;
    std::unique_ptr<ast::File> file = syntax::parse(script, settings, problems);
    return problems.has_errors() ? nullptr : std::move(file);
}

const std::vector<Name> *PipelineNames::known(const std::string &question) const {
    const auto found = kept_.find(question);
    return found == kept_.end() ? nullptr : &found->second;
}

std::vector<Name> PipelineNames::keep(const std::string &question, std::vector<Name> names) {
    constexpr size_t kMost = 64;
    if (kept_.size() >= kMost) kept_.clear();
    return kept_[question] = std::move(names);
}

std::vector<std::string> PipelineNames::list(const std::string &points, bool variables) {
    const SourceFile script("<input>", "probe " + points + " { }", Origin::UserScript);
    const auto library = open_library();
    std::unique_ptr<ast::File> file = parse_points(script, *library);
    if (!file) return {};
    const size_t mark = state_.diagnostics.mark();
    std::vector<std::string> lines = types::list_probes(std::move(file), *library, settings(), variables);
    state_.diagnostics.drop_since(mark);
    return lines;
}

std::vector<Name> PipelineNames::variables(const std::string &points) {
    const std::string question = "variables " + points;
    if (const auto *names = known(question)) return *names;
    std::vector<Name> names;
    for (const std::string &line : list(points, true))
        for (Name &name : variables_in(line))
            if (std::ranges::find(names, name.name, &Name::name) == names.end()) names.push_back(std::move(name));
    return keep(question, std::move(names));
}

std::vector<Name> PipelineNames::members(const std::string &points, const std::string &expression) {
    const std::string question = "members " + points + " " + expression;
    if (const auto *names = known(question)) return *names;
    const SourceFile script("<input>", "probe " + (points.empty() ? "begin" : points) + " { }", Origin::UserScript);
    const auto library = open_library();
    std::unique_ptr<ast::File> file = parse_points(script, *library);
    std::vector<Name> names;
    if (!file) return names;
    std::vector<std::unique_ptr<ast::File>> files;
    files.push_back(std::move(file));
    Diagnostics problems;
    const auto program = resolve::elaborate(std::move(files), *library, settings(), problems);
    for (const auto &handler : program->handlers)
        for (const probes::Attach &attach : handler->attaches) {
            const target::Scope *scope = attach.sites.empty() ? attach.scope.get() : attach.sites.front().scope.get();
            if (!scope || handler->is_entry || !names.empty()) continue;
            if (const auto type = Chain(expression).type(*scope, attach.facts().at_return)) names = members_of(*type);
        }
    // A place without a scope, such as begin, has the types of the kernel.
    if (names.empty() && expression.starts_with("@cast") && points != kAnyFunction)
        names = members(kAnyFunction, expression);
    return keep(question, std::move(names));
}

std::vector<Name> PipelineNames::arguments(const std::string &point, const std::string &word) {
    // All functions of a kernel are too many.
    constexpr size_t kShortest = 2;
    std::vector<Name> names;
    const bool trace = point.ends_with("trace("), function = point.ends_with("function(");
    if ((!trace && !function) || word.size() < kShortest || word.find_first_of("*?@\"\\{") != word.npos) return names;
    const std::string question = "arguments " + point + word;
    if (const auto *known_names = known(question)) return *known_names;
    for (const std::string &line : list(point + "\"" + word + "*\")", false)) {
        const size_t end = line.find("\")", point.size()), begin = line.rfind('"', end - 1);
        if (end == line.npos || begin == line.npos) continue;
        std::string name = line.substr(begin + 1, end - begin - 1);
        name = name.substr(0, name.find('@'));
        names.push_back({complete::Kind::Function, name, {}, {}, {}, 0});
    }
    return keep(question, std::move(names));
}

}  // namespace tapir::driver
