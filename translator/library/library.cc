// SPDX-License-Identifier: GPL-2.0-or-later
#include "library/library.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "library/match.h"

namespace tapir::library {

Library::Library(Index index, ParseFile parse, Diagnostics &diagnostics)
    : index_(std::move(index)), parse_(std::move(parse)), diagnostics_(diagnostics) {}

ast::File *Library::load(size_t number) {
    auto [it, fresh] = files_.try_emplace(number);
    if (!fresh) return it->second.file.get();
    const std::string &path = index_.files()[number].path;
    std::ifstream in(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in) {
        diagnostics_.report(Tag::TapsetUnreadable, "cannot read tapset file " + path + ": " + std::strerror(errno));
        return nullptr;
    }
    it->second.source = std::make_unique<SourceFile>(path, std::move(text), Origin::Tapset);
    it->second.file = parse_(*it->second.source, diagnostics_);
    return it->second.file.get();
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
        if (!index_.files()[i].macros_only) numbers.push_back(i);
    }
    return load_all(numbers);
}

std::vector<ast::File *> Library::with_alias(const ast::ProbePoint &point) {
    std::vector<size_t> numbers;
    for (const Index::Alias &alias : index_.aliases()) {
        if (match_alias(split_name(alias.name), point) == 0) continue;
        if (std::find(numbers.begin(), numbers.end(), alias.file) == numbers.end()) numbers.push_back(alias.file);
    }
    std::sort(numbers.begin(), numbers.end());
    return load_all(numbers);
}

}  // namespace tapir::library
