// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/template.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "build/build_command.h"
#include "build/elf_object.h"
#include "build/prepare_progress.h"
#include "common/activity.h"
#include "common/hash.h"
#include "machine/kernel_options.h"

namespace fs = std::filesystem;

namespace tapir::build {
namespace {

// Changes with the form of a template directory or plan.
constexpr const char *kFormat = "2";

// The smallest script: everything a module needs of it, so that kbuild finds no undefined symbol.
constexpr std::string_view kEmptyScript =
    "// SPDX-License-Identifier: GPL-2.0-or-later\n"
    "#include <tapir/tapir.h>\n"
    "const struct tapir_module tapir_module = { .abi = TAPIR_ABI };\n";

// Kept per kernel release: several versions of Tapir and of the sources may be in use side by side.
constexpr size_t kKeptPerRelease = 4;
constexpr std::chrono::hours kUnused(30 * 24);

std::string size_text(const std::string &path) {
    std::error_code ec;
    uintmax_t size = fs::file_size(path, ec);
    return ec ? "missing" : std::to_string(size);
}

// Sizes of the files a link takes from a template (the archive, and .mod.o and the like), as they are in `directory`: a
// template with other files is not whole. `plan` may name another place for the same files, the one they will move to.
std::string manifest(const Plan &plan, const std::string &place, const std::string &directory) {
    std::string text = "objects.a " + size_text(directory + "/objects.a") + "\n";
    for (const std::string &word : plan.finish) {
        if (!word.ends_with(".o")) continue;
        std::string name = word.starts_with(place + "/") ? word.substr(place.size() + 1) : word;
        text += name + " " + size_text(directory + "/" + name) + "\n";
    }
    return text;
}

// Puts the objects of runtime and kmod into the archive that scripts are linked with. Else FastBuildUnfit.
Outcome<void> make_archive(const std::string &work) {
    std::vector<std::string> objects;
    for (const char *directory : {"kmod", "runtime"})
        for (const fs::directory_entry &entry : fs::recursive_directory_iterator(fs::path(work) / directory))
            if (entry.path().extension() == ".o") objects.push_back(fs::relative(entry.path(), work));
    std::sort(objects.begin(), objects.end());
    Command ar;
    ar.argv = {"ar", "qcsD", "objects.a"};
    ar.argv.insert(ar.argv.end(), objects.begin(), objects.end());
    ar.cwd = work;
    const Outcome<Result> result = run(ar);
    if (result && result->ok()) return {};
    return Fault{FaultTag::FastBuildUnfit, result ? "ar: " + result->text() : result.fault().message()};
}

Plan plan_for(const target::Kernel &kernel, const std::string &work, const std::string &final_place) {
    auto text = [&](const std::string &name) { return read_file(work + "/" + name).value_or(""); };
    const std::string name(kPlaceholder);
    Leftovers leftovers;
    leftovers.script_cmd = text(".script.o.cmd");
    leftovers.composite_cmd = text("." + name + ".o.cmd");
    leftovers.module_cmd = text("." + name + ".ko.cmd");
    leftovers.mod_object = text(name + ".mod.o");
    leftovers.log = text("build.log");
    leftovers.environment = text("environment");
    leftovers.build_dir = kernel.build_dir;
    leftovers.made_in = work;
    leftovers.kept_in = final_place;
    return derive_plan(leftovers);
}

// Builds into `work`, for a template that will be found in `final_place`. False after reporting.
bool build_into(const target::Kernel &kernel, const Compiler &compiler, const TemplateOptions &options,
                const std::string &work, const std::string &final_place, Diagnostics &diagnostics) {
    if (!run_kbuild(kernel, compiler, options, work, kEmptyScript, Tag::PrepareFailed, diagnostics)) return false;
    std::error_code ec;
    fs::remove(work + "/kmod/precompiled.h.gch", ec);  // 40 MB that nothing needs any more
    Plan plan = plan_for(kernel, work, final_place);
    if (plan.unsupported.empty())
        if (const Outcome<void> archived = make_archive(work); !archived) plan.unsupported = archived.fault().message();
    // Symbols for links against the template: the kernel's with their versions, and the runtime's own.
    std::string known;
    ElfSymbols symbols = elf_symbols(read_file(work + "/" + std::string(kPlaceholder) + ".ko").value_or(""));
    for (const auto *names : {&symbols.defined, &symbols.undefined})
        for (const std::string &symbol : *names)
            known += symbol + "\n";
    Outcome<void> written = write_file(work + "/symbols", known);
    if (written) written = write_file(work + "/manifest", manifest(plan, final_place, work));
    if (written) written = write_file(work + "/plan", serialize(plan));
    if (!written)
        diagnostics.report(Tag::PrepareFailed,
                           "cannot prepare kernel " + kernel.release + ": " + written.fault().message());
    return static_cast<bool>(written);
}

// The template in a directory, if it is whole.
std::optional<Plan> load(const std::string &directory) {
    auto text = read_file(directory + "/plan");
    auto sizes = read_file(directory + "/manifest");
    if (!text || !sizes) return std::nullopt;
    auto plan = parse_plan(*text);
    if (plan && plan->unsupported.empty() && manifest(*plan, directory, directory) != *sizes) return std::nullopt;
    return plan;
}

void remember_use(const std::string &directory) {
    utimensat(AT_FDCWD, (directory + "/plan").c_str(), nullptr, 0);
}

// Removes the least recently used templates of a release, and remains of killed builds. Also removes templates of other
// releases without use for a month, such as those of kernels before an upgrade.
void prune(const fs::path &templates, const std::string &release) {
    std::vector<std::pair<fs::file_time_type, fs::path>> found;
    std::error_code ec;
    for (const fs::directory_entry &entry : fs::directory_iterator(templates, ec)) {
        std::string name = entry.path().filename();
        if (name.starts_with(".new-") &&
            fs::last_write_time(entry.path(), ec) < fs::file_time_type::clock::now() - std::chrono::hours(1))
            fs::remove_all(entry.path(), ec);
        if (name.starts_with('.') || name.find('@') == std::string::npos) continue;
        auto used = fs::last_write_time(entry.path() / "plan", ec);
        if (!name.starts_with(release + "@")) {
            if (!ec && used < fs::file_time_type::clock::now() - kUnused) fs::remove_all(entry.path(), ec);
            continue;
        }
        if (!ec) found.emplace_back(used, entry.path());
    }
    std::sort(found.rbegin(), found.rend());
    for (size_t i = kKeptPerRelease; i < found.size(); i++)
        fs::remove_all(found[i].second, ec);
}

// False after reporting.
bool takes_modules(const target::Kernel &kernel, Diagnostics &diagnostics) {
    const machine::OptionValue option = [&](std::string_view name) { return kernel.config_value(name); };
    const std::string missing = machine::missing_options(*machine::find_feature("modules"), option);
    if (missing.empty()) return true;
    diagnostics.report(Tag::PrepareFailed, "cannot prepare kernel " + kernel.release + ": it was built without " +
                                               missing + ", so that no script can run on it");
    return false;
}

void say(const TemplateOptions &options, int level, const std::string &text) {
    if (options.note) options.note(level, text);
}

}  // namespace

std::string template_key(const target::Kernel &kernel, const Compiler &compiler, const TemplateOptions &options) {
    Hasher hasher;
    hasher.add(kFormat).add(kernel.release).add(kernel.arch);
    for (const char *file : {".config", "include/generated/autoconf.h", "Module.symvers", "scripts/mod/modpost"})
        hasher.add(file_identity(kernel.build_dir + "/" + file));
    const Outcome<std::string> linker = find_tool("ld", compiler.system);
    hasher.add(compiler.identity).add(linker ? file_identity(*linker) : "");
    for (const std::string &arg : compiler.make_args)
        hasher.add(arg);
    hasher.add("");
    for (const std::string &arg : options.make_args)
        hasher.add(arg);
    hasher.add(options.sources);
    return hasher.hex();
}

std::unique_ptr<Template> Template::open(const target::Kernel &kernel, const TemplateOptions &options,
                                         Diagnostics &diagnostics, bool *built) {
    if (built) *built = false;
    Compiler compiler = choose_compiler(kernel, options.cache);
    std::unique_ptr<Template> found(new Template);
    found->system_ = compiler.system;
    found->key_ = template_key(kernel, compiler, options);
    std::error_code ec;
    // A template knows the files that it is made of by its own place, and so is found under each name of that place.
    const fs::path place = fs::weakly_canonical(options.cache + "/templates", ec);
    const std::string templates = ec ? options.cache + "/templates" : place.string();
    const std::string directory = templates + "/" + kernel.release + "@" + found->key_.substr(0, 16);

    auto take = [&] {
        auto plan = load(directory);
        if (!plan) return false;
        remember_use(directory);
        found->directory_ = directory;
        found->plan_ = std::move(*plan);
        return true;
    };
    if (take()) return found;

    fs::create_directories(templates, ec);
    std::optional<Activity> waiting("waiting for another stap, which prepares kernel " + kernel.release);
    FileLock lock(templates + "/" + kernel.release + ".lock");
    waiting.reset();
    if (take()) return found;

    if (built) *built = true;
    if (!takes_modules(kernel, diagnostics)) return nullptr;
    say(options, 1, "Preparing kernel " + kernel.release + " (once).");
    if (compiler.substitute && !compiler.program.empty())
        diagnostics.report(Tag::CompilerDiffers, "kernel " + kernel.release + " was built with " + compiler.wanted +
                                                     ", which is not installed; using " + compiler.program);
    Outcome<std::string> made = make_directory(templates, ".new-");
    const bool keep = static_cast<bool>(made);
    if (!keep) {
        say(options, 1,
            "The cache cannot be written (" + made.fault().message() + "); the kernel is prepared for this run only.");
        made = make_directory(temporary_root(), "tapir-");
    }
    if (!made) {
        diagnostics.report(Tag::PrepareFailed,
                           "cannot prepare kernel " + kernel.release + ": " + made.fault().message());
        return nullptr;
    }
    const std::string &work = *made;
    found->temporary_ = std::make_unique<TemporaryDirectory>(work);
    PrepareProgress progress(options.source_root, work);
    const Activity activity("preparing kernel " + kernel.release + ", once", [&] { return progress.extent(); });
    if (!build_into(kernel, compiler, options, work, keep ? directory : work, diagnostics)) return nullptr;
    if (keep) {
        chmod(work.c_str(), 0755);
        fs::remove_all(directory, ec);  // a broken one, or nothing; others wait for the lock
        fs::rename(work, directory, ec);
        if (ec) {
            diagnostics.report(Tag::PrepareFailed,
                               "cannot prepare kernel " + kernel.release + ": " + directory + ": " + ec.message());
            return nullptr;
        }
        found->temporary_.reset();
        prune(templates, kernel.release);
        if (take()) return found;
        diagnostics.report(Tag::PrepareFailed,
                           "cannot prepare kernel " + kernel.release + ": " + directory + " was removed meanwhile");
        return nullptr;
    }
    auto plan = load(work);
    if (!plan) {
        diagnostics.report(Tag::PrepareFailed,
                           "cannot prepare kernel " + kernel.release + ": " + work + " was removed meanwhile");
        return nullptr;
    }
    found->directory_ = work;
    found->plan_ = std::move(*plan);
    return found;
}

}  // namespace tapir::build
