// SPDX-License-Identifier: GPL-2.0-or-later
// One script's C text to a module file, with a kernel's template.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "build/template.h"
#include "common/outcome.h"

namespace tapir::build {

struct LinkInput {
    std::string_view c_text;
    bool kernel_headers = false;  // the text includes <linux/...>: the user embedded C
    std::string work;             // an existing directory for intermediate files
};

// Compiles and links; the module still bears the placeholder's name. Nothing after reporting compile errors (the
// compiler's own text, whose lines are those of the script where the text has #line directives). FastBuildUnfit, and
// nothing is reported, when the fast way does not work for another reason than the script: a whole kbuild run may still
// do.
Outcome<std::optional<std::string>> link_script(const Template &kernel_template, const target::Kernel &kernel,
                                                const LinkInput &input, Diagnostics &diagnostics);

// The slow way: everything through kbuild.
std::optional<std::string> link_script_with_kbuild(const target::Kernel &kernel, const TemplateOptions &options,
                                                   const LinkInput &input, Diagnostics &diagnostics);

}  // namespace tapir::build
