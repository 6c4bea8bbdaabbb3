// SPDX-License-Identifier: GPL-2.0-or-later
#include "translate.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>

#include "emit/c/emit.h"
#include "ir/lower.h"
#include "ir/verifier.h"
#include "library/library.h"
#include "optimize/optimize.h"
#include "resolve/elaborate.h"
#include "syntax/parser.h"
#include "testsuite/trees.h"
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

namespace fs = std::filesystem;

syntax::ParseOptions parse_options(const Settings &settings) {
    syntax::ParseOptions options;
    options.guru = settings.guru;
    options.args = settings.args;
    options.facts.kernel_v = "6.1.0";
    options.facts.kernel_vr = "6.1.0-56-amd64";
    options.facts.arch = "x86_64";
    options.facts.guru_mode = settings.guru;
    if (!settings.compatible.empty()) options.facts.systemtap_v = settings.compatible;
    // The configuration of an imaginary kernel.
    options.facts.config = [](const std::string &name) -> std::optional<std::string> {
        static const std::map<std::string, std::string> values = {
            {"CONFIG_SMP", "y"}, {"CONFIG_EXT4_FS", "m"}, {"CONFIG_HZ", "250"}, {"CONFIG_NR_CPUS", "64"}};
        auto it = values.find(name);
        return it == values.end() ? std::nullopt : std::optional(it->second);
    };
    return options;
}

// The further library files on disk, for as long as a translation takes.
class TapsetDirectory {
  public:
    explicit TapsetDirectory(const std::map<std::string, std::string> &files)
        : path_(fs::temp_directory_path() / ("tapir-tapsets-" + std::to_string(getpid()))) {
        for (const auto &[name, text] : files) {
            fs::create_directories((path_ / name).parent_path());
            std::ofstream(path_ / name, std::ios::binary) << text;
        }
    }
    ~TapsetDirectory() { fs::remove_all(path_); }
    TapsetDirectory(const TapsetDirectory &) = delete;
    TapsetDirectory &operator=(const TapsetDirectory &) = delete;

    const std::string &path() const { return path_.native(); }
    // `text` without the directory's name, which differs from run to run.
    std::string hide(std::string text) const {
        const std::string prefix = path_.native() + "/";
        for (size_t at; (at = text.find(prefix)) != std::string::npos;)
            text.erase(at, prefix.size());
        return text;
    }

  private:
    fs::path path_;
};

}  // namespace

Translation translate(const std::string &script, const Settings &settings) {
    Translation out;
    Diagnostics diagnostics;
    TapsetDirectory tapsets(settings.tapsets);
    library::IndexOptions where;
    where.directories = {tapir::source_dir() + "/tapsets"};
    where.release = "6.1.0-56-amd64";
    where.arch = "x86_64";
    static const library::Index shipped = library::Index::build(where);
    where.directories.insert(where.directories.begin(), tapsets.path());  // as with -I
    library::Index index = settings.tapsets.empty() ? shipped : library::Index::build(where);
    std::unique_ptr<library::Library> library =
        library::Library::open(std::move(index), parse_options(settings), diagnostics);
    SourceFile source("script.stp", script, Origin::UserScript);
    syntax::ParseOptions own = parse_options(settings);
    own.library_macros = &library->macros();
    std::vector<std::unique_ptr<ast::File>> files;
    files.push_back(syntax::parse(source, own, diagnostics));
    std::unique_ptr<resolve::Program> program;
    if (!diagnostics.has_errors()) {
        target::Symbols symbols = target::Symbols::of({"a", "b", "f", "g"});  // what the cases probe
        resolve::ElaborateOptions options;
        options.symbols = &symbols;
        options.guru = settings.guru;
        options.keep_unused = settings.unoptimized;
        options.drop_unused = !settings.unoptimized;
        program = resolve::elaborate(std::move(files), *library, options, diagnostics);
    }
    if (!diagnostics.has_errors())
        types::infer(*program,
                     {.autoprint = settings.autoprint, .refresh = settings.refresh, .monitor = settings.monitor},
                     diagnostics);
    if (!diagnostics.has_errors()) {
        ir::LowerOptions options;
        options.systemtap_v = parse_options(settings).facts.systemtap_v;
        options.defines = settings.defines;
        options.unoptimized = settings.unoptimized;
        options.suppress_time_limits = settings.suppress_time_limits;
        auto capacity = settings.defines.find("MAXSTRINGLEN");
        optimize::OptimizeOptions optimizer;
        optimizer.unoptimized = settings.unoptimized;
        if (capacity != settings.defines.end())
            optimizer.string_capacity = std::strtoul(capacity->second.c_str(), nullptr, 0);
        optimize::run(*program, optimizer, diagnostics);
        ir::Module module = ir::lower(*program, options, diagnostics);
        out.ir = ir::print(module);
        out.invalid = ir::verify(module);
        out.c = tapsets.hide(emit::emit(module));
    }
    out.ok = !diagnostics.has_errors() && out.invalid.empty();
    out.diagnostics = tapsets.hide(render_all(diagnostics, false)) + out.invalid;
    return out;
}

}  // namespace tapir::native
