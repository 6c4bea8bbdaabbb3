// SPDX-License-Identifier: GPL-2.0-or-later
#include "emit/syscall_tables.h"

#include <cstdio>

#include "emit/c_text.h"

namespace tapir::emit {

namespace {

std::string hex(uint64_t n) {
    char text[24];
    std::snprintf(text, sizeof text, n < 10 ? "%llu" : "%#llxull", static_cast<unsigned long long>(n));
    return text;
}

std::string optional_text(std::string_view text) {
    return text.empty() ? "NULL" : quoted(text);
}

}  // namespace

std::string SyscallTables::define(const std::string &declaration, const std::string &value) {
    const auto [found, is_new] = defined_.try_emplace(declaration + value);
    if (is_new) {
        found->second = "syscall_data_" + std::to_string(defined_.size());
        const size_t brackets = declaration.find('[');
        text_ += "static const struct " + declaration.substr(0, brackets) + " " + found->second +
                 (brackets == std::string::npos ? "" : "[]") + " = {" + value + "};\n";
    }
    return found->second;
}

std::string SyscallTables::array(const std::string &type, const std::string &items) {
    return define(type + "[]", items);
}

std::string SyscallTables::object(const std::string &type, const std::string &value) {
    return define(type, value);
}

std::string SyscallTables::names(const syscalls::Names &names) {
    std::string &name = known_[&names];
    if (!name.empty()) return name;
    std::string items;
    for (const syscalls::Name &n : names.list)
        items += "\n\t{" + hex(n.value) + ", " + hex(n.mask) + ", " + quoted(n.name) + "},";
    const std::string list = items.empty() ? "NULL" : array("tapir_name", items + "\n");
    return name = object("tapir_names", std::to_string(names.list.size()) + ", " + list + ", " +
                                            optional_text(names.unknown) + ", " + std::to_string(names.plain) + ", " +
                                            std::to_string(names.permissions));
}

std::string SyscallTables::record(const syscalls::Record &record) {
    if (const auto known = known_.find(&record); known != known_.end()) return known->second;
    std::string items;
    for (const syscalls::Show &field : record.fields)
        items += "\n\t{" + show(field) + "},";
    const std::string list = items.empty() ? "NULL" : array("tapir_show", items + "\n");
    const std::string name =
        object("tapir_struct", "{" + std::to_string(record.size[0]) + ", " + std::to_string(record.size[1]) + "}, " +
                                   std::to_string(record.fields.size()) + ", " + list);
    return known_[&record] = name;
}

std::string SyscallTables::choice(const syscalls::Show &show_of) {
    std::string items;
    for (const syscalls::Choice &choice : show_of.choices)
        items += "\n\t{" + hex(choice.value) + ", " + hex(choice.mask) + ", &" +
                 object("tapir_show", show(choice.show)) + "},";
    const std::string list = array("tapir_choice_case", items + "\n");
    return object("tapir_choice", std::to_string(show_of.choices.size()) + ", " + list);
}

std::string SyscallTables::of(const syscalls::Show &show_of) {
    if (show_of.kind == TAPIR_SHOW_CHOICE) return "&" + choice(show_of);
    if (show_of.names) return "&" + names(*show_of.names);
    if (show_of.record) return "&" + record(*show_of.record);
    if (show_of.element) return "&" + object("tapir_show", show(*show_of.element));
    return "NULL";
}

// The members of a tapir_show.
std::string SyscallTables::show(const syscalls::Show &show_of) {
    const auto number = [](int n) { return std::to_string(n); };
    return number(show_of.kind) + ", " + (show_of.other < 0 ? "TAPIR_SHOW_ALONE" : number(show_of.other)) + ", {" +
           number(show_of.size[0]) + ", " + number(show_of.size[1]) + "}, {" + number(show_of.at[0]) + ", " +
           number(show_of.at[1]) + "}, " + number(show_of.count) + ", " + optional_text(show_of.name) + ", " +
           of(show_of);
}

std::string SyscallTables::arguments(const syscalls::Call &call) {
    std::string items;
    for (const syscalls::Show &argument : call.args)
        items += "\n\t{" + show(argument) + "},";
    return items.empty() ? "NULL" : array("tapir_show", items + "\n");
}

}  // namespace tapir::emit
