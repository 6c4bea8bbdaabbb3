// SPDX-License-Identifier: GPL-2.0-or-later
#include "translate.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

#include "emit/emit.h"
#include "ir/lower.h"
#include "library/library.h"
#include "optimize/optimize.h"
#include "resolve/elaborate.h"
#include "syntax/parser.h"
#include "types/infer.h"

namespace tapir::native {

std::string read_file(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        std::cerr << "cannot read " << path << "\n";
        std::abort();
    }
    return {std::istreambuf_iterator<char>(in), {}};
}

namespace {

syntax::ParseOptions parse_options(const Settings &settings, bool tapset, const syntax::MacroTable &macros) {
    syntax::ParseOptions options;
    options.guru = settings.guru;
    options.privileged = tapset;
    options.args = settings.args;
    options.facts.kernel_v = "6.1.0";
    options.facts.kernel_vr = "6.1.0-56-amd64";
    options.facts.arch = "x86_64";
    options.library_macros = &macros;
    return options;
}

}  // namespace

Translation translate(const std::string &script, const Settings &settings) {
    Translation out;
    Diagnostics diagnostics;
    syntax::MacroTable macros;
    library::IndexOptions where;
    where.directories = {TAPIR_SOURCE_DIR "/tapsets"};
    where.release = "6.1.0-56-amd64";
    where.arch = "x86_64";
    library::Index index = library::Index::build(where);
    std::vector<std::unique_ptr<SourceFile>> macro_files;
    for (const library::IndexedFile &file : index.files()) {
        if (!file.macros_only) continue;
        macro_files.push_back(std::make_unique<SourceFile>(file.path, read_file(file.path), Origin::Tapset));
        syntax::parse_macros(*macro_files.back(), parse_options(settings, true, macros), macros, diagnostics);
    }
    library::Library library(
        std::move(index),
        [&](const SourceFile &file, Diagnostics &d) {
            return syntax::parse(file, parse_options(settings, true, macros), d);
        },
        diagnostics);
    SourceFile source("script.stp", script, Origin::UserScript);
    std::vector<std::unique_ptr<ast::File>> files;
    files.push_back(syntax::parse(source, parse_options(settings, false, macros), diagnostics));
    std::unique_ptr<resolve::Program> program;
    if (!diagnostics.has_errors()) {
        target::Symbols symbols = target::Symbols::of({"a", "b", "f", "g"});  // what the cases probe
        resolve::ElaborateOptions options;
        options.symbols = &symbols;
        options.guru = settings.guru;
        options.keep_unused = settings.unoptimized;
        program = resolve::elaborate(std::move(files), library, options, diagnostics);
    }
    if (!diagnostics.has_errors()) types::infer(*program, {.autoprint = settings.autoprint}, diagnostics);
    if (!diagnostics.has_errors()) {
        ir::LowerOptions options;
        options.defines = settings.defines;
        options.unoptimized = settings.unoptimized;
        auto capacity = settings.defines.find("MAXSTRINGLEN");
        optimize::OptimizeOptions optimizer;
        optimizer.unoptimized = settings.unoptimized;
        if (capacity != settings.defines.end())
            optimizer.string_capacity = std::strtoul(capacity->second.c_str(), nullptr, 0);
        optimize::run(*program, optimizer, diagnostics);
        ir::Module module = ir::lower(*program, options, diagnostics);
        out.ir = ir::print(module);
        out.c = emit::emit(module);
    }
    out.ok = !diagnostics.has_errors();
    out.diagnostics = render_all(diagnostics, false);
    return out;
}

}  // namespace tapir::native
