// SPDX-License-Identifier: GPL-2.0-or-later
// The reference as files: man pages and HTML. Nothing in them depends on the machine or the time.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "docs/catalogue.h"

namespace tapir::docs {

struct Chapter {
    std::string name;  // of the file without its suffix
    std::string text;  // Markdown
};

struct Reference {
    const Catalogue &catalogue;
    std::vector<Chapter> probes;  // kinds of probes
    std::string version;
    std::string date;  // YYYY-MM-DD
};

using Files = std::vector<std::pair<std::string, std::string>>;  // name below the output directory -> text

// stapprobes, stapfuncs, tapset::FAMILY, function::NAME, probe::NAME, macro::NAME, all in section 3stap.
Files write_man(const Reference &reference);
// index.html, names.html, probes.html and one page for each family.
Files write_html(const Reference &reference);

}  // namespace tapir::docs
