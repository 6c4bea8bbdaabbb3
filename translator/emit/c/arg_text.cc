// SPDX-License-Identifier: GPL-2.0-or-later
#include "emit/c/arg_text.h"

#include <algorithm>

#include "emit/c/c_text.h"
#include "emit/c/writer.h"

namespace tapir::emit {

namespace {

using probes::Arg;

const char *touch_name(ir::TouchOp op) {
    static constexpr const char *kNames[] = {
#define TAPIR_TOUCH_OP(Name, NAME) "TAPIR_TOUCH_" #NAME,
#include "ir/touch_ops.def"
    };
    return kNames[static_cast<size_t>(op)];
}

// Prints one struct, and before it the arrays that it points to.
class ArgText {
  public:
    ArgText(const ir::Module &module, const ir::Handler &handler, SymbolTable &symbols, Settings &settings,
            std::string name)
        : module_(module), handler_(handler), symbols_(symbols), settings_(settings), name_(std::move(name)) {}

    void add(const Arg &arg) {
        for (const Arg::Member &member : arg.members()) {
            member_ = member.name;
            std::visit(*this, member.value);
        }
    }
    const std::string &arrays() const { return arrays_; }
    std::string members() const { return members_.str(); }

    void operator()(int64_t n) { members_.number(member_, n); }
    void operator()(uint64_t n) { members_.number(member_, n); }
    void operator()(std::string_view text) { members_.text(member_, text); }
    void operator()(const Arg::Constant &constant) { members_.value(member_, constant.name); }
    void operator()(const Arg::Numbers &numbers);
    void operator()(const Arg::Rows &rows);
    void operator()(const Arg::Nested &nested);
    void operator()(const Arg::Symbol &symbol) { members_.number(member_, symbols_.index(symbol.name)); }
    void operator()(const Arg::Program &program);
    void operator()(const Arg::Syscalls &syscalls);
    void operator()(const Arg::Touches &);
    void operator()(const Arg::Setting &setting) {
        members_.number(member_, setting.number);
        settings_.add(module_, setting, "&" + name_ + "." + std::string(member_), false);
    }

  private:
    void array(std::string_view type, const std::string &items);
    void touch_list(const std::vector<ir::TouchStep> &list, const char *member, const char *count);

    const ir::Module &module_;
    const ir::Handler &handler_;
    SymbolTable &symbols_;
    Settings &settings_;
    std::string name_;         // of the object
    std::string_view member_;  // that is printed
    std::string arrays_;
    Initialiser members_;
};

void ArgText::array(std::string_view type, const std::string &items) {
    const std::string name = name_ + "_" + std::string(member_);
    arrays_ += "static const " + std::string(type) + " " + name + "[] = {" + items + "};\n";
    members_.value(member_, name);
}

void ArgText::operator()(const Arg::Numbers &numbers) {
    constexpr size_t kPerLine = 16;
    if (numbers.values.empty()) return;
    std::string items;
    for (size_t i = 0; i < numbers.values.size(); ++i)
        items += (i % kPerLine ? " " : "\n\t") + std::to_string(numbers.values[i]) + ",";
    array(numbers.type, items + "\n");
}

void ArgText::operator()(const Arg::Rows &rows) {
    if (rows.rows.empty()) return;
    std::string items = "\n";
    for (size_t i = 0; i < rows.rows.size(); ++i) {
        ArgText one(module_, handler_, symbols_, settings_, name_ + "_" + std::to_string(i));
        one.add(rows.rows[i]);
        arrays_ += one.arrays();
        items += "\t" + one.members() + ",\n";
    }
    array("struct " + std::string(rows.type), items);
}

void ArgText::operator()(const Arg::Nested &nested) {
    ArgText inner(module_, handler_, symbols_, settings_, name_);
    inner.add(nested.one.front());
    arrays_ += inner.arrays();
    members_.value(member_, inner.members());
}

void ArgText::operator()(const Arg::Program &program) {
    if (program.path.empty()) {
        members_.value(member_, "TAPIR_NO_PROGRAM");
        return;
    }
    const auto is_it = [&](const target::BuiltProgram &known) { return known.path == program.path; };
    const auto &programs = module_.programs;
    members_.number(member_, std::find_if(programs.begin(), programs.end(), is_it) - programs.begin());
}

void ArgText::operator()(const Arg::Syscalls &syscalls) {
    const std::vector<size_t> &all = module_.syscalls.entries;
    Arg::Numbers indices{"u16", {}};
    for (size_t position : syscalls.positions)
        indices.values.push_back(
            static_cast<uint64_t>(std::lower_bound(all.begin(), all.end(), position) - all.begin()));
    std::sort(indices.values.begin(), indices.values.end());
    members_.number(syscalls.count, indices.values.size());
    (*this)(indices);
}

void ArgText::operator()(const Arg::Touches &) {
    touch_list(handler_.touches, "touches", "ntouches");
    if (handler_.entry >= 0)
        touch_list(module_.handlers[static_cast<size_t>(handler_.entry)].touches, "entry_touches", "nentry_touches");
}

void ArgText::touch_list(const std::vector<ir::TouchStep> &list, const char *member, const char *count) {
    members_.number(count, list.size());
    Arg steps;
    steps.rows(member, "tapir_touch", list.size(), [&](size_t i, Arg &out) {
        out.constant("op", touch_name(list[i].op));
        out.number("detail", list[i].detail);
        out.number("value", list[i].value);
    });
    add(steps);
}

}  // namespace

void Settings::add(const ir::Module &module, const Arg::Setting &setting, const std::string &number, bool narrow) {
    const auto is_it = [&](const ir::Global &global) { return global.settable && global.name == setting.global; };
    const auto global = std::find_if(module.globals.begin(), module.globals.end(), is_it);
    Initialiser row;
    row.text("name", global->name);
    row.value("global", "&" + global_name(module, static_cast<int>(global - module.globals.begin())));
    row.value(narrow ? "entries" : "number", number);
    row.number("least", setting.least).number("most", setting.most);
    if (setting.dividend)
        row.number("dividend", setting.dividend);
    else
        row.number("times", setting.times);
    rows += "\t" + row.str() + ",\n";
    count++;
}

size_t SymbolTable::index(std::string_view symbol) {
    if (const auto known = indices_.find(symbol); known != indices_.end()) return known->second;
    symbols_.emplace_back(symbol);
    return indices_.emplace(symbol, symbols_.size() - 1).first->second;
}

std::string arg_definition(const probes::Arg &arg, const ir::Module &module, const ir::Handler &handler,
                           SymbolTable &symbols, Settings &settings, const std::string &name) {
    if (arg.type().empty()) return {};
    const size_t before = settings.count;
    ArgText text(module, handler, symbols, settings, name);
    text.add(arg);
    const char *constant = settings.count == before ? "const " : "";
    return text.arrays() + "static " + constant + "struct " + std::string(arg.type()) + " " + name + " = " +
           text.members() + ";\n";
}

}  // namespace tapir::emit
