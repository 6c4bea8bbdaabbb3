// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/script_options.h"

#include <cstdlib>

namespace tapir::driver {
namespace {

std::string value_of(const Options &options, const tool::Option &option) {
    for (const NameValue &given : options.option_values)
        if (given.name == option.name) return given.value;
    return option.initial;
}

}  // namespace

bool is_option(const Options &options, const std::string &global) {
    return options.tool && options.tool->head.find(global);
}

void add_option_values(State &state, syntax::ParseOptions &settings) {
    if (!state.options.tool) return;
    const tool::Head &head = state.options.tool->head;
    for (const tool::LiteralPlace &place : head.literals) {
        const tool::Option &option = *head.find(place.option);
        syntax::LiteralValue literal;
        const bool loads = place.may_load && option.is_loaded();
        literal.text = loads ? option.initial : value_of(state.options, option);
        literal.is_number = option.has_number();
        if (loads) literal.option = option.name;
        if (literal.is_number) literal.number = std::strtoll(literal.text.c_str(), nullptr, 10);
        settings.literals[{place.line, place.column}] = std::move(literal);
    }
    for (const tool::Option &option : head.options) {
        if (option.type != tool::Type::Points) continue;
        const std::string name = option.positional ? "<" + option.metavar + ">" : option.long_name();
        state.option_texts.push_back(
            std::make_unique<SourceFile>(name, value_of(state.options, option), Origin::CommandLine));
        settings.pasted[option.name] = state.option_texts.back().get();
    }
}

void add_option_key(const Options &options, Hasher &hash) {
    if (!options.tool) return;
    for (const tool::Option &option : options.tool->head.options)
        if (option.rebuilds) hash.add("option").add(option.name).add(value_of(options, option));
}

void mark_live_options(State &state) {
    if (!state.options.tool) return;
    for (const tool::Option &option : state.options.tool->head.options) {
        if (!option.live) continue;
        for (ast::Variable *global : state.program->globals) {
            const bool of_script = global->at.file && global->at.file->origin() != Origin::Tapset;
            if (!of_script || global->name != option.name) continue;
            ast::LiveRange range;
            if (option.type == tool::Type::Flag) range.least = 0, range.most = 1;
            if (option.type == tool::Type::Duration || option.type == tool::Type::Size) range.least = 0;
            range.least = option.least.value_or(range.least);
            range.most = option.most.value_or(range.most);
            for (const std::string &choice : option.choices)
                range.choices += (range.choices.empty() ? "" : "|") + choice;
            global->live = range;
        }
    }
}

}  // namespace tapir::driver
