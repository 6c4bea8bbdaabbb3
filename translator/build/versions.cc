// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/versions.h"

#include <set>

namespace tapir::build {

std::string version_source(const std::vector<target::Export> &exports, bool with_crcs) {
    // The layout of the kernel's struct modversion_info.
    std::string text = "struct version { unsigned long crc; char name[64 - sizeof(unsigned long)]; };\n";
    if (with_crcs) {
        text += "static const struct version versions[] __attribute__((used, section(\"__versions\"))) = {\n";
        for (const target::Export &one : exports)
            text += "\t{ " + one.crc + ", \"" + one.name + "\" },\n";
        text += "};\n";
    }
    std::set<std::string> spaces;
    for (const target::Export &one : exports)
        if (!one.space.empty()) spaces.insert(one.space);
    int number = 0;
    for (const std::string &space : spaces)
        text += "static const char space" + std::to_string(number++) +
                "[] __attribute__((used, section(\".modinfo\"), aligned(1))) = \"import_ns=" + space + "\";\n";
    return text;
}

}  // namespace tapir::build
