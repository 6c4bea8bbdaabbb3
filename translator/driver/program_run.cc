// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/program_run.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "backend/launch.h"
#include "common/command_text.h"
#include "common/exit_status.h"
#include "common/standard_output.h"
#include "driver/clock.h"
#include "driver/language_host.h"
#include "driver/result_key.h"
#include "driver/script_text.h"
#include "driver/sxx_script.h"
#include "driver/tapset_path.h"
#include "driver/write_bundle.h"
#include "options/picture_options.h"
#include "options/tell.h"
#include "probes/kinds.h"
#include "types/listings.h"

namespace tapir::driver {

// Lists need nothing compiled, and a server compiles by itself.
bool ProgramRun::compiles() const {
    static constexpr Action kLists[] = {Action::List, Action::ListVariables, Action::DumpFunctions, Action::DumpAliases,
                                        Action::DumpProbeTypes};
    const bool lists = std::find(std::begin(kLists), std::end(kLists), options().action) != std::end(kLists);
    return !lists && last_pass_ >= 4 && !options().use_server && backend_->is_for_kernel();
}

bool ProgramRun::find_kernel() {
    if (options().vm) return fetch_guest_kernel();
    target::FindOptions find;
    find.require_build_tree = compiles();
    // The memory of a kernel tells which it is of.
    const std::string release = options().release.empty() ? backend_->release() : options().release;
    state_.kernel = target::find_kernel(release, find, diagnostics());
    if (!state_.kernel) return false;
    // A host may have another build of the release that this machine runs.
    if (!options().remote_build_id.empty() && options().remote_build_id != running_build_id())
        state_.kernel->is_running = false;
    if (!state_.kernel->is_running && backend_->is_for_kernel() && last_pass_ == 5 &&
        options().action == Action::Script) {
        tell(options(), Voice::Notice, "kernel release/architecture mismatch with host forces last-pass 4.");
        last_pass_ = 4;
    }
    return true;
}

// Facts to parse with where no script can be built: those of the release that is asked for, else of the running kernel.
bool ProgramRun::find_parsing_kernel() {
    target::FindOptions find;
    find.require_build_tree = false;
    const std::string &release = options().vm ? options().vm_release : options().release;
    Diagnostics unheard;
    for (const std::string &which : {release, std::string()})
        if (!state_.kernel) state_.kernel = target::find_kernel(which, find, unheard);
    return state_.kernel.has_value();
}

// For problems of every script, reported since a mark. If the script itself does not parse, that comes first:
// returns false, with its errors in place of the others. Passes cannot go on after this.
bool ProgramRun::parses_before(size_t mark) {
    if (state_.sources.empty()) return true;
    auto problems = diagnostics().take_since(mark);
    if (find_parsing_kernel()) {
        state_.tapset_files = tapset_files(state_, tapset_settings(state_));
        passes().front().run(state_);
        if (diagnostics().error_count() > 0) return false;
        diagnostics().drop_since(mark);
    }
    diagnostics().add(std::move(problems));
    return true;
}

bool ProgramRun::run_pass(const Pass &pass) {
    size_t before = diagnostics().error_count();
    pass.run(state_);
    bool good = diagnostics().error_count() == before;
    for (const std::string &name : options().dump_after)
        if (good && name == pass.name && pass.dump) print_output(pass.dump(state_));
    return good;
}

// A build server does all this.
int ProgramRun::serve() {
    check_tapset_path(options().include_dirs, diagnostics());
    flush_messages();
    served_ = build_at_server(state_, last_pass_);
    flush_messages();
    if (served_.module_path.empty()) return served_.status ? nothing_ran() : 0;
    state_.module_path = served_.module_path;
    if (!options().sign.key.empty())
        diagnostics().report(Tag::UnusedArgument,
                             "The key of --sign-key is for modules that are built here; a build server signs its own "
                             "(stap-server --kernel-sign-key)");
    return finish();
}

int ProgramRun::list() {
    if (!run_pass(passes().front())) return options().verbosity[1] < 2 ? 1 : failed(1);
    resolve::ElaborateOptions settings = elaborate_settings(state_);
    std::string why_none;
    std::vector<std::string> lines =
        types::list_probes(std::move(state_.files.front()), *state_.library, settings,
                           options().action == Action::ListVariables, options().verbosity[2] > 0, &why_none);
    if (!why_none.empty() && options().compatible.empty())
        tell(options(), Voice::Notice, "Nothing is listed: " + why_none);
    for (const std::string &line : lines)
        print_output(line + "\n");
    return lines.empty() ? 1 : 0;
}

// --language-server: nothing else is written to standard output.
int ProgramRun::serve_language() {
    if (!find_parsing_kernel()) return failed(1);
    state_.tapset_files = tapset_files(state_, tapset_settings(state_));
    if (!run_pass(passes().front())) return failed(1);
    if (options().action == Action::LanguageCheck) {
        print_output(check_edited(state_));
        return 0;
    }
    LanguageHost host(state_, options().raw);
    return lsp::Server(host, STDIN_FILENO, STDOUT_FILENO).run();
}

// Prints the settings for -vv.
void ProgramRun::say_setting(const library::IndexOptions &tapsets) {
    std::string banner = version_text();
    std::fprintf(stderr, "%s\nSession arch: %s release: %s\n", banner.substr(0, banner.find('\n')).c_str(),
                 tapsets.arch.c_str(), tapsets.release.c_str());
    for (const auto *list : {&tapsets.directories, &tapsets.other_directories})
        for (const std::string &directory : *list)
            std::fprintf(stderr, "Searched: \"%s\"\n", directory.c_str());
}

// --dump-functions, --dump-probe-aliases, --dump-probe-types.
int ProgramRun::dump_library() {
    if (!run_pass(passes().front())) return failed(1);
    bool verbose = options().verbosity[2] > 0;
    std::vector<std::string> lines;
    if (options().action == Action::DumpFunctions)
        lines = types::dump_functions(*state_.library, verbose);
    else if (options().action == Action::DumpAliases)
        lines = types::dump_aliases(*state_.library, verbose);
    else
        lines = probes::form_texts();
    std::sort(lines.begin(), lines.end());
    flush_messages();
    for (const std::string &line : lines)
        print_output(line + "\n");
    return diagnostics().has_errors() ? 1 : 0;
}

int ProgramRun::translate_and_go() {
    if (options().use_server) return serve();
    const size_t mark = diagnostics().mark();
    library::IndexOptions tapsets = tapset_settings(state_);
    if (options().verbosity[1] > 1) say_setting(tapsets);
    check_tapset_path(options().include_dirs, diagnostics());
    state_.tapset_files = tapset_files(state_, tapsets);
    if (options().list_pattern) return list();
    if (options().action != Action::Script) return dump_library();
    if (last_pass_ >= 4) {
        if (!make_builder()) return failed(parses_before(mark) ? 4 : 1);
        if (use_cached_result()) return finish();
    }
    PassClock clock;
    int number = 1;
    const Pass *last = nullptr;
    for (const Pass &pass : passes()) {
        if (pass.number > last_pass_) break;
        if (pass.number != number) {
            clock = PassClock();
            number = pass.number;
        }
        bool good = run_pass(pass) && !diagnostics().has_errors();
        // Types are inferred for the parts that could be resolved, so that their errors are reported too.
        bool more = std::string_view(pass.name) == "elaborate" && options().semantic_keep_going;
        if (!good && !more) return failed(pass.number);
        if (pass.summary && options().verbosity[number] > 0) {
            std::fprintf(stderr, "Pass %d: %s using %s, in %s.\n", number, pass.summary(state_).c_str(),
                         PassClock::memory().c_str(), clock.times().c_str());
            if (number == 2) print_sources();
        }
        last = &pass;
        if (options().cost && number == 3) return print_cost();
    }
    if (last_pass_ < 4) {
        flush_messages();
        if (options().dump_after.empty()) print_output(last->dump(state_));
        return 0;
    }
    if (!build()) return failed(4);
    return finish();
}

// Where what is known about the kernel came from.
void ProgramRun::print_sources() const {
    if (!state_.debug) return;
    for (const std::string &source : state_.debug->opened())
        std::fprintf(stderr, "Pass 2: used %s.\n", source.c_str());
    print_moved();
}

// Probes at entries of functions that are put elsewhere.
void ProgramRun::print_moved() const {
    for (const auto &handler : state_.program->handlers)
        for (const probes::Attach &attach : handler->attaches)
            for (const probes::FunctionSite &site : attach.sites)
                if (site.moved)
                    std::fprintf(stderr, "Pass 2: %s%s%s is probed behind its prologue, %llu bytes behind its entry.\n",
                                 attach.point_prefix.c_str(), site.label.c_str(), attach.point_suffix.c_str(),
                                 static_cast<unsigned long long>(site.moved));
}

// Options that take effect when a module starts are not in the module: shows people the command that has them.
static void tell_start_options(const Options &options, const std::string &module) {
    if (!options.screen.for_people || options.suppress_warnings || options.remote_build) return;
    std::vector<std::string> words = staprun_arguments(options, module);
    std::erase_if(words, [](const std::string &word) { return word == "-R" || word == "-v"; });
    if (words.size() < 2) return;
    std::string command = "staprun";
    for (const std::string &word : words)
        command += " " + shell_word(word);
    tell(options, Voice::Notice, "Some options are for the start of the module and not in it. This command has them:");
    // On one line, so that it can be copied.
    std::fprintf(stderr, "%s\n", command.c_str());
}

int ProgramRun::finish() {
    flush_messages();
    if (last_pass_ == 4) {
        std::string result = state_.module_path;
        if (options().bundle) {
            result = write_bundle(state_);
            if (result.empty()) return failed(4);
        }
        print_output(result + "\n");
        if (!options().bundle) tell_start_options(options(), result);
        return 0;
    }
    return run_module();
}

int ProgramRun::run_module() {
    if (options().verbosity[5] > 0) std::fprintf(stderr, "Pass 5: starting run.\n");
    flush_output();
    PassClock clock;
    interruption_.reset();
    int status = options().vm ? run_in_guest() : backend_->run(state_.module_path);
    flush_messages();
    if (options().verbosity[5] > 0) std::fprintf(stderr, "Pass 5: run completed in %s.\n", clock.times().c_str());
    if (is_explained(options(), status)) return status == kCommandFailed ? 1 : status;
    if (interrupted_by_) return 128 + interrupted_by_;
    return failed(5);
}

int ProgramRun::run() {
    const int status = run_all();
    backend_->finish();
    return status;
}

int ProgramRun::last_pass() const {
    if (options().cost) return 3;
    return options().action == Action::Prepare || options().action == Action::Doctor ? 4 : options().last_pass;
}

int ProgramRun::run_all() {
    last_pass_ = last_pass();
    if (options().action == Action::VmShell) return run_shell();
    if (options().action == Action::LanguageServer || options().action == Action::LanguageCheck)
        return serve_language();
    interruption_.emplace();
    if (options().action == Action::Doctor) return examine();
    // Errors in a file's name come before any look at the machine.
    state_.sources = read_sources(options(), diagnostics());
    if (diagnostics().has_errors()) return failed(1);
    if (options().sxx.on) {
        const std::optional<std::string> asked = expand_sxx(state_);
        if (diagnostics().error_count(Stage::Usage)) return nothing_ran();
        if (diagnostics().has_errors()) return failed(1);
        if (asked) {
            flush_messages();
            print_output(*asked);
            return 0;
        }
    }
    if (!check_target() || !backend_->open(last_pass_)) return nothing_ran();
    if (options().action == Action::Missing) {
        for (const std::string &line : backend_->missing())
            print_output(line + "\n");
        return 0;
    }
    const size_t mark = diagnostics().mark();
    if (!find_kernel()) {
        if (!parses_before(mark)) return failed(1);
        nothing_ran(options().vm ? "" : "stap --doctor");
        if (!options().vm && !options().screen.for_people)
            std::fputs("Try 'stap --doctor', which says what this machine can do.\n", stderr);
        return 1;
    }
    const bool runs = last_pass_ == 5 && options().action == Action::Script;
    if (runs && !backend_->may_run()) return parses_before(mark) ? nothing_ran("stap --doctor") : failed(1);
    flush_messages();
    if (options().action == Action::Prepare) return prepare();
    return translate_and_go();
}

}  // namespace tapir::driver
