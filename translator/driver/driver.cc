// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/driver.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "build/module_builder.h"
#include "common/build_id.h"
#include "common/files.h"
#include "common/quoting.h"
#include "driver/clock.h"
#include "driver/color.h"
#include "driver/doctor.h"
#include "driver/launch.h"
#include "driver/pipeline.h"
#include "driver/remote.h"
#include "driver/result_key.h"
#include "driver/script_text.h"
#include "driver/served.h"
#include "driver/tapset_path.h"
#include "driver/write_bundle.h"
#include "machine/examine.h"
#include "probes/kinds.h"
#include "target/cache_dir.h"
#include "target/symbol_readers.h"
#include "types/listings.h"
#include "vm/kernels.h"
#include "vm/vm.h"

namespace tapir::driver {
namespace {

// Everything one run of the program needs; the functions below are its chapters.
class Session {
  public:
    Session(const Options &options, Diagnostics &diagnostics) : state_(options, diagnostics) {}

    int run();

  private:
    const Options &options() const { return state_.options; }
    Diagnostics &diagnostics() { return state_.diagnostics; }

    bool find_kernel();
    bool fetch_guest_kernel();
    int prepare();
    int examine();
    bool prepare_for_doctor(std::string &text);
    int translate_and_go();
    bool run_pass(const Pass &pass);
    void make_builder();
    bool use_cached_result();
    bool build();
    int serve();
    int list();
    void say_setting(const library::IndexOptions &tapsets);
    int dump_library();
    void print_sources() const;
    int finish();
    int run_module();
    int run_in_guest();
    int run_shell();
    int failed(int pass);
    void flush_messages();

    State state_;
    std::unique_ptr<build::Builder> builder_;
    Served served_;
    std::string result_key_;
    std::string shown_;  // diagnostics already printed
    int last_pass_ = 5;
};

const char *pass_failure(int pass) {
    static const char *const texts[] = {"",
                                        "Pass 1: parse failed.  [man error::pass1]",
                                        "Pass 2: analysis failed.  [man error::pass2]",
                                        "Pass 3: translation failed.  [man error::pass3]",
                                        "Pass 4: compilation failed.  [man error::pass4]",
                                        "Pass 5: run failed.  [man error::pass5]"};
    return texts[pass];
}

void Session::flush_messages() {
    std::string text = render_all(diagnostics(), options().verbosity[0] > 0);
    // What follows the messages, the number of suppressed ones, changes when there are more of them.
    size_t same =
        static_cast<size_t>(std::mismatch(text.begin(), text.end(), shown_.begin(), shown_.end()).first - text.begin());
    while (same > 0 && text[same - 1] != '\n')
        --same;
    std::string fresh = text.substr(same);
    std::fputs((options().color ? colored(fresh) : fresh).c_str(), stderr);
    shown_ = std::move(text);
}

// --semantic-keep-going: the errors of pass 2 once more, for programs.
void print_error_catalogue(const Diagnostics &diagnostics) {
    std::string lines;
    size_t count = 0;
    for (const auto &d : diagnostics.all()) {
        if (d->severity != Severity::Error || tag_stage(d->tag) != Stage::Semantic) continue;
        ++count;
        std::string place = d->at ? printable(d->at.file->name()) + "\t" + std::to_string(d->at.line) + "\t" +
                                        std::to_string(d->at.column) + "\t" + printable(first_line(d->at.text))
                                  : "\t0\t0\t";
        lines += "SEMANTIC_ERROR\t" + place + "\t" + printable(d->message) + "\n";
    }
    std::fprintf(stderr, "SEMANTIC_ERRORS: %zu\n%sSEMANTIC_ERRORS_END\n", count, lines.c_str());
}

int Session::failed(int pass) {
    flush_messages();
    auto in_script = [](const auto &d) {
        return d->severity == Severity::Error && tag_stage(d->tag) == Stage::Parse && d->at;
    };
    auto errors = std::count_if(diagnostics().all().begin(), diagnostics().all().end(), in_script);
    if (pass == 1 && errors) std::fprintf(stderr, "%td parse error%s.\n", errors, errors == 1 ? "" : "s");
    std::fprintf(stderr, "%s\n", pass_failure(pass));
    if (pass == 2 && options().semantic_keep_going) print_error_catalogue(diagnostics());
    return 1;
}

// ---- the kernel

bool Session::fetch_guest_kernel() {
    vm::KernelRequest request;
    request.release = options().vm_release;
    request.want_headers = last_pass_ >= 4 && !options().use_server;
    request.progress = [](const std::string &text) { std::fprintf(stderr, "%s\n", text.c_str()); };
    std::optional<vm::KernelFiles> files = vm::ensure_kernel(request, diagnostics());
    if (!files) return false;
    target::FindOptions find;
    find.require_build_tree = request.want_headers;
    state_.kernel = target::find_kernel(files->release, find, diagnostics());
    if (!state_.kernel) return false;
    if (state_.kernel->image.empty()) state_.kernel->image = files->image;
    return true;
}

bool Session::find_kernel() {
    if (options().vm) return fetch_guest_kernel();
    target::FindOptions find;
    find.require_build_tree = last_pass_ >= 4 && options().action != Action::List &&
                              options().action != Action::ListVariables && !options().use_server;
    state_.kernel = target::find_kernel(options().release, find, diagnostics());
    if (!state_.kernel) return false;
    // A host may have another build of the release that this machine runs.
    if (!options().remote_build_id.empty() && options().remote_build_id != running_build_id())
        state_.kernel->is_running = false;
    if (!state_.kernel->is_running && last_pass_ == 5 && options().action == Action::Script) {
        std::fprintf(stderr, "WARNING: kernel release/architecture mismatch with host forces last-pass 4.\n");
        last_pass_ = 4;
    }
    return true;
}

// ---- passes 1 to 4

bool Session::run_pass(const Pass &pass) {
    size_t before = diagnostics().error_count();
    pass.run(state_);
    bool good = diagnostics().error_count() == before;
    for (const std::string &name : options().dump_after)
        if (good && name == pass.name && pass.dump) std::fputs(pass.dump(state_).c_str(), stdout);
    return good;
}

void Session::make_builder() {
    build::BuildOptions settings;
    settings.source_root = data_root();
    settings.cache_root = target::cache_dir();
    settings.cache = options().cache == CacheMode::Disable  ? build::CacheMode::Disabled
                     : options().cache == CacheMode::Poison ? build::CacheMode::Poison
                                                            : build::CacheMode::Use;
    settings.make_args = options().kbuild;
    settings.version = TAPIR_VERSION;
    if (options().keep_temporary) {
        std::string why;
        settings.work = make_directory(temporary_root(), "stap", why);
        if (settings.work.empty())
            std::fprintf(stderr, "WARNING: Cannot keep a temporary directory: %s\n", why.c_str());
        else
            std::fprintf(stderr, "Keeping temporary directory \"%s\"\n", settings.work.c_str());
    }
    int verbosity = options().verbosity[4];
    settings.note = [verbosity](int level, const std::string &text) {
        if (verbosity >= level) std::fprintf(stderr, "%s\n", text.c_str());
    };
    builder_ = std::make_unique<build::Builder>(*state_.kernel, std::move(settings), diagnostics());
}

bool Session::use_cached_result() {
    bool usable = last_pass_ >= 4 && options().cache == CacheMode::Use && options().module_name.empty() &&
                  !options().keep_temporary && options().dump_after.empty();
    result_key_ = last_pass_ >= 4 ? result_key(state_, builder_->base_key()) : "";
    if (!usable) return false;
    // Which files the script's programs are is asked again.
    std::optional<build::Module> found =
        builder_->find_result(result_key_with(state_, result_key_, builder_->find_note(result_key_)));
    if (!found) return false;
    state_.module_path = found->path;
    for (int pass : {3, 4})
        if (options().verbosity[pass] > 0)
            std::fprintf(stderr, "Pass %d: using cached %s\n", pass, found->path.c_str());
    return true;
}

// Functions of the kernel are probed that the script does not name: while the function tracer or kprobes are switched
// off nothing is seen, which staprun says.
static bool follows_processes(const ir::Module &module) {
    for (const ir::Handler &handler : module.handlers)
        for (const probes::Attach &attach : handler.attaches)
            if (attach.kind == probes::Kind::Process) return true;
    return false;
}

bool Session::build() {
    PassClock clock;
    build::Script script;
    script.c_text = state_.c_text;
    script.kernel_headers = state_.module.user_c;
    script.name = options().module_name;
    for (const NameValue &entry : options().modinfo)
        script.modinfo.emplace_back(entry.name, entry.value);
    if (follows_processes(state_.module)) script.modinfo.emplace_back("tapir_needs", "ftrace");
    std::optional<build::Module> module = builder_->build(script);
    if (!module) return false;
    state_.module_path = module->path;
    // A run that warned is not remembered: the next one would be silent.
    if (diagnostics().all().empty() && options().module_name.empty()) {
        const std::string lookups = state_.debug ? state_.debug->lookups() : "";
        if (!lookups.empty()) builder_->store_note(result_key_, lookups);
        builder_->store_result(result_key_with(state_, result_key_, lookups), *module);
    }
    if (options().verbosity[4] > 0)
        std::fprintf(stderr,
                     module->cached ? "Pass 4: using cached %s\n" : "Pass 4: compiled C into \"%s.ko\" in %s.\n",
                     module->cached ? module->path.c_str() : module->name.c_str(), clock.times().c_str());
    return true;
}

// A build server does all this.
int Session::serve() {
    check_tapset_path(options().include_dirs, diagnostics());
    flush_messages();
    served_ = build_at_server(state_, last_pass_);
    flush_messages();
    if (served_.module_path.empty()) return served_.status;
    state_.module_path = served_.module_path;
    return finish();
}

int Session::list() {
    if (!run_pass(passes().front())) return options().verbosity[1] < 2 ? 1 : failed(1);
    resolve::ElaborateOptions settings = elaborate_settings(state_);
    std::vector<std::string> lines =
        types::list_probes(std::move(state_.files.front()), *state_.library, settings,
                           options().action == Action::ListVariables, options().verbosity[2] > 0);
    for (const std::string &line : lines)
        std::printf("%s\n", line.c_str());
    return lines.empty() ? 1 : 0;
}

// What -vv tells beforehand.
void Session::say_setting(const library::IndexOptions &tapsets) {
    std::string banner = version_text();
    std::fprintf(stderr, "%s\nSession arch: %s release: %s\n", banner.substr(0, banner.find('\n')).c_str(),
                 tapsets.arch.c_str(), tapsets.release.c_str());
    for (const auto *list : {&tapsets.directories, &tapsets.other_directories})
        for (const std::string &directory : *list)
            std::fprintf(stderr, "Searched: \"%s\"\n", directory.c_str());
}

// --dump-functions, --dump-probe-aliases, --dump-probe-types.
int Session::dump_library() {
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
        std::printf("%s\n", line.c_str());
    return diagnostics().has_errors() ? 1 : 0;
}

int Session::translate_and_go() {
    state_.sources = read_sources(options(), diagnostics());
    if (diagnostics().has_errors()) return failed(1);
    if (options().use_server) return serve();
    library::IndexOptions tapsets = tapset_settings(state_);
    if (options().verbosity[1] > 1) say_setting(tapsets);
    check_tapset_path(options().include_dirs, diagnostics());
    state_.tapset_files = library::list_files(tapsets);
    if (options().list_pattern) return list();
    if (options().action != Action::Script) return dump_library();
    if (last_pass_ >= 4) {
        make_builder();
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
        // Types are inferred for whatever could be resolved, so that their errors are reported too.
        bool more = std::string_view(pass.name) == "elaborate" && options().semantic_keep_going;
        if (!good && !more) return failed(pass.number);
        if (pass.summary && options().verbosity[number] > 0) {
            std::fprintf(stderr, "Pass %d: %s using %s, in %s.\n", number, pass.summary(state_).c_str(),
                         PassClock::memory().c_str(), clock.times().c_str());
            if (number == 2) print_sources();
        }
        last = &pass;
    }
    if (last_pass_ < 4) {
        flush_messages();
        if (options().dump_after.empty()) std::fputs(last->dump(state_).c_str(), stdout);
        return 0;
    }
    if (!build()) return failed(4);
    return finish();
}

// Where what is known about the kernel came from.
void Session::print_sources() const {
    if (!state_.debug) return;
    for (const std::string &source : state_.debug->opened())
        std::fprintf(stderr, "Pass 2: used %s.\n", source.c_str());
}

// ---- pass 5

int Session::finish() {
    flush_messages();
    if (last_pass_ == 4) {
        std::string result = state_.module_path;
        if (options().bundle) {
            result = write_bundle(state_);
            if (result.empty()) return failed(4);
        }
        std::printf("%s\n", result.c_str());
        return 0;
    }
    return run_module();
}

int Session::run_module() {
    if (options().verbosity[5] > 0) std::fprintf(stderr, "Pass 5: starting run.\n");
    std::fflush(stdout);
    PassClock clock;
    int status = options().vm ? run_in_guest() : run_staprun(options(), state_.module_path);
    flush_messages();
    if (options().verbosity[5] > 0) std::fprintf(stderr, "Pass 5: run completed in %s.\n", clock.times().c_str());
    if (status == 0) return 0;
    std::fprintf(stderr, "%s\n", pass_failure(5));
    return 1;
}

vm::VmOptions guest_settings(const Options &options, const std::string &release) {
    vm::VmOptions settings;
    settings.release = release;
    settings.cpus = options.vm_cpus;
    settings.memory_mb = options.vm_memory_mb;
    settings.timeout_s = options.vm_timeout_s;
    settings.verbose = options.verbosity[5] > 1;
    settings.progress = [](const std::string &text) { std::fprintf(stderr, "%s\n", text.c_str()); };
    return settings;
}

int Session::run_in_guest() {
    Options inside = options();
    // The guest throws away what it writes: the -o file is written here, from the guest's standard output.
    if (!inside.output.empty() && !redirect_output(inside.output, diagnostics())) return 1;
    inside.output.clear();
    vm::VmOptions settings = guest_settings(options(), state_.kernel->release);
    std::vector<std::string> command = {staprun_path()};
    for (std::string &argument : staprun_arguments(inside, state_.module_path))
        command.push_back(std::move(argument));
    int status = vm::run(settings, command, diagnostics());
    if (status != 0 && !diagnostics().has_errors())
        std::fprintf(stderr, "WARNING: %s exited with status: %d\n", command.front().c_str(), status);
    return status;
}

int Session::run_shell() {
    vm::VmOptions settings = guest_settings(options(), options().vm_release);
    settings.terminal = isatty(STDIN_FILENO);
    int status = vm::run(settings, {"/bin/bash"}, diagnostics());
    flush_messages();
    return status;
}

// Of the kernel's image, or of what was linked in its build tree; "" if neither is there.
static std::string build_id_of(const target::Kernel &kernel) {
    for (const std::string &file : {kernel.image, kernel.build_dir + "/vmlinux"})
        for (const char *section : {".notes", ".note.gnu.build-id"}) {
            bool unpacked = false;
            const std::string notes = file.empty() ? "" : target::read_section(file, section, unpacked);
            if (std::string id = build_id_of_notes(notes); !id.empty()) return id;
        }
    return {};
}

int Session::prepare() {
    make_builder();
    PassClock clock;
    bool built = false;
    if (!builder_->prepare(&built)) return failed(4);
    flush_messages();
    std::printf("%s %s in %s.\n", built ? "Prepared" : "Already prepared for", state_.kernel->release.c_str(),
                clock.times().c_str());
    if (options().verbosity[0] > 0)
        if (const std::string id = build_id_of(*state_.kernel); !id.empty()) std::printf("build-id %s\n", id.c_str());
    return 0;
}

// ---- --doctor

bool Session::prepare_for_doctor(std::string &text) {
    const auto start = std::chrono::steady_clock::now();
    bool built = false;
    make_builder();
    const bool good = builder_->prepare(&built);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "built in %.1f s", taken.count());
    text = built ? seconds : "built before";
    if (good) return true;
    text.clear();
    for (const auto &diagnostic : diagnostics().all())
        if (diagnostic->severity == Severity::Error) text += (text.empty() ? "" : "\n") + diagnostic->message;
    return false;
}

int Session::examine() {
    // Without headers there is still something to say.
    Diagnostics problems;
    target::FindOptions find;
    if (options().vm) {
        if (!fetch_guest_kernel()) return failed(4);
    } else {
        state_.kernel = target::find_kernel(options().release, find, problems);
    }
    find.require_build_tree = false;
    if (!state_.kernel) state_.kernel = target::find_kernel(options().release, find, diagnostics());
    if (!state_.kernel) return failed(4);
    std::string problem = problems.has_errors() ? problems.all().front()->message : "";
    const target::Kernel &kernel = *state_.kernel;
    state_.debug = std::make_unique<target::DebugInfo>(debug_sources(state_));
    state_.symbols = kernel_symbols(state_);

    std::vector<machine::Group> groups;
    groups.push_back(examine_building(kernel, problem, [this](std::string &text) { return prepare_for_doctor(text); }));
    groups.push_back(examine_describing(kernel, *state_.debug, state_.symbols.source()));
    std::string verdict;
    if (options().vm) {
        verdict = "In the guest:";
    } else if (kernel.is_running && !options().remote_build) {
        const machine::Facts facts = machine::read_facts();
        const machine::Details details = machine::read_details(facts);
        for (machine::Group &group : machine::examine_target(facts, details))
            groups.push_back(std::move(group));
        groups.push_back(examine_guests());
        verdict = machine::conclusion(groups);
    } else {
        groups.push_back(machine::examine_kinds(kernel.config_text(), nullptr));
        if (!options().remote_build) groups.push_back(examine_guests());
        const std::string names = machine::failures(groups);
        verdict = names.empty() ? "Scripts can be built for " + kernel.release +
                                      "; 'staprun --doctor' says on its machine whether they can be run."
                                : "Scripts cannot be built for " + kernel.release + "; in the way: " + names + ".";
    }
    std::fputs((options().json ? machine::render_json : machine::render)(groups, verdict).c_str(), stdout);
    std::fflush(stdout);
    const bool usable = machine::failures(groups).empty();
    if (!options().vm || !usable) return usable ? 0 : 1;
    const int status = vm::run(guest_settings(options(), kernel.release), {staprun_path(), "--doctor"}, diagnostics());
    flush_messages();
    return status;
}

int Session::run() {
    last_pass_ = options().action == Action::Prepare || options().action == Action::Doctor ? 4 : options().last_pass;
    if (options().action == Action::VmShell) return run_shell();
    if (options().action == Action::Doctor) return examine();
    if (!find_kernel()) return failed(last_pass_ >= 4 ? 4 : 1);
    if (options().action == Action::Prepare) return prepare();
    return translate_and_go();
}

bool limit_resource(int resource, uint64_t soft) {
    rlimit limit = {};
    auto kind = static_cast<__rlimit_resource_t>(resource);
    if (getrlimit(kind, &limit) != 0) return false;
    limit.rlim_cur = soft;
    return setrlimit(kind, &limit) == 0;
}

}  // namespace

int run(int argc, char **argv) {
    Diagnostics diagnostics;
    Options options = parse_options({argv + 1, argv + argc}, diagnostics);
    if (diagnostics.has_errors()) {
        std::fputs(render_all(diagnostics, true).c_str(), stderr);
        std::fputs("Try '--help' for more information.  [man stap]\n", stderr);
        return 1;
    }
    diagnostics.set_suppress_warnings(options.suppress_warnings);
    diagnostics.set_warnings_as_errors(options.warnings_as_errors);
    if (!options.tmpdir.empty()) setenv("TMPDIR", options.tmpdir.c_str(), 1);
    for (const auto &[resource, limit] : options.resource_limits)
        if (!limit_resource(resource, limit)) {
            std::fprintf(stderr, "ERROR: Cannot set a resource limit of %llu: %s\n",
                         static_cast<unsigned long long>(limit), std::strerror(errno));
            return 1;
        }
    switch (options.action) {
        case Action::Help:
            std::fputs(help_text().c_str(), stdout);
            return 0;
        case Action::Version:
            std::fputs(version_text().c_str(), stdout);
            return 0;
        case Action::CleanCache: {
            std::string problem = build::clean_cache(target::cache_dir());
            if (problem.empty()) return 0;
            std::fprintf(stderr, "ERROR: Cannot remove %s\n", problem.c_str());
            return 1;
        }
        default:
            return options.remote.empty() ? Session(options, diagnostics).run() : run_remote(options, diagnostics);
    }
}

}  // namespace tapir::driver
