// SPDX-License-Identifier: GPL-2.0-or-later
// Writes a probe's argument for its kind, as C. Private to emit/.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "emit/c/initialiser.h"
#include "ir/ir.h"
#include "probes/arg.h"

namespace tapir::emit {

// tapir_module.symbols in the making.
class SymbolTable {
  public:
    // The symbol's index.
    size_t index(std::string_view symbol);
    const std::vector<std::string> &symbols() const { return symbols_; }

  private:
    std::vector<std::string> symbols_;
    std::map<std::string, size_t, std::less<>> indices_;
};

// Rows of tapir_module.settings in the making.
struct Settings {
    std::string rows;
    size_t count = 0;

    // `number` is a C expression for the address of a u64 or, if `narrow`, of a u32.
    void add(const ir::Module &module, const probes::Arg::Setting &setting, const std::string &number, bool narrow);
};

// Returns the definition of the C object `name` after those of the arrays that it points to, whose names begin with
// it; "" for an argument without a type.
std::string arg_definition(const probes::Arg &arg, const ir::Module &module, const ir::Handler &handler,
                           SymbolTable &symbols, Settings &settings, const std::string &name);

}  // namespace tapir::emit
