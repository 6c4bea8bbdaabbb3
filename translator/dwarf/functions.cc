// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/functions.h"

#include <dwarf.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

#include "base/name_patterns.h"
#include "common/demangle.h"
#include "dwarf/function_names.h"
#include "dwarf/line_rows.h"
#include "names/qualified_name.h"

namespace tapir::dwarf {

namespace {

bool parse_number(std::string_view text, int64_t &number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && number >= 0 && !text.empty();
}

bool parse_ranges(std::string_view text, std::vector<std::pair<int64_t, int64_t>> &ranges) {
    while (true) {
        const std::string_view one = text.substr(0, text.find(','));
        const size_t dash = one.find('-');
        int64_t first = 0, last = 0;
        if (!parse_number(one.substr(0, dash), first)) return false;
        last = first;
        if (dash != std::string_view::npos && (!parse_number(one.substr(dash + 1), last) || last < first)) return false;
        ranges.emplace_back(first, last);
        if (one.size() == text.size()) return true;
        text.remove_prefix(one.size() + 1);
    }
}

bool parse_lines(std::string_view text, FunctionPattern &pattern) {
    using Lines = FunctionPattern::Lines;
    if (text[0] == '+') {
        pattern.lines = Lines::Relative;
        return parse_number(text.substr(1), pattern.first);
    }
    text.remove_prefix(1);
    if (text == "*") {
        pattern.lines = Lines::All;
        return true;
    }
    if (parse_number(text, pattern.first)) {
        pattern.lines = Lines::Absolute;
        return true;
    }
    pattern.lines = Lines::Listed;
    return parse_ranges(text, pattern.ranges);
}

// Takes off the name in front of an "@", in which "\\@" is one of its own. Returns the position of what ends it.
size_t take_function(std::string_view text, std::string &name) {
    size_t at = 0;
    for (; at < text.size() && text[at] != '@'; ++at) {
        if (text.substr(at).starts_with("\\@")) ++at;
        name += text[at];
    }
    return at;
}

// Where after a file's name lines begin: directories as "c++" look like them.
size_t find_lines(std::string_view text, FunctionPattern &pattern) {
    for (size_t end = text.size(); end > 0;) {
        const size_t at = text.find_last_of(":+", end - 1);
        if (at == std::string_view::npos) break;
        FunctionPattern lines;
        if (parse_lines(text.substr(at), lines)) {
            pattern.lines = lines.lines;
            pattern.first = lines.first;
            pattern.ranges = lines.ranges;
            return at;
        }
        end = at;
    }
    return text.size();
}

bool line_selected(const FunctionPattern &pattern, int64_t declared, int64_t line) {
    using Lines = FunctionPattern::Lines;
    switch (pattern.lines) {
        case Lines::None:
        case Lines::All:
            return true;
        case Lines::Absolute:
            return line == pattern.first;
        case Lines::Relative:
            return line == declared + pattern.first;
        case Lines::Listed:
            return std::any_of(pattern.ranges.begin(), pattern.ranges.end(),
                               [&](const auto &range) { return line >= range.first && line <= range.second; });
    }
    return false;
}

CodeSite site_of(const Index &index, const FunctionEntry &entry, TellingNames &names) {
    CodeSite site;
    site.pc = entry.entry;
    site.function = entry.die;
    site.unit = entry.unit;
    site.at_entry = true;
    site.name = index.qualified_name(entry.scope, entry.name);
    site.shown = names.of(entry);
    site.file = entry.file;
    site.line = entry.line;
    return site;
}

void add_instances(const Index &index, const FunctionEntry &entry, TellingNames &names, std::vector<CodeSite> &sites) {
    const auto instances = index.instances(entry);
    if (instances.empty()) return;
    CodeSite site = site_of(index, entry, names);
    for (const InlineEntry &instance : instances) {
        site.pc = instance.entry;
        site.function = instance.die;
        site.unit = instance.unit;
        site.at_entry = false;
        site.inlined = true;
        sites.push_back(site);
    }
}

struct Statement {
    int line;
    uint64_t address;
};

// Returns the statement at a row of the line table, if one begins there in the function's own file.
std::optional<Statement> statement_of(Dwarf_Line *row, uint64_t address, std::string_view file) {
    bool statement = false;
    int line = 0;
    if (dwarf_linebeginstatement(row, &statement) != 0 || !statement || dwarf_lineno(row, &line) != 0 || line <= 0)
        return std::nullopt;
    const char *source = dwarf_linesrc(row, nullptr, nullptr);
    if (!source || (file != source && !file_matches(file, source))) return std::nullopt;
    return Statement{line, address};
}

// Does the function have code for this line of its file? For "f@file:line" on functions.
bool contains_line(const Object &object, const Index &index, const FunctionEntry &entry, int64_t line) {
    Dwarf_Die function;
    bool found = false;
    if (!object.die_at(entry.die, function)) return false;
    const std::string_view file = index.file(entry.file);
    for_each_row(&function, [&](Dwarf_Line *row, uint64_t address) {
        const auto statement = statement_of(row, address, file);
        found |= statement && statement->line == line;
    });
    return found;
}

// Sorts by name, then address. Sites from the index are in the order of names already.
void sort_unique(std::vector<CodeSite> &sites) {
    const auto by_name = [](const CodeSite &a, const CodeSite &b) { return a.name < b.name; };
    if (!std::is_sorted(sites.begin(), sites.end(), by_name)) std::stable_sort(sites.begin(), sites.end(), by_name);
    for (auto first = sites.begin(), last = first; first != sites.end(); first = last) {
        while (last != sites.end() && last->name == first->name)
            ++last;
        std::sort(first, last, [](const CodeSite &a, const CodeSite &b) {
            return std::tie(a.pc, a.file, a.line) < std::tie(b.pc, b.file, b.line);
        });
    }
    sites.erase(std::unique(sites.begin(), sites.end(),
                            [](const CodeSite &a, const CodeSite &b) {
                                return a.pc == b.pc && a.name == b.name && a.file == b.file && a.line == b.line;
                            }),
                sites.end());
}

}  // namespace

std::optional<FunctionPattern> parse_function_pattern(std::string_view text, std::string &error) {
    FunctionPattern pattern;
    const size_t at = take_function(text, pattern.function);
    if (pattern.function.empty()) {
        error = "a function's name is missing";
        return std::nullopt;
    }
    if (at == text.size()) return pattern;
    const std::string_view rest = text.substr(at + 1);
    const size_t lines = find_lines(rest, pattern);
    pattern.file = rest.substr(0, lines);
    if (pattern.file.empty()) {
        error = "a source file's name is missing after '@'";
        return std::nullopt;
    }
    if (pattern.file.find(':') != std::string::npos || (pattern.file.ends_with('+') && !pattern.file.ends_with("++"))) {
        error = "lines are given as :N, :N-M, :N,M-O, :* or +N";
        return std::nullopt;
    }
    return pattern;
}

bool file_matches(std::string_view path, std::string_view pattern) {
    if (path.empty()) return false;
    if (path == pattern ||
        (path.size() > pattern.size() && path.ends_with(pattern) && path[path.size() - pattern.size() - 1] == '/'))
        return true;
    return has_wildcard(pattern) && (glob_match(pattern, path) || glob_match("*/" + std::string(pattern), path));
}

namespace {

void drop_other_files(const Index &index, const FunctionPattern &pattern, std::vector<const FunctionEntry *> &entries) {
    if (pattern.file.empty()) return;
    std::map<uint32_t, bool> files;
    std::erase_if(entries, [&](const FunctionEntry *entry) {
        const auto [at, is_new] = files.try_emplace(entry->file, false);
        if (is_new) at->second = file_matches(index.file(entry->file), pattern.file);
        return !at->second;
    });
}

}  // namespace

std::vector<const FunctionEntry *> matching_functions(const Object &object, const Index &index,
                                                      const FunctionPattern &pattern) {
    std::vector<const FunctionEntry *> found =
        named_functions(object, &index, pattern.function, SymbolUse::Never).entries;
    drop_other_files(index, pattern, found);
    return found;
}

namespace {

// True if debug information knows where the calls of a function begin whose rest this is.
bool begins_elsewhere(const Index &index, const FunctionEntry &part) {
    const auto near = [&](uint32_t unit) { return unit == part.unit || (part.flags & kExternal); };
    for (const FunctionEntry &entry : index.functions(index.text(part.name))) {
        if (entry.file != part.file || entry.line != part.line || (entry.flags & kPart)) continue;
        if ((entry.flags & kOutOfLine) && near(entry.unit)) return true;
        if (!(entry.flags & kInlined)) continue;
        const auto instances = index.instances(entry);
        if (std::any_of(instances.begin(), instances.end(), [&](const InlineEntry &i) { return near(i.unit); }))
            return true;
    }
    return false;
}

// One search for functions.
class FunctionFinder {
  public:
    FunctionFinder(const Object &object, const Index *index, const FunctionPattern &pattern, const FindOptions &options)
        : object_(object), index_(index), pattern_(pattern), options_(options), names_(object, index) {}

    std::vector<CodeSite> find() {
        // The kernel's symbols take a while to be read.
        const bool kernel = index_ && index_->kernel_text() != 0;
        named_ = named_functions(object_, index_, pattern_.function, kernel ? SymbolUse::IfNothing : SymbolUse::Always);
        std::erase_if(named_.symbols, [](const FunctionSymbol *symbol) { return symbol->chooses; });
        if (index_) drop_other_files(*index_, pattern_, named_.entries);
        add_all();
        // Nothing is declared at the line: those with code of it are meant.
        within_ = sites_.empty() && pattern_.lines == FunctionPattern::Lines::Absolute;
        if (within_) add_all();
        sort_unique(sites_);
        return std::move(sites_);
    }

  private:
    void add_all() {
        size_t most = named_.entries.size() + named_.symbols.size();
        for (const FunctionEntry *entry : named_.entries)
            if (options_.inlines && (entry->flags & kInlined)) most += index_->instances(*entry).size();
        sites_.reserve(most);
        for (const FunctionEntry *entry : named_.entries)
            add(*entry);
        for (const FunctionSymbol *symbol : named_.symbols)
            add(*symbol);
    }

    bool has_line(const FunctionEntry &entry) const {
        return line_selected(pattern_, entry.line, entry.line) ||
               (within_ && contains_line(object_, *index_, entry, pattern_.first));
    }

    void add(const FunctionEntry &entry) {
        if (options_.exported_only && !(entry.flags & kExternal)) return;
        if ((entry.flags & kPart) && !options_.parts && begins_elsewhere(*index_, entry)) return;
        if ((entry.flags & kOutOfLine) && options_.calls) {
            if (!has_line(entry)) return;
            sites_.push_back(site_of(*index_, entry, names_));
            begins_.insert(entry.entry);
        } else if ((entry.flags & kInlined) && options_.inlines && line_selected(pattern_, entry.line, entry.line)) {
            add_instances(*index_, entry, names_, sites_);
        }
    }

    // A further name of a function, or the only one.
    void add(const FunctionSymbol &symbol) {
        if (begins_.count(symbol.address) || !options_.calls || (options_.exported_only && !symbol.exported)) return;
        std::vector<const FunctionEntry *> described;
        if (index_) described = index_->functions_starting_at(symbol.address);
        const bool unknown = described.empty();
        if (index_) drop_other_files(*index_, pattern_, described);
        CodeSite site;
        if (unknown && options_.undescribed && pattern_.file.empty()) {
            site.pc = symbol.address;
            site.at_entry = true;
            site.name = object_.symbols().source_name(symbol).joined;
        } else if (!described.empty() && has_line(*described.front())) {
            site = site_of(*index_, *described.front(), names_);
        } else {
            return;
        }
        begins_.insert(symbol.address);
        site.shown = names_.of(symbol);
        sites_.push_back(std::move(site));
    }

    const Object &object_;
    const Index *index_;
    const FunctionPattern &pattern_;
    const FindOptions &options_;
    TellingNames names_;
    NamedFunctions named_;
    bool within_ = false;        // a line may be one within a function
    std::set<uint64_t> begins_;  // where calls of the sites begin
    std::vector<CodeSite> sites_;
};

}  // namespace

std::vector<CodeSite> find_functions(const Object &object, const Index *index, const FunctionPattern &pattern,
                                     const FindOptions &options) {
    return FunctionFinder(object, index, pattern, options).find();
}

namespace {

// The sites of one function's code: the lowest address of each selected line.
class StatementFinder {
  public:
    StatementFinder(const Index &index, const FunctionPattern &pattern) : index_(index), pattern_(pattern) {}

    void add_function(const CodeSite &site, Dwarf_Die *function) {
        std::map<int64_t, uint64_t> lowest;
        for_each_row(function, [&](Dwarf_Line *row, uint64_t address) { add_row(row, address, site, lowest); });
        for (const auto &[line, address] : lowest) {
            if (!line_selected(pattern_, site.line, line)) {
                offered_.insert(line);
                continue;
            }
            CodeSite statement = site;
            statement.pc = address;
            statement.line = static_cast<uint32_t>(line);
            statement.at_entry = !site.inlined && address == site.pc;
            sites_.push_back(std::move(statement));
        }
    }

    FoundStatements take() {
        FoundStatements found;
        sort_unique(sites_);
        found.sites = std::move(sites_);
        if (!found.sites.empty()) return found;
        const auto after = offered_.lower_bound(wanted_);
        if (after != offered_.begin()) found.nearest.push_back(*std::prev(after));
        if (after != offered_.end()) found.nearest.push_back(*after);
        return found;
    }

    void want(int64_t line) { wanted_ = line; }

  private:
    void add_row(Dwarf_Line *row, uint64_t address, const CodeSite &site, std::map<int64_t, uint64_t> &lowest) {
        const auto statement = statement_of(row, address, index_.file(site.file));
        if (!statement) return;
        const auto [at, is_new] = lowest.try_emplace(statement->line, statement->address);
        if (!is_new) at->second = std::min(at->second, statement->address);
    }

    const Index &index_;
    const FunctionPattern &pattern_;
    std::vector<CodeSite> sites_;
    std::set<int64_t> offered_;
    int64_t wanted_ = 0;
};

}  // namespace

FoundStatements find_statements(const Object &object, const Index &index, const FunctionPattern &pattern) {
    FunctionPattern everything = pattern;
    everything.lines = FunctionPattern::Lines::None;
    StatementFinder finder(index, pattern);
    const bool entries = pattern.lines == FunctionPattern::Lines::None;
    const std::vector<CodeSite> functions = find_functions(object, index, everything, {true, true, false, !entries});
    if (entries) return {functions, {}};
    for (const CodeSite &site : functions) {
        Dwarf_Die die;
        finder.want(pattern.lines == FunctionPattern::Lines::Relative ? site.line + pattern.first : pattern.first);
        if (object.die_at(site.function, die)) finder.add_function(site, &die);
    }
    return finder.take();
}

std::set<int> readable_lines(const Object &object, const Index &index, const CodeSite &site,
                             const ScopeVariable &variable) {
    std::set<int> lines;
    Dwarf_Die function;
    if (!object.die_at(site.function, function)) return lines;
    CodeSite place = site;
    place.call = 0;
    for_each_row(&function, [&](Dwarf_Line *row, uint64_t address) {
        const auto statement = statement_of(row, address, index.file(site.file));
        if (!statement || lines.count(statement->line)) return;
        place.pc = statement->address;
        place.at_entry = !site.inlined && entry_pc(&function) == statement->address;
        if (place_of_variable(object, index, place, variable).kind != ctypes::Place::Kind::Absent)
            lines.insert(statement->line);
    });
    return lines;
}

namespace {

// Also of blocks within.
void add_labels(const CodeSite &site, Dwarf_Die *scope, std::string_view label, int depth,
                std::vector<CodeSite> &sites) {
    Dwarf_Die child;
    if (depth > 64 || dwarf_child(scope, &child) != 0) return;
    do {
        const int tag = dwarf_tag(&child);
        if (tag == DW_TAG_lexical_block) add_labels(site, &child, label, depth + 1, sites);
        Dwarf_Addr pc = 0;
        const char *name = tag == DW_TAG_label ? dwarf_diename(&child) : nullptr;
        if (!name || !glob_match(label, name) || dwarf_lowpc(&child, &pc) != 0) continue;
        CodeSite at = site;
        at.pc = pc;
        at.at_entry = false;
        at.label = name;
        sites.push_back(std::move(at));
    } while (dwarf_siblingof(&child, &child) == 0);
}

}  // namespace

std::vector<CodeSite> find_labels(const Object &object, const Index &index, const FunctionPattern &pattern,
                                  std::string_view label) {
    std::vector<CodeSite> sites;
    for (const CodeSite &site : find_functions(object, index, pattern, {true, true, false, true})) {
        Dwarf_Die die;
        if (object.die_at(site.function, die)) add_labels(site, &die, label, 0, sites);
    }
    sort_unique(sites);
    return sites;
}

std::string_view shown_file(const Index &index, uint32_t file) {
    const std::string_view path = index.file(file), root = index.source_root();
    return !root.empty() && path.substr(0, root.size()) == root ? path.substr(root.size()) : path;
}

}  // namespace tapir::dwarf
