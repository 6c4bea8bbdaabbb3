// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/compiler.h"

#include "base/files.h"
#include "build/process.h"

namespace tapir::build {

Compiler choose_compiler(const target::Kernel &kernel) {
    Compiler compiler;
    std::string_view text = kernel.config_value("CONFIG_CC_VERSION_TEXT");  // "gcc-12 (Debian 12.2.0-14) 12.2.0"
    std::string wanted(text.substr(0, text.find(' ')));
    wanted = wanted.substr(wanted.rfind('/') + 1);
    bool clang = kernel.config_value("CONFIG_CC_IS_CLANG") == "y";
    if (wanted.empty()) wanted = clang ? "clang" : "gcc";
    compiler.wanted = wanted;
    if (clang) compiler.make_args.push_back("LLVM=1");

    compiler.program = find_program(wanted);
    if (compiler.program.empty()) {
        // "x86_64-linux-gnu-gcc-12" is also installed as "gcc-12".
        size_t plain = wanted.rfind(clang ? "clang" : "gcc");
        if (plain != std::string::npos && plain != 0) {
            compiler.program = find_program(wanted.substr(plain));
            if (!compiler.program.empty()) compiler.make_args.push_back("CC=" + wanted.substr(plain));
        }
    }
    if (compiler.program.empty()) {
        const char *generic = clang ? "clang" : "gcc";
        compiler.program = find_program(generic);
        compiler.substitute = true;
        compiler.make_args.push_back(std::string("CC=") + generic);
    }
    compiler.identity = compiler.program + " " + file_identity(compiler.program);
    return compiler;
}

}  // namespace tapir::build
