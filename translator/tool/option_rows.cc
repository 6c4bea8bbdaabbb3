// SPDX-License-Identifier: GPL-2.0-or-later
#include "tool/option_rows.h"

#include <cstdlib>

namespace tapir::tool {
namespace {

std::string limits_text(const Option &option) {
    if (option.least && option.most)
        return shown_number(option, *option.least) + " to " + shown_number(option, *option.most);
    if (option.least) return "at least " + shown_number(option, *option.least);
    if (option.most) return "at most " + shown_number(option, *option.most);
    return {};
}

bool is_on(const Option &option) {
    return option.type == Type::Flag && option.initial == "1";
}

std::string full_help(const Option &option) {
    std::string facts;
    const auto add = [&](const std::string &fact) {
        if (!fact.empty()) facts += (facts.empty() ? "" : "; ") + fact;
    };
    add(limits_text(option));
    if (option.required) add("required");
    const std::string initial = shown_default(option);
    if (!option.required && !initial.empty()) add("default " + initial);
    if (is_on(option)) add("default on");
    if (option.repeated && !option.positional) add("repeatable");
    if (option.rebuilds) add("another value rebuilds");
    return option.help + (facts.empty() ? "" : " (" + facts + ")");
}

Row row_of(const Option &option) {
    Row row;
    if (option.letter) row.letter = std::string("-") + option.letter;
    if (option.positional) {
        row.name = option.metavar + (option.repeated ? "..." : "");
    } else {
        row.name = option.long_name();
        row.metavar = option.metavar.empty() ? default_metavar(option) : option.metavar;
    }
    row.help = full_help(option);
    if (is_on(option)) row.name = "--[no-]" + row.name.substr(2);
    return row;
}

Row row_of(const DriverOption &option) {
    Row row;
    if (option.letter) row.letter = std::string("-") + option.letter;
    row.name = "--" + std::string(option.name);
    row.metavar = option.metavar;
    if (row.metavar.starts_with('[')) {
        row.may_lack = true;
        row.metavar = row.metavar.substr(1, row.metavar.size() - 2);
    }
    row.help = option.help;
    return row;
}

}  // namespace

std::string shown_default(const Option &option) {
    if (option.initial.empty() || option.type == Type::Flag) return {};
    if (option.initial == "0" && option.has_number()) return {};
    return option.has_number() ? shown_number(option, std::strtoll(option.initial.c_str(), nullptr, 10))
                               : option.initial;
}

std::vector<Section> sections(const Head &head) {
    std::vector<Section> all;
    const auto add = [&](std::string title, std::vector<Row> rows) {
        if (!rows.empty()) all.push_back({std::move(title), std::move(rows)});
    };
    std::vector<Row> words, own;
    for (const Option &option : head.options)
        (option.positional ? words : own).push_back(row_of(option));
    add("Words", std::move(words));
    add("Options of " + head.name, std::move(own));
    for (const auto &[group, title] : {std::pair{Group::Subject, "What it looks at (default: the whole machine)"},
                                       {Group::Running, "How it runs"},
                                       {Group::About, "About it"}}) {
        std::vector<Row> rows;
        for (const DriverOption &option : driver_options())
            if (option.group == group) rows.push_back(row_of(option));
        add(title, std::move(rows));
    }
    return all;
}

std::string synopsis(const Head &head) {
    std::string text = head.name + " [options]";
    for (const Option &option : head.options) {
        if (!option.positional) continue;
        const std::string word = option.metavar + (option.repeated ? "..." : "");
        text += option.required ? " " + word : " [" + word + "]";
    }
    if (head.takes_arguments) text += " [ARGUMENTS]";
    return text;
}

}  // namespace tapir::tool
