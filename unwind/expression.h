// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DWARF expressions of call frame information, as far as a table can express them: DWARF 5, sections 2.5 and 6.4.2.
 * They are evaluated with symbolic registers. A result of the form `register + offset`, or memory there, is accepted no
 * matter which operations computed it. So is the form that linkers give the entries of procedure linkage tables.
 */
#pragma once

#include <optional>
#include <string_view>

#include "unwind/row_state.h"

namespace tapir::unwind {

// `machine`: enum tapir_unwind_machine. Returns nothing if a table cannot express the rule.
std::optional<CfaRule> cfa_of_expression(std::string_view expression, uint32_t machine);
// `is_value`: a DW_CFA_val_expression, which gives the register's value. Otherwise a DW_CFA_expression, which gives its
// address.
std::optional<RegisterRule> register_of_expression(std::string_view expression, uint32_t machine, bool is_value);

}  // namespace tapir::unwind
