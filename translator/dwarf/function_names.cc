// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/function_names.h"

#include <algorithm>
#include <set>

#include "base/name_patterns.h"
#include "common/demangle.h"
#include "names/qualified_name.h"
#include "names/symbol_name.h"

namespace tapir::dwarf {

namespace {

using Mode = NamePattern::Mode;

// Matches entries of the index by their names.
class EntryMatcher {
  public:
    EntryMatcher(const Index &index, const NamePattern &pattern, Mode mode)
        : index_(index), pattern_(pattern), mode_(mode) {}

    bool operator()(const FunctionEntry &entry) const {
        if (!pattern_.matches_last(index_.text(entry.name), mode_)) return false;
        if (pattern_.is_plain()) return true;
        const bool matches = index_.matches(pattern_, entry.scope, entry.name, mode_);
        if (!pattern_.has_parameters() && (matches || !pattern_.needs_linkage_name())) return matches;
        const std::string demangled = demangle(index_.text(entry.linkage_name));
        // A function without a linkage name is the only one of its name.
        if (demangled.empty()) return matches;
        const QualifiedName name = split_demangled(demangled);
        return (matches || pattern_.matches(name.parts, mode_, index_.inlined_parts(entry.scope))) &&
               pattern_.matches_parameters(name.parameters, mode_);
    }

  private:
    const Index &index_;
    const NamePattern &pattern_;
    Mode mode_;
};

std::vector<const FunctionEntry *> matching_entries(const Index &index, const NamePattern &pattern, Mode mode) {
    std::vector<const FunctionEntry *> found;
    const EntryMatcher matches(index, pattern, mode);
    if (pattern.last_is_open(mode)) {
        const bool every = pattern.text() == "*";
        for (const FunctionEntry &entry : index.functions())
            if (every || matches(entry)) found.push_back(&entry);
    } else {
        for (const FunctionEntry *entry : index.functions_of_base(pattern.base()))
            if (matches(*entry)) found.push_back(entry);
    }
    return found;
}

// True for symbols that are not functions of their own: parts that compilers have moved away, and symbols that the
// kernel's build puts in front of functions. A full name of one still selects it.
bool is_no_function(std::string_view symbol) {
    return is_split_off(symbol) || is_cold_part(symbol) || symbol.starts_with("__pfx_") || symbol.starts_with("__cfi_");
}

bool symbol_matches(const SymbolTable &table, const FunctionSymbol &symbol, const NamePattern &pattern, Mode mode) {
    const QualifiedName &name = table.source_name(symbol).name;
    // Those of C have no parameters.
    return pattern.matches(name.parts, mode) &&
           (name.parameters.empty() || pattern.matches_parameters(name.parameters, mode));
}

std::vector<const FunctionSymbol *> matching_symbols(const SymbolTable &table, const NamePattern &pattern, Mode mode) {
    std::vector<const FunctionSymbol *> found;
    if (pattern.last_is_open(mode)) {
        for (const FunctionSymbol &symbol : table.functions())
            if (symbol.name.find(pattern.identifier()) != std::string_view::npos && !is_no_function(symbol.name) &&
                symbol_matches(table, symbol, pattern, mode))
                found.push_back(&symbol);
        return found;
    }
    for (const FunctionSymbol *symbol : table.mangled_with(pattern.base(), pattern.identifier()))
        if (!is_no_function(symbol->name) && symbol_matches(table, *symbol, pattern, mode)) found.push_back(symbol);
    const std::string_view last = pattern.last();
    for (const FunctionSymbol *symbol : table.functions_named(last))
        if (pattern.matches({&last, 1}, mode)) found.push_back(symbol);
    return found;
}

NamedFunctions matching(const Object &object, const Index *index, const NamePattern &pattern, Mode mode, bool symbols) {
    NamedFunctions found;
    if (index) found.entries = matching_entries(*index, pattern, mode);
    if (symbols) found.symbols = matching_symbols(object.symbols(), pattern, mode);
    return found;
}

NamedFunctions by_linkage_name(const Object &object, const Index *index, const std::string &text, bool symbols) {
    NamedFunctions found;
    if (index)
        for (const FunctionEntry &entry : index->functions())
            if (entry.linkage_name && glob_match(text, index->text(entry.linkage_name)))
                found.entries.push_back(&entry);
    if (!symbols) return found;
    if (!has_wildcard(text)) {
        found.symbols = object.symbols().functions_named(text);
        return found;
    }
    for (const FunctionSymbol &symbol : object.symbols().functions())
        if (!is_no_function(symbol.name) && glob_match(text, symbol.name)) found.symbols.push_back(&symbol);
    return found;
}

// Those whose whole name this text is.
NamedFunctions exactly(const Object &object, const Index *index, const std::string &text, bool symbols) {
    NamedFunctions found;
    // It is not known which "::" separates the name from its scopes.
    for (size_t at = 0; index && at != std::string::npos;) {
        for (const FunctionEntry &entry : index->functions(std::string_view(text).substr(at)))
            if (index->qualified_name(entry.scope, entry.name) == text) found.entries.push_back(&entry);
        const size_t next = text.find("::", at);
        at = next == std::string::npos ? next : next + 2;
    }
    if (!symbols) return found;
    const SymbolTable &table = object.symbols();
    found.symbols = table.functions_named(text);
    const NamePattern pattern(text);
    for (const FunctionSymbol *symbol : table.mangled_with(pattern.base(), pattern.identifier()))
        if (const auto &source = table.source_name(*symbol);
            !is_no_function(symbol->name) && (source.joined == text || source.text == text))
            found.symbols.push_back(symbol);
    return found;
}

// May a name have other meanings as a pattern?
bool is_peculiar(std::string_view text) {
    return text.find_first_of("*?[\\(){}:") != std::string_view::npos;
}

template <typename T>
bool has_all(const std::vector<T> &all, const std::vector<T> &some) {
    const std::set<T> known(all.begin(), all.end());
    return std::all_of(some.begin(), some.end(), [&](const T &one) { return known.count(one) != 0; });
}

void sort_symbols(NamedFunctions &found) {
    std::sort(found.symbols.begin(), found.symbols.end());
    found.symbols.erase(std::unique(found.symbols.begin(), found.symbols.end()), found.symbols.end());
}

NamedFunctions find_named(const Object &object, const Index *index, const std::string &text, bool symbols) {
    NamedFunctions found;
    if (is_mangled(text)) found = by_linkage_name(object, index, text, symbols);
    if (!found.empty()) return found;
    // With all its scopes, it is a whole name.
    if (text.starts_with("::")) found = exactly(object, index, text.substr(2), symbols);
    if (!found.empty()) {
        sort_symbols(found);
        return found;
    }
    const NamedFunctions exact = is_peculiar(text) ? exactly(object, index, text, symbols) : NamedFunctions();
    const NamePattern pattern(text);
    found = matching(object, index, pattern, Mode::Literal, symbols);
    if (!exact.empty() && (pattern.is_open(Mode::Literal) || !has_all(found.entries, exact.entries) ||
                           !has_all(found.symbols, exact.symbols)))
        found = exact;
    if (found.empty() && pattern.has_arguments()) found = matching(object, index, pattern, Mode::Loose, symbols);
    if (found.empty() && pattern.has_literals()) found = matching(object, index, pattern, Mode::Wild, symbols);
    sort_symbols(found);
    return found;
}

}  // namespace

NamedFunctions named_functions(const Object &object, const Index *index, const std::string &given, SymbolUse use) {
    const std::string text = without_abi_tags(given);
    NamedFunctions found;
    if (use != SymbolUse::Always) found = find_named(object, index, text, false);
    if (use == SymbolUse::Never || !found.empty()) return found;
    return find_named(object, index, text, true);
}

namespace {

// An "@" in a name is not the one that ends it.
std::string escaped(std::string_view name) {
    std::string text;
    for (const char c : name) {
        if (c == '@') text += '\\';
        text += c;
    }
    return text;
}

}  // namespace

TellingNames::Alike &TellingNames::collect(std::span<const std::string_view> parts, uint64_t inlined) {
    const BareName bare = bare_name(parts, inlined);
    const auto [at, is_new] = alike_.try_emplace(bare.text, Alike{.arguments = bare.arguments});
    Alike &alike = at->second;
    alike.mixed = alike.mixed || alike.arguments != bare.arguments;
    if (!is_new) return alike;
    for (size_t scope = bare.text.find("::"); scope != std::string::npos; scope = bare.text.find("::", scope + 2))
        ends_.insert(bare.text.substr(scope + 2));
    return alike;
}

void TellingNames::collect() {
    if (index_)
        for (const FunctionEntry &entry : index_->functions())
            collect(index_->parts(entry.scope, entry.name), index_->inlined_parts(entry.scope)).described = true;
    for (const FunctionSymbol &symbol : object_.symbols().functions()) {
        const SymbolTable::SourceName &source = object_.symbols().source_name(symbol);
        collect(source.name.parts, 0);
        const auto [at, is_new] = texts_.try_emplace(source.joined, source.text);
        if (!is_new && at->second != source.text) at->second.clear();
        const size_t qualifiers = source.text.rfind(')') + 1;
        if (qualifiers != 0 && qualifiers < source.text.size()) qualified_.insert(source.text.substr(0, qualifiers));
    }
}

// Returns the facts of a name that means only one function, apart from overloads; else null. Collects them for all
// names at once if many are asked for.
const TellingNames::Alike *TellingNames::find_clear(std::span<const std::string_view> parts, uint64_t inlined) {
    constexpr unsigned kFew = 16;
    if (asked_++ < kFew) return nullptr;
    if (alike_.empty()) collect();
    const BareName bare = bare_name(parts, inlined);
    const auto found = alike_.find(bare.text);
    return found == alike_.end() || found->second.mixed || ends_.count(bare.text) ? nullptr : &found->second;
}

// True if no other function at the same place in the sources has the name.
bool TellingNames::tells(const FunctionEntry &entry, const std::string &name) const {
    const NamePattern pattern(name);
    const EntryMatcher matches(*index_, pattern, Mode::Literal);
    const auto others = index_->functions_of_base(without_template_arguments(index_->text(entry.name)));
    return std::none_of(others.begin(), others.end(), [&](const FunctionEntry *other) {
        return other->file == entry.file && other->line == entry.line &&
               (other->scope != entry.scope || other->name != entry.name) && matches(*other);
    });
}

std::string TellingNames::of(const FunctionEntry &entry) {
    const std::string name = index_->qualified_name(entry.scope, entry.name);
    if (!index_->has_scopes() ||
        find_clear(index_->parts(entry.scope, entry.name), index_->inlined_parts(entry.scope)) || tells(entry, name))
        return escaped(name);
    return escaped("::" + name);
}

bool TellingNames::tells(const FunctionSymbol &symbol, const std::string &name) const {
    const NamedFunctions found = named_functions(object_, index_, name, SymbolUse::Always);
    const SymbolTable &table = object_.symbols();
    const auto is_it = [&](const FunctionSymbol *other) {
        return other->address == symbol.address || table.source_name(*other).text == table.source_name(symbol).text;
    };
    return std::all_of(found.symbols.begin(), found.symbols.end(), is_it) &&
           std::all_of(found.entries.begin(), found.entries.end(),
                       [&](const FunctionEntry *entry) { return entry->entry == symbol.address; });
}

std::string TellingNames::of(const FunctionSymbol &symbol) {
    const SymbolTable &table = object_.symbols();
    const SymbolTable::SourceName &source = table.source_name(symbol);
    // Only C++ and Rust have scopes and parameters in names.
    if (!table.has_mangled() && !index_) return escaped(symbol.name);
    // Names with "<impl ... for ...>" are those of linkage, which functions with other scopes may have.
    const Alike *clear = find_clear(source.name.parts, 0);
    if (clear && !clear->described && !(index_ && source.joined.starts_with('<'))) {
        if (!texts_[source.joined].empty()) return escaped(source.joined);
        if (!qualified_.contains(source.text)) return escaped(source.text);
    }
    for (const std::string &text : {source.joined, source.text, "::" + source.joined, "::" + source.text})
        if (tells(symbol, text)) return escaped(text);
    return escaped(symbol.name);
}

std::vector<std::string> choices_of(const Object &object, std::string_view chosen) {
    const auto bare = [](std::string_view name) {
        return name.substr(std::min(name.find_first_not_of('_'), name.size()));
    };
    const auto begins_with = [&](std::string_view name, std::string_view prefix) {
        return name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] == '_';
    };
    std::set<std::string_view> others;
    for (const FunctionSymbol &symbol : object.symbols().functions())
        if (symbol.chooses) others.insert(bare(symbol.name));
    std::set<std::string> found;
    for (const FunctionSymbol &symbol : object.symbols().functions()) {
        const std::string_view name = bare(symbol.name);
        if (symbol.chooses || is_no_function(symbol.name) || !begins_with(name, bare(chosen)) ||
            name.ends_with("_ifunc"))
            continue;
        // "memcpy_chk_avx" is a choice for "memcpy_chk".
        if (std::none_of(others.begin(), others.end(), [&](std::string_view other) {
                return other.size() > bare(chosen).size() && begins_with(name, other);
            }))
            found.emplace(symbol.name);
    }
    return {found.begin(), found.end()};
}

}  // namespace tapir::dwarf
