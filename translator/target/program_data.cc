// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/program_data.h"

#include <algorithm>
#include <vector>

#include "base/name_patterns.h"
#include "common/demangle.h"
#include "names/qualified_name.h"

namespace tapir::target {

namespace {

using ctypes::Place;
using ctypes::Term;
using ctypes::TermOp;

// Returns the linked address of a place in the program's image.
std::optional<uint64_t> linked_address(const Term &term) {
    if (term.op == TermOp::Relocated) return static_cast<uint64_t>(term.constant);
    if (term.op != TermOp::Add) return std::nullopt;
    const Term &left = *term.operands[0], &right = *term.operands[1];
    if (left.op == TermOp::Relocated && right.op == TermOp::Constant)
        return static_cast<uint64_t>(left.constant + right.constant);
    if (left.op == TermOp::Constant && right.op == TermOp::Relocated)
        return static_cast<uint64_t>(left.constant + right.constant);
    return std::nullopt;
}

std::optional<ProgramData> data_of(const Variable &variable, const std::string &name, std::string &why) {
    const Place &place = variable.place;
    const auto address = place.kind == Place::Kind::Memory ? linked_address(*place.term) : std::nullopt;
    if (address) return ProgramData{*address, ctypes::type_size(variable.type).value_or(0)};
    why = "'" + name + "' cannot be watched: ";
    if (place.kind == Place::Kind::Memory && ctypes::has_op(*place.term, TermOp::ThreadLocal))
        why += "it is thread-local, and only what all threads share can be";
    else
        why += place.why.empty() ? "it has no fixed address" : place.why;
    return std::nullopt;
}

// The symbols that have exactly this name, or else those that have it in their sources.
std::vector<dwarf::DataSymbol> symbols_named(const std::vector<dwarf::DataSymbol> &all, std::string_view name) {
    std::vector<dwarf::DataSymbol> found;
    std::copy_if(all.begin(), all.end(), std::back_inserter(found),
                 [&](const dwarf::DataSymbol &symbol) { return symbol.name == name; });
    if (!found.empty()) return found;
    const NamePattern pattern(name);
    std::copy_if(all.begin(), all.end(), std::back_inserter(found), [&](const dwarf::DataSymbol &symbol) {
        if (!is_mangled(symbol.name) || symbol.name.find(pattern.identifier()) == std::string_view::npos) return false;
        const std::string source = without_abi_tags(demangle(symbol.name));
        return !source.empty() && pattern.matches(split_name(source).parts, NamePattern::Mode::Exact);
    });
    return found;
}

std::optional<ProgramData> find_symbol(const DebugObject &program, const std::string &name,
                                       const std::vector<dwarf::DataSymbol> &all, std::string &why) {
    std::vector<dwarf::DataSymbol> found = symbols_named(all, name);
    // As for @var, a variable that other files can name comes first.
    const auto exported = std::find_if(found.begin(), found.end(), [](const auto &symbol) { return symbol.exported; });
    if (exported != found.end()) return ProgramData{exported->address, exported->size};
    const bool same = std::all_of(found.begin(), found.end(),
                                  [&](const auto &symbol) { return symbol.address == found.front().address; });
    if (!found.empty() && same) return ProgramData{found.front().address, found.front().size};
    if (!found.empty()) {
        why = "several files of the program have a variable '" + name + "': with debug information, name one as \"" +
              name + "@FILE\"; " + missing_debug_information(program);
        return std::nullopt;
    }
    if (const auto address = program.object->symbols().variable_address(name)) return ProgramData{*address, 0};
    return std::nullopt;
}

// Returns candidates for advice: names as in the sources.
std::vector<std::string> names_of(const DebugObject &program, const std::vector<dwarf::DataSymbol> &symbols) {
    std::vector<std::string> names;
    if (program.index)
        for (const dwarf::VariableEntry &entry : program.index->variables())
            names.emplace_back(program.index->text(entry.name));
    for (const dwarf::DataSymbol &symbol : symbols) {
        const std::string source = is_mangled(symbol.name) ? demangle(symbol.name) : "";
        names.push_back(source.empty() ? std::string(symbol.name) : source);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

}  // namespace

std::optional<ProgramData> find_program_data(const DebugObject &program, std::string_view name, std::string &why) {
    const std::string text(name);
    if (program.index)
        if (const auto variable = make_scope(program)->find_global(name)) return data_of(*variable, text, why);
    if (!program.index && name.find('@') != std::string_view::npos) {
        why = missing_debug_information(program);
        return std::nullopt;
    }
    const std::vector<dwarf::DataSymbol> symbols = program.object->symbols().variables();
    if (auto found = find_symbol(program, text, symbols, why)) {
        program.used = true;
        return found;
    }
    if (why.empty())
        why = program.module + " has no variable '" + text + "'" +
              similar_text(similar_names(name, names_of(program, symbols)), "similar variables");
    return std::nullopt;
}

}  // namespace tapir::target
