// SPDX-License-Identifier: GPL-2.0-or-later
// print_exits FILE: prints where each function of a program or library is left, a line each, its fields separated by
// tabs: entry, name or "-", "BEGIN-END" of its parts, addresses of its returns, and why they are not all ways out.
// Addresses are hexadecimal. Functions are those that symbols, debug information or call frame information have.
// Status 1: the file cannot be read.
#include <cstdio>
#include <map>
#include <string>

#include "target/code_image.h"
#include "target/debug_info.h"
#include "target/function_exits.h"

using namespace tapir;

int main(int argc, char **argv) {
    if (argc != 2) {
        std::fprintf(stderr, "print_exits FILE\n");
        return 1;
    }
    const target::DebugInfo debug{target::DebugSources{}};
    std::string error;
    const target::DebugObject *object = debug.program(argv[1], error);
    if (!object) {
        std::fprintf(stderr, "%s\n", error.c_str());
        return 1;
    }
    std::map<uint64_t, std::string> functions;
    for (const dwarf::FunctionSymbol &symbol : object->object->symbols().functions())
        if (symbol.address) functions.emplace(symbol.address, symbol.name);
    if (object->index)
        for (const dwarf::FunctionEntry &function : object->index->functions())
            if (function.flags & dwarf::kOutOfLine)
                functions.emplace(function.entry, object->index->text(function.name));
    const target::CodeImage image(*object->object);
    for (const unwind::Fde &entry : image.frame_entries({0, UINT64_MAX}))
        if (const auto *section = image.section_at(entry.start); section && !section->linkage)
            functions.emplace(entry.start, "-");
    for (const auto &[entry, name] : functions) {
        const target::FunctionExits exits = target::function_exits(*object, entry);
        std::printf("%llx\t%s\t", static_cast<unsigned long long>(entry), name.c_str());
        for (const auto &[begin, end] : exits.parts)
            std::printf("%llx-%llx ", static_cast<unsigned long long>(begin), static_cast<unsigned long long>(end));
        std::printf("\t");
        for (const uint64_t address : exits.returns)
            std::printf("%llx ", static_cast<unsigned long long>(address));
        std::printf("\t%s\n", exits.why_not.c_str());
    }
    return 0;
}
