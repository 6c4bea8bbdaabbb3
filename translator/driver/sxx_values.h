// SPDX-License-Identifier: GPL-2.0-or-later
// The values of a .sxx script's variables: of arguments, and of the processes and the program that options name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "options/options.h"
#include "sxx/library_name.h"

namespace tapir::driver {

struct SxxValues {
    std::map<std::string, std::string> values;
    std::vector<sxx::Mapped> mapped;  // files that $^libNAME_path may mean
};

// Reports options that name nothing.
SxxValues sxx_values(const Options &options, Diagnostics &diagnostics);

}  // namespace tapir::driver
