// SPDX-License-Identifier: GPL-2.0-or-later
#include "emit/c/syscall_tables.h"

#include <cstdio>

#include "emit/c/initialiser.h"

namespace tapir::emit {

namespace {

std::string hex(uint64_t n) {
    char text[24];
    std::snprintf(text, sizeof text, n < 10 ? "%llu" : "%#llxull", static_cast<unsigned long long>(n));
    return text;
}

// "{ 1, 2 }", of a value for 64-bit and for 32-bit programs.
template <class T>
std::string both(const T (&pair)[2]) {
    return "{ " + std::to_string(pair[0]) + ", " + std::to_string(pair[1]) + " }";
}

}  // namespace

std::string SyscallTables::define(const std::string &declaration, const std::string &value) {
    const auto [found, is_new] = defined_.try_emplace(declaration + value);
    if (is_new) {
        found->second = "syscall_data_" + std::to_string(defined_.size());
        const size_t brackets = declaration.find('[');
        text_ += "static const struct " + declaration.substr(0, brackets) + " " + found->second +
                 (brackets == std::string::npos ? " = " + value : "[] = {" + value + "}") + ";\n";
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
        items += "\n\t" +
                 Initialiser().value("value", hex(n.value)).value("mask", hex(n.mask)).text("name", n.name).str() + ",";
    Initialiser set;
    set.number("count", names.list.size());
    if (!items.empty()) set.value("names", array("tapir_name", items + "\n"));
    set.optional_text("unknown", names.unknown);
    return name = object("tapir_names",
                         set.number("plain", int{names.plain}).number("permissions", int{names.permissions}).str());
}

std::string SyscallTables::record(const syscalls::Record &record) {
    if (const auto known = known_.find(&record); known != known_.end()) return known->second;
    std::string items;
    for (const syscalls::Show &field : record.fields)
        items += "\n\t" + show(field) + ",";
    Initialiser structure;
    structure.value("size", both(record.size)).number("nfields", record.fields.size());
    if (!items.empty()) structure.value("fields", array("tapir_show", items + "\n"));
    const std::string name = object("tapir_struct", structure.str());
    return known_[&record] = name;
}

std::string SyscallTables::choice(const syscalls::Show &show_of) {
    std::string items;
    for (const syscalls::Choice &choice : show_of.choices) {
        Initialiser row;
        row.value("value", hex(choice.value)).value("mask", hex(choice.mask));
        items += "\n\t" + row.value("show", "&" + object("tapir_show", show(choice.show))).str() + ",";
    }
    const std::string list = array("tapir_choice_case", items + "\n");
    return object("tapir_choice", Initialiser().number("count", show_of.choices.size()).value("cases", list).str());
}

std::string SyscallTables::of(const syscalls::Show &show_of) {
    if (show_of.kind == TAPIR_SHOW_CHOICE) return "&" + choice(show_of);
    if (show_of.names) return "&" + names(*show_of.names);
    if (show_of.record) return "&" + record(*show_of.record);
    if (show_of.element) return "&" + object("tapir_show", show(*show_of.element));
    return "NULL";
}

std::string SyscallTables::show(const syscalls::Show &show_of) {
    Initialiser row;
    row.number("kind", int{show_of.kind});
    row.value("other", show_of.other < 0 ? "TAPIR_SHOW_ALONE" : std::to_string(show_of.other));
    if (show_of.size[0] || show_of.size[1]) row.value("size", both(show_of.size));
    if (show_of.at[0] || show_of.at[1]) row.value("at", both(show_of.at));
    row.number("count", int{show_of.count}).optional_text("name", show_of.name);
    return row.value("of", of(show_of)).str();
}

std::string SyscallTables::arguments(const syscalls::Call &call) {
    std::string items;
    for (const syscalls::Show &argument : call.args)
        items += "\n\t" + show(argument) + ",";
    return items.empty() ? "NULL" : array("tapir_show", items + "\n");
}

}  // namespace tapir::emit
