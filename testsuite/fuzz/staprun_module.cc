// SPDX-License-Identifier: GPL-2.0-or-later
// Any file given to staprun: parsing stays inside it, and renaming changes nothing but the name.
#include <cstdlib>
#include <string>

#include "module/module_file.h"
#include "module/module_name.h"

using namespace tapir;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    std::string image(reinterpret_cast<const char *>(data), size);
    ModuleFile file;
    if (!file.parse(image)) return 0;
    if (file.name().empty() || file.name().size() > kMaxModuleName) abort();
    if (file.rename("renamed")) {
        ModuleFile again;
        // Sections may overlap in a made-up file, so it need not be a module any more; its size is.
        const Outcome<void> outcome = again.parse(file.image());
        if (!outcome && outcome.fault().text.empty()) abort();
        if (file.image().size() != size) abort();
    } else if (file.image() != image) {
        abort();
    }
    return 0;
}
