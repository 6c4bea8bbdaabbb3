// SPDX-License-Identifier: GPL-2.0-or-later
#include "emit/c/arg_text.h"

#include <algorithm>

#include "emit/c/c_text.h"

namespace tapir::emit {

size_t SymbolTable::index(const std::string &symbol) {
    const auto [at, added] = indices_.try_emplace(symbol, symbols_.size());
    if (added) symbols_.push_back(symbol);
    return at->second;
}

std::string ArgText::definition() const {
    if (type_.empty()) return {};
    return arrays_ + "static const struct " + type_ + " " + name_ + " = " + members_.str() + ";\n";
}

void ArgText::array(std::string_view member, const std::string &type, const std::string &items) {
    const std::string name = name_ + "_" + std::string(member);
    arrays_ += "static const " + type + " " + name + "[] = {" + items + "};\n";
    members_.value(member, name);
}

void ArgText::numbers(std::string_view member, std::string_view type, const std::vector<uint64_t> &values) {
    constexpr size_t kPerLine = 16;
    if (values.empty()) return;
    std::string items;
    for (size_t i = 0; i < values.size(); ++i)
        items += (i % kPerLine ? " " : "\n\t") + std::to_string(values[i]) + ",";
    array(member, std::string(type), items + "\n");
}

void ArgText::rows(std::string_view member, std::string_view type, size_t count, const Row &row) {
    if (!count) return;
    std::string items = "\n";
    for (size_t i = 0; i < count; ++i) {
        ArgText one(module_, handler_, symbols_, name_ + "_" + std::to_string(i));
        row(i, one);
        arrays_ += one.arrays_;
        items += "\t" + one.members_.str() + ",\n";
    }
    array(member, "struct " + std::string(type), items);
}

void ArgText::nested(std::string_view member, const std::function<void(ArgWriter &)> &members) {
    ArgText inner(module_, handler_, symbols_, name_);
    members(inner);
    arrays_ += inner.arrays_;
    members_.value(member, inner.members_.str());
}

void ArgText::symbol(std::string_view member, const std::string &symbol) {
    members_.number(member, symbols_.index(symbol));
}

void ArgText::program(std::string_view member, const std::string &path) {
    if (path.empty()) return constant(member, "TAPIR_NO_PROGRAM");
    const auto is_it = [&](const target::BuiltProgram &program) { return program.path == path; };
    const auto &programs = module_.programs;
    members_.number(member, std::find_if(programs.begin(), programs.end(), is_it) - programs.begin());
}

void ArgText::syscalls(std::string_view member, std::string_view count, const std::vector<size_t> &positions) {
    const std::vector<size_t> &all = module_.syscalls.entries;
    std::vector<uint64_t> indices;
    for (size_t position : positions)
        indices.push_back(static_cast<uint64_t>(std::lower_bound(all.begin(), all.end(), position) - all.begin()));
    std::sort(indices.begin(), indices.end());
    members_.number(count, indices.size());
    numbers(member, "u16", indices);
}

void ArgText::touches() {
    touch_list(handler_.touches, "touches", "ntouches");
    if (handler_.entry >= 0)
        touch_list(module_.handlers[static_cast<size_t>(handler_.entry)].touches, "entry_touches", "nentry_touches");
}

void ArgText::touch_list(const std::vector<ir::TouchStep> &list, std::string_view member, std::string_view count) {
    members_.number(count, list.size());
    rows(member, "tapir_touch", list.size(), [&](size_t i, ArgWriter &out) {
        out.constant("op", "TAPIR_TOUCH_" + std::string(list[i].op));
        out.number("detail", list[i].detail);
        out.number("value", list[i].value);
    });
}

}  // namespace tapir::emit
