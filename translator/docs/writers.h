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

struct Edition {
    std::string version;
    std::string date;  // YYYY-MM-DD
};

struct Reference {
    const Catalogue &catalogue;
    std::vector<Chapter> probes;  // kinds of probes
    Edition edition;
};

using Files = std::vector<std::pair<std::string, std::string>>;  // name below the output directory -> text

// stapprobes, stapfuncs, tapset::FAMILY, function::NAME, probe::NAME, macro::NAME, all in section 3stap.
Files write_man(const Reference &reference);
// A page of section 7 for each of `errors`: the heading of level 1 is its name, the paragraph after it what it says of
// itself in one line, headings of level 2 are its sections.
Files write_error_pages(const std::vector<Chapter> &errors, const Edition &edition);
// index.html, names.html, probes.html and one page for each family.
Files write_html(const Reference &reference);

}  // namespace tapir::docs
