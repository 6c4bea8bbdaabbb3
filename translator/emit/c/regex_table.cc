// SPDX-License-Identifier: GPL-2.0-or-later
#include "emit/c/regex_table.h"

#include "emit/c/initialiser.h"

namespace tapir::emit {

namespace {

template <class List>
std::string array(const std::string &type, const std::string &name, const List &values) {
    constexpr size_t kPerLine = 24;
    std::string out = "static const " + type + " " + name + "[] = {";
    size_t n = 0;
    for (const auto &value : values)
        out += (n++ % kPerLine ? " " : "\n\t") + std::to_string(value) + ",";
    return out + "\n};\n";
}

std::string operations(const std::string &name, const regex::Table &table) {
    std::string out = "static const struct tapir_regex_op " + name + "[] = {";
    for (const regex::Table::Op &op : table.ops) {
        out += "\n\t" + Initialiser().number("to", op.to).number("from", op.from).str() + ",";
    }
    return out + "\n};\n";
}

}  // namespace

std::string regex_table(const std::string &name, const regex::Table &table) {
    std::string out = array("u8", name + "_classes", table.byte_class) + array("u16", name + "_next", table.next) +
                      array("u16", name + "_accept", table.accept) +
                      array("u16", name + "_accept_end", table.accept_end);
    if (table.groups) out += array("u16", name + "_edge_ops", table.edge_ops) + operations(name + "_ops", table);
    auto field = [&](const char *member, size_t value) {
        out += "\t." + std::string(member) + " = " + std::to_string(value) + ",\n";
    };
    auto pointer = [&](const char *member) {
        out += "\t." + std::string(member) + " = " + name + "_" + member + ",\n";
    };
    // A match that cannot be reached is not in the code; the compiler then drops its table.
    out += "static const __attribute__((__unused__)) struct tapir_regex " + name + " = {\n";
    field("nstates", table.states);
    field("nclasses", table.classes);
    field("start", table.start);
    field("nregisters", table.registers);
    field("ngroups", table.groups);
    for (const char *member : {"classes", "next", "accept", "accept_end"})
        pointer(member);
    if (table.groups) {
        pointer("edge_ops");
        pointer("ops");
    }
    return out + "};\n\n";
}

}  // namespace tapir::emit
