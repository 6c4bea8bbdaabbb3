// SPDX-License-Identifier: GPL-2.0-or-later
// The textual forms of probe points, taken apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ast/ast.h"
#include "base/diagnostics.h"

namespace tapir::probes {

// One component of a form: a name and the type of its argument.
struct FormComponent {
    enum class Arg : char { None, Number, String, Anything };
    std::string name;  // "**" stands for any rest of the point, also none
    Arg arg = Arg::None;
    std::string text() const;  // "ms(number)"
};

std::vector<FormComponent> parse_form(std::string_view text);

// True if the component fits the form at this place.
bool matches(const FormComponent &form, const ast::PointComponent &component);

// True when all components are, and the point ends with the form.
bool matches(const std::vector<FormComponent> &form, const ast::ProbePoint &point);

// A component's literal argument; the component must have one of this type.
int64_t number_argument(const ast::PointComponent &component);
const std::string &string_argument(const ast::PointComponent &component);
// The global that has a component's number when the session starts; "" if the number itself is known.
const std::string &option_of(const ast::PointComponent &component);
// Returns a name as it stands between the quotes of a point; letters beyond ASCII stay as they are.
std::string string_text(std::string_view name);

// A number argument within bounds; false and a report when it is not.
bool argument_between(const ast::PointComponent &component, int64_t least, int64_t most, Diagnostics &diagnostics,
                      int64_t &value);

}  // namespace tapir::probes
