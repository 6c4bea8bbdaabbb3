// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/versions.h"

namespace tapir::build {

std::vector<Export> find_exports(std::string_view symvers, const std::set<std::string, std::less<>> &names) {
    std::vector<Export> found;
    while (!symvers.empty()) {
        std::string_view line = symvers.substr(0, symvers.find('\n'));
        symvers.remove_prefix(std::min(symvers.size(), line.size() + 1));
        // crc, name, module, kind of export, namespace; separated by tabs.
        std::string_view column[5];
        for (std::string_view &one : column) {
            one = line.substr(0, line.find('\t'));
            line.remove_prefix(std::min(line.size(), one.size() + 1));
        }
        if (names.contains(column[1]))
            found.push_back({std::string(column[1]), std::string(column[0]), std::string(column[4])});
    }
    return found;
}

std::string version_source(const std::vector<Export> &exports, bool with_crcs) {
    // The layout of the kernel's struct modversion_info.
    std::string text = "struct version { unsigned long crc; char name[64 - sizeof(unsigned long)]; };\n";
    if (with_crcs) {
        text += "static const struct version versions[] __attribute__((used, section(\"__versions\"))) = {\n";
        for (const Export &one : exports)
            text += "\t{ " + one.crc + ", \"" + one.name + "\" },\n";
        text += "};\n";
    }
    std::set<std::string> spaces;
    for (const Export &one : exports)
        if (!one.space.empty()) spaces.insert(one.space);
    int number = 0;
    for (const std::string &space : spaces)
        text += "static const char space" + std::to_string(number++) +
                "[] __attribute__((used, section(\".modinfo\"), aligned(1))) = \"import_ns=" + space + "\";\n";
    return text;
}

}  // namespace tapir::build
