// SPDX-License-Identifier: GPL-2.0-or-later
// The mistakes in a command line or a configuration file, in the words of Boost.Program_options.
#pragma once

#include <boost/program_options/errors.hpp>
#include <string>

namespace tapir {

// what(), which alone may never return: it replaces placeholders such as %option% until there are none, also in texts
// that the user wrote.
std::string option_error_text(const boost::program_options::error &error);

}  // namespace tapir
