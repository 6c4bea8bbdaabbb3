// SPDX-License-Identifier: GPL-2.0-or-later
// Writes a probe's argument for its kind, as C. Private to emit/.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emit/c/initialiser.h"
#include "ir/ir.h"
#include "probes/arg_writer.h"

namespace tapir::emit {

// tapir_module.symbols in the making.
class SymbolTable {
  public:
    // The symbol's index.
    size_t index(const std::string &symbol);
    const std::vector<std::string> &symbols() const { return symbols_; }

  private:
    std::vector<std::string> symbols_;
    std::map<std::string, size_t> indices_;
};

class ArgText final : public probes::ArgWriter {
  public:
    // `name` is that of the C object, and begins those of the arrays that it points to.
    ArgText(const ir::Module &module, const ir::Handler &handler, SymbolTable &symbols, std::string name)
        : module_(module), handler_(handler), symbols_(symbols), name_(std::move(name)) {}

    // The object's definition after those of its arrays; "" if the kind has written nothing.
    std::string definition() const;

    void type(std::string_view name) override { type_ = name; }
    void constant(std::string_view member, std::string_view name) override { members_.value(member, name); }
    void text(std::string_view member, std::string_view bytes) override { members_.text(member, bytes); }
    void numbers(std::string_view member, std::string_view type, const std::vector<uint64_t> &values) override;
    void rows(std::string_view member, std::string_view type, size_t count, const Row &row) override;
    void nested(std::string_view member, const std::function<void(ArgWriter &)> &members) override;
    void symbol(std::string_view member, const std::string &symbol) override;
    void program(std::string_view member, const std::string &path) override;
    void syscalls(std::string_view member, std::string_view count, const std::vector<size_t> &positions) override;
    void touches() override;

  private:
    void signed_number(std::string_view member, int64_t n) override { members_.number(member, n); }
    void unsigned_number(std::string_view member, uint64_t n) override { members_.number(member, n); }
    void array(std::string_view member, const std::string &type, const std::string &items);
    void touch_list(const std::vector<ir::TouchStep> &list, std::string_view member, std::string_view count);

    const ir::Module &module_;
    const ir::Handler &handler_;
    SymbolTable &symbols_;
    std::string name_, type_;
    std::string arrays_;
    Initialiser members_;
};

}  // namespace tapir::emit
