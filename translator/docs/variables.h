// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <set>
#include <string>

#include "library/library.h"

namespace tapir::docs {

// The variables that an alias gives to handlers, as the translator finds them when nothing is known about the kernel.
struct AliasVariables {
    std::map<std::string, std::string> everywhere;  // name -> type: wherever the alias leads
    std::set<std::string> anywhere;                 // at some of these places
};

// Finds variables by the aliases' names. Changes the points of the library's aliases: do not use `library` afterwards.
std::map<std::string, AliasVariables> find_variables(library::Library &library);

}  // namespace tapir::docs
