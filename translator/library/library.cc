// SPDX-License-Identifier: GPL-2.0-or-later
#include "library/library.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/name_patterns.h"
#include "common/files.h"
#include "common/regular_file.h"
#include "library/for_program.h"
#include "library/match.h"

namespace tapir::library {

Library::Library(Index index, ParseFile parse, Diagnostics &diagnostics)
    : index_(std::move(index)), parse_(std::move(parse)), diagnostics_(diagnostics) {}

std::unique_ptr<Library> Library::open(Index index, syntax::ParseOptions options, Diagnostics &diagnostics) {
    auto library = std::make_unique<Library>(std::move(index), nullptr, diagnostics);
    options.privileged = true;
    options.library_macros = &library->macros_;
    library->parse_ = [options](const SourceFile &file, Diagnostics &out) { return syntax::parse(file, options, out); };
    // Embedded C of other implementations means another runtime.
    library->parse_of_others_ = [options](const SourceFile &file, Diagnostics &out) {
        syntax::ParseOptions plain = options;
        plain.privileged = false;
        return syntax::parse(file, plain, out);
    };
    library->macros_.set_loader(
        [self = library.get(), options](const std::string &name) { self->load_macros(name, options); });
    library->macros_.set_all_names([self = library.get()] { return self->index_.macro_names(); });
    return library;
}

// Null after a report.
std::shared_ptr<const SourceFile> Library::read(size_t number) {
    if (const auto &given = index_.files()[number].text) return given;
    const std::string &path = index_.files()[number].path;
    std::string text;
    if (const int error = read_file(path.c_str(), kMaxText, text)) {
        diagnostics_.report(Tag::TapsetUnreadable, "cannot read tapset file " + path + ": " + file_error(error));
        return nullptr;
    }
    return std::make_shared<SourceFile>(path, std::move(text), Origin::Tapset);
}

ast::File *Library::load(size_t number) {
    auto [it, fresh] = files_.try_emplace(number);
    if (!fresh) return it->second.file.get();
    it->second.source = read(number);
    if (!it->second.source) return nullptr;
    const IndexedFile &indexed = index_.files()[number];
    it->second.file =
        indexed.fills_gaps ? load_of_others(*it->second.source) : parse_(*it->second.source, diagnostics_);
    if (!it->second.file) return nullptr;
    if (!indexed.program.empty()) speak_of_program(*it->second.file, indexed.program);
    levels_[it->second.file.get()] = indexed.level;
    if (indexed.fills_gaps) of_others_.insert(it->second.file.get());
    return it->second.file.get();
}

// Leaves out a file that cannot be used.
std::unique_ptr<ast::File> Library::load_of_others(const SourceFile &source) {
    Diagnostics own;
    std::unique_ptr<ast::File> file = (parse_of_others_ ? parse_of_others_ : parse_)(source, own);
    if (!own.has_errors()) return file;
    const Diagnostic &first = *own.all().front();
    diagnostics_.report(Tag::TapsetSkipped, "tapset file " + source.name() + " is left out: " + first.message +
                                                (first.at ? " (line " + std::to_string(first.at.line) + ")" : ""));
    return nullptr;
}

size_t Library::level(const ast::File &file) const {
    auto known = levels_.find(&file);
    return known == levels_.end() ? static_cast<size_t>(-1) : known->second;
}

void Library::load_macros(const std::string &name, const syntax::ParseOptions &options) {
    for (size_t number : index_.macro(name)) {
        auto [it, fresh] = macro_files_.try_emplace(number);
        if (fresh) it->second = read(number);
        if (!fresh || !it->second) continue;
        // If several files define a macro, the first file's definition counts.
        macros_.set_filter([&](const std::string &other) { return index_.macro(other).front() == number; });
        syntax::parse_macros(*it->second, options, macros_, diagnostics_);
        macros_.set_filter(nullptr);
        if (macros_.has(name)) return;
    }
}

std::vector<ast::File *> Library::load_all(const std::vector<size_t> &numbers) {
    std::vector<ast::File *> files;
    for (size_t number : numbers) {
        if (ast::File *file = load(number)) files.push_back(file);
    }
    return files;
}

std::vector<ast::File *> Library::with_function(std::string_view name) {
    return load_all(index_.function(name));
}

std::vector<ast::File *> Library::with_global(std::string_view name) {
    return load_all(index_.global(name));
}

std::vector<ast::File *> Library::all() {
    std::vector<size_t> numbers;
    for (size_t i = 0; i < index_.files().size(); ++i) {
        if (!index_.files()[i].macros_only && !index_.files()[i].table) numbers.push_back(i);
    }
    return load_all(numbers);
}

std::vector<ast::File *> Library::written(bool every) {
    std::vector<ast::File *> files;
    if (!alias_source_) return files;
    for (std::string_view root : alias_source_->roots())
        for (const AliasSource::Name &name : alias_source_->names(root))
            if (name.by_wildcard || every)
                if (ast::File *file = write(name.dotted)) files.push_back(file);
    return files;
}

std::vector<ast::File *> Library::with_alias(const ast::ProbePoint &point) {
    std::vector<size_t> numbers;
    for (const Index::Alias &alias : index_.aliases()) {
        if (!may_match(alias.name, point) || match_alias(split_name(alias.name), point) == 0) continue;
        if (std::find(numbers.begin(), numbers.end(), alias.file) == numbers.end()) numbers.push_back(alias.file);
    }
    std::sort(numbers.begin(), numbers.end());
    std::vector<ast::File *> files = load_all(numbers);
    const bool wildcard = has_wildcard_names(point);
    const auto is_meant = [&](const AliasSource::Name &name) {
        return !wildcard || name.by_wildcard ||
               (!name.prefix.empty() &&
                std::any_of(point.components.begin(), point.components.end(),
                            [&](const ast::PointComponent &part) { return part.name.starts_with(name.prefix); }));
    };
    for (std::string_view root : written_roots(point)) {
        for (const AliasSource::Name &name : alias_source_->names(root)) {
            if (!is_meant(name) || match_alias(split_name(name.dotted), point) == 0) continue;
            if (ast::File *file = write(name.dotted)) files.push_back(file);
        }
    }
    return files;
}

std::vector<std::string_view> Library::written_roots(const ast::ProbePoint &point) const {
    std::vector<std::string_view> roots;
    if (!alias_source_ || point.components.empty()) return roots;
    // "**" may go on behind the root.
    std::string first = point.components[0].name;
    if (const size_t dotted = first.find("**"); dotted != std::string::npos) first.resize(dotted + 1);
    for (std::string_view root : alias_source_->roots())
        if (glob_match(first, root)) roots.push_back(root);
    return roots;
}

ast::File *Library::write(const std::string &dotted) {
    auto [it, fresh] = written_.try_emplace(dotted);
    if (fresh) {
        it->second.source =
            std::make_shared<SourceFile>("<" + dotted + ">", alias_source_->text(dotted), Origin::Tapset);
        it->second.file = parse_(*it->second.source, diagnostics_);
        if (it->second.file)
            for (const auto &alias : it->second.file->aliases)
                alias->assigns_only = true;
    }
    return it->second.file.get();
}

std::vector<std::string> Library::alias_names(const ast::ProbePoint &point, std::string_view beginning, Names which) {
    std::vector<std::string> names;
    const auto add = [&](std::string_view name) {
        if (name.starts_with(beginning)) names.emplace_back(name);
    };
    for (const Index::Alias &alias : index_.aliases())
        add(alias.name);
    if (!alias_source_) return names;
    for (std::string_view root : alias_source_->roots())
        add(root);
    for (std::string_view root : written_roots(point))
        for (const AliasSource::Name &name : alias_source_->names(root))
            if (which == Names::All || name.by_wildcard) add(name.dotted);
    return names;
}

}  // namespace tapir::library
