// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DWARF expressions of call frame information, as far as they can be said in a table: DWARF 5, sections 2.5 and 6.4.2.
 * They are evaluated with registers left unknown; what comes out as `register + offset`, or as memory there, is
 * understood however it was written, and so is the form that linkers give the entries of procedure linkage tables.
 */
#pragma once

#include <optional>
#include <string_view>

#include "unwind/row_state.h"

namespace tapir::unwind {

// `machine`: enum tapir_unwind_machine. Nothing: cannot be said.
std::optional<CfaRule> cfa_of_expression(std::string_view expression, uint32_t machine);
// Of DW_CFA_expression (the register's address), or of DW_CFA_val_expression (its value).
std::optional<RegisterRule> register_of_expression(std::string_view expression, uint32_t machine, bool is_value);

}  // namespace tapir::unwind
