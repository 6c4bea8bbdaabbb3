// SPDX-License-Identifier: GPL-2.0-or-later
// Names with scopes, patterns for them, and linkage names: "pattern\nname".
#include <array>
#include <cstdint>

#include "common/demangle.h"
#include "names/qualified_name.h"

using namespace tapir;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    const size_t line = std::min(text.find('\n'), text.size());
    const std::string_view wanted = text.substr(0, line), name = text.substr(std::min(line + 1, text.size()));
    const std::string demangled = demangle(name);
    const NamePattern pattern(wanted);
    size_t matches = 0;
    for (const QualifiedName &split : {split_name(name), split_demangled(name), split_demangled(demangled)})
        for (const auto mode : {NamePattern::Mode::Literal, NamePattern::Mode::Wild})
            matches += pattern.matches(split.parts, mode) && pattern.matches_parameters(split.parameters, mode);
    return matches == SIZE_MAX;
}
