// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/pipeline.h"
#include "base/limits.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/name_patterns.h"
#include "build/header_types.h"
#include "common/files.h"
#include "driver/find_builds.h"
#include "driver/script_options.h"
#include "driver/tapset_path.h"
#include "emit/c/emit.h"
#include "ir/lower.h"
#include "optimize/optimize.h"
#include "resolve/elaborate.h"
#include "syntax/parser.h"
#include "target/cache_dir.h"
#include "types/infer.h"
#include "types/listings.h"

namespace tapir::driver {
syntax::ParseOptions parse_settings(State &state) {
    const Options &options = state.options;
    syntax::ParseOptions settings;
    settings.args = options.script_args;
    settings.used_args = &state.used_args;
    settings.guru = options.guru;
    settings.array_size_max = options.array_size_max.value_or(settings.array_size_max);
    settings.facts.systemtap_v = options.compatible.empty() ? kLanguageVersion : options.compatible;
    settings.facts.guru_mode = options.guru;
    settings.facts.kernel_v = state.kernel->version();
    settings.facts.kernel_vr = state.kernel->release;
    settings.facts.arch = state.kernel->arch;
    settings.facts.runtime = state.backend.reach().runtime;
    const target::Kernel *kernel = &*state.kernel;
    settings.facts.config = [kernel](const std::string &name) -> std::optional<std::string> {
        std::string value(kernel->config_value(name));
        if (value.empty()) return std::nullopt;
        return value;
    };
    return settings;
}

namespace {

namespace fs = std::filesystem;

std::string plural(size_t count, const char *noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// ---- pass 1

// Tapsets' triggers are not known here.
void check_until(State &state) {
    const std::string &until = state.options.until;
    std::vector<std::string> names;
    for (const auto &file : state.files)
        for (const ast::Trigger &trigger : file->triggers)
            names.push_back(trigger.name);
    if (until.empty() || until == "trigger" || names.empty() || std::ranges::find(names, until) != names.end()) return;
    state.diagnostics.report(Tag::TriggerUnknown, "--until: the script has no trigger '" + until + "'" +
                                                      similar_text(similar_names(until, names)));
}

void run_parse(State &state) {
    library::Index index = library::Index::build(tapset_settings(state), std::move(state.tapset_files));
    const auto calls_of_kernel = [kernel = &*state.kernel](const syscalls::Table &) {
        return syscalls::read_kernel_calls(kernel->build_dir, kernel->arch);
    };
    state.system_calls = std::make_unique<library::SystemCalls>(calls_of_kernel, index.files(), state.diagnostics);
    state.library = library::Library::open(std::move(index), parse_settings(state), state.diagnostics);
    state.library->add_aliases(state.system_calls->aliases());
    syntax::ParseOptions settings = parse_settings(state);
    settings.check_version = state.options.check_version;
    settings.library_macros = &state.library->macros();
    add_option_values(state, settings);
    for (const auto &source : state.sources) {
        size_t before = state.diagnostics.error_count();
        state.files.push_back(syntax::parse(*source, settings, state.diagnostics));
        // Places are those of the script itself.
        settings.literals.clear();
        const ast::File &file = *state.files.back();
        bool empty = file.globals.empty() && file.functions.empty() && file.probes.empty() && file.aliases.empty() &&
                     file.embedded.empty();
        if (empty && state.diagnostics.error_count() == before)
            state.diagnostics.report(Tag::InputEmpty,
                                     "Input file '" + source->name() + "' is empty after preprocessing.");
    }
    check_until(state);
}

std::string dump_parse(State &state) {
    std::string text = "# parse tree dump\n";
    for (const auto &file : state.files)
        text += "# file " + file->source->name() + "\n" + ast::print(*file);
    return text;
}

std::string summarize_parse(State &state) {
    return "parsed user script and " + plural(state.library->parsed(), "library script") + " of " +
           std::to_string(state.library->index().files().size());
}

// ---- pass 2

// Tapsets may use arguments too, so this is known once they are found.
void warn_of_unused_arguments(State &state) {
    if (state.library->index().files().empty() || state.options.action != Action::Script) return;
    for (size_t i = 1; i <= state.options.script_args.size(); ++i)
        if (!state.used_args.contains(i)) {
            std::string n = std::to_string(i);
            state.diagnostics.report(Tag::UnusedArgument, "unused command line option $" + n + "/@" + n);
        }
}

void warn_of_unused_macros(State &state) {
    for (const NameValue &define : state.options.defines) {
        if (find_limit(define.name)) continue;
        const std::string why(why_not_needed(define.name)), similar = similar_limits(define.name);
        const std::string text = "-D " + define.name;
        if (!why.empty())
            state.diagnostics.report(Tag::UnusedArgument, text + " is not needed: " + why);
        else if (!state.options.guru)
            state.diagnostics.report(Tag::UnusedArgument, text + " has no effect: it is not a limit" + similar +
                                                              ", and macros are for embedded C, which needs -g");
        else if (!similar.empty())
            state.diagnostics.report(Tag::UnusedArgument,
                                     text + " is not a limit" + similar + ", but a macro for embedded C");
    }
}

void run_elaborate(State &state) {
    state.program =
        resolve::elaborate(std::move(state.files), *state.library, elaborate_settings(state), state.diagnostics);
    if (state.diagnostics.has_errors()) return;
    mark_live_options(state);
    warn_of_unused_arguments(state);
    warn_of_unused_macros(state);
}

void run_infer(State &state) {
    types::TypeOptions settings;
    settings.autoprint = state.options.autoprint && !state.options.list_pattern;
    settings.refresh = settings.autoprint && state.options.live.on();
    settings.metrics = state.options.live.metrics && !state.options.list_pattern;
    settings.monitor = state.options.live.monitor && !state.options.list_pattern;
    types::infer(*state.program, settings, state.diagnostics);
}

void run_optimize(State &state) {
    optimize::OptimizeOptions settings;
    settings.unoptimized = state.options.unoptimized;
    for (const NameValue &define : state.options.defines)
        if (define.name == "MAXSTRINGLEN") settings.string_capacity = std::strtoul(define.value.c_str(), nullptr, 0);
    optimize::run(*state.program, settings, state.diagnostics);
}

std::string dump_program(State &state) {
    return types::print_program(*state.program, state.options.verbosity[2] > 0);
}

// How returns of functions of programs are seen; "" without any.
std::string summarize_returns(const resolve::Program &program) {
    size_t by_exits = 0, by_kernel = 0;
    for (const auto &handler : program.handlers) {
        if (handler->is_entry) continue;
        for (const probes::Attach &attach : handler->attaches)
            for (const probes::FunctionSite &site : attach.sites) {
                by_exits += !site.exits.empty();
                by_kernel += !site.by_kernel.empty();
            }
    }
    if (by_exits + by_kernel == 0) return {};
    return " (returns of " + plural(by_exits, "function") + " seen where they return, of " + std::to_string(by_kernel) +
           " by the kernel)";
}

std::string summarize_elaborate(State &state) {
    const resolve::Program &program = *state.program;
    return "analyzed script: " + plural(program.handlers.size(), "probe") + ", " +
           plural(program.functions.size(), "function") + ", " + plural(program.embedded.size(), "embed") + ", " +
           plural(program.globals.size(), "global") + summarize_returns(program);
}

// ---- pass 3

void run_lower(State &state) {
    ir::LowerOptions settings;
    // A name that is no limit defines a macro for embedded C, which could change the meaning of the module's C.
    for (const NameValue &define : state.options.defines)
        if (state.options.guru || find_limit(define.name)) settings.defines[define.name] = define.value;
    settings.unoptimized = state.options.unoptimized;
    settings.suppress_time_limits = state.options.suppress_time_limits;
    settings.weighted = !state.options.budget.empty();
    settings.arch = state.kernel->arch;
    settings.systemtap_v = state.options.compatible.empty() ? kLanguageVersion : state.options.compatible;
    state.backend.set_lowering(settings);
    state.module = ir::lower(*state.program, settings, state.diagnostics);
}

std::string dump_ir(State &state) {
    return ir::print(state.module);
}

void run_emit(State &state) {
    state.c_text = emit::emit(state.module);
}

std::string dump_c(State &state) {
    return state.c_text;
}

std::string summarize_translate(State &) {
    return "translated to C";
}

}  // namespace

std::span<const Pass> passes() {
    // Each needs what the one before it made. `optimize` runs after types are known because folding depends on them.
    static const Pass list[] = {
        {1, "parse", run_parse, dump_parse, summarize_parse},
        {2, "elaborate", run_elaborate, dump_program, nullptr},
        {2, "infer", run_infer, dump_program, nullptr},
        {2, "optimize", run_optimize, dump_program, summarize_elaborate},
        {3, "lower", run_lower, dump_ir, nullptr},
        {3, "emit", run_emit, dump_c, summarize_translate},
    };
    return list;
}

// Where `stap-vm --print-kernel --debug-info` leaves a kernel's debug information.
static std::string unpacked_debug_dir(const std::string &release) {
    return target::cache_dir() + "/kernels/" + release + "/usr/lib/debug";
}

target::DebugSources debug_sources(const State &state) {
    target::DebugSources debug;
    debug.release = state.kernel->release;
    debug.build_dir = state.kernel->build_dir;
    debug.modules = state.kernel->modules;
    debug.arch = state.kernel->arch;
    debug.image = state.kernel->image;
    debug.running = state.kernel->is_running;
    debug.subject = &state.backend.subject();
    if (const char *path = std::getenv("SYSTEMTAP_DEBUGINFO_PATH"))
        debug.debug_dir = path;
    else
        debug.fetched_debug_dir = unpacked_debug_dir(debug.release);
    if (state.options.cache != CacheMode::Disable) debug.cache_dir = target::cache_dir();
    debug.compile_headers = [kernel = *state.kernel, cache = debug.cache_dir](const std::string &name,
                                                                              std::string &why) {
        const size_t headers = name.find('<');
        Outcome<std::string> object =
            build::compile_header_types(headers ? &kernel : nullptr, name.substr(headers), cache);
        if (!object) why = object.fault().message();
        return object ? std::move(*object) : "";
    };
    debug.find_build = find_builds(state.options);
    return debug;
}

target::Symbols kernel_symbols(const State &state) {
    target::SymbolSources sources;
    sources.release = state.kernel->release;
    sources.build_dir = state.kernel->build_dir;
    sources.image = state.kernel->image;
    sources.running = state.kernel->is_running;
    if (state.options.cache != CacheMode::Disable) sources.cache_dir = target::cache_dir();
    return target::Symbols(std::move(sources));
}

resolve::ElaborateOptions elaborate_settings(State &state) {
    const Options &options = state.options;
    resolve::ElaborateOptions settings;
    settings.guru = options.guru;
    settings.keep_unused = options.unoptimized;
    settings.drop_unused = !options.unoptimized && !options.list_pattern;
    settings.skip_badvars = options.skip_badvars;
    settings.prologue = options.prologue == "always"  ? probes::Prologue::Always
                        : options.prologue == "never" ? probes::Prologue::Never
                                                      : probes::Prologue::WhereNeeded;
    settings.listing = options.list_pattern.has_value();
    settings.reach = state.backend.reach();
    // The module of a tool is the same with any of its options.
    for (const NameValue &global : options.globals)
        if (!is_option(options, global.name)) settings.assigned_globals.push_back(global.name);
    if (options.tool)
        for (const tool::Option &option : options.tool->head.options)
            (option.is_loaded() ? settings.loaded_options : settings.literal_options).push_back(option.name);
    state.symbols = kernel_symbols(state);
    settings.symbols = &state.symbols;
    state.debug = std::make_unique<target::DebugInfo>(debug_sources(state));
    settings.debug = state.debug.get();
    // A kernel whose configuration is nowhere gets the benefit of the doubt; a script on a core needs nothing of it.
    if (state.backend.is_for_kernel() && !state.kernel->config().empty())
        settings.option = [kernel = &*state.kernel](std::string_view name) { return kernel->config_value(name); };
    settings.calls = [calls = state.system_calls.get()] { return &calls->get(); };
    return settings;
}

std::string data_root() {
    std::error_code error;
    fs::path self = fs::read_symlink("/proc/self/exe", error);
    fs::path installed = self.parent_path().parent_path() / "share" / "tapir";
    return fs::is_directory(installed / "tapsets", error) ? installed.string() : TAPIR_SOURCE_DIR;
}

library::IndexOptions tapset_settings(const State &state) {
    library::IndexOptions settings = tapset_path(state.options.include_dirs, data_root() + "/tapsets");
    settings.release = state.kernel->release;
    settings.arch = state.kernel->arch;
    if (state.options.cache != CacheMode::Disable) settings.cache_dir = target::cache_dir();
    return settings;
}

std::vector<library::IndexedFile> tapset_files(const State &state, const library::IndexOptions &settings) {
    std::vector<library::IndexedFile> files = library::list_files(settings);
    library::add_texts(state.used_texts, files);
    return files;
}

}  // namespace tapir::driver
