// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/kernel_list.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/files.h"
#include "common/hash.h"
#include "module/module_file.h"
#include "server/lock.h"

namespace fs = std::filesystem;

namespace tapir::server {

using Json = nlohmann::json;

namespace {

constexpr char kHello[] = "probe begin { println(1) }";
// Makes the indexes of types and functions that later scripts find ready.
constexpr char kFunction[] = "probe kernel.function(\"vfs_read\") { println($$parms) }";

constexpr std::string_view kOld = ".old-";
constexpr std::chrono::seconds kPatience(600);

bool below_usr(const std::string &path) {
    return path.starts_with("/usr/");
}

Limits limits_of_preparation() {
    Limits limits;
    limits.wall_s = limits.cpu_s = 1800;
    limits.file_bytes = 8ull << 30;
    limits.memory_bytes = limits.address_bytes = 16ull << 30;
    limits.temporary_bytes = 2ull << 30;
    limits.processes = 256;
    return limits;
}

// Limits of clients' archives. A kernel's headers are some 30,000 files, 15 deep.
constexpr int kArchiveFiles = 200'000, kArchiveDepth = 64;
constexpr int kTooMuch = 3;  // exit status of kCountArchive

// awk on the output of `tar -tv`: mode, owner, size, date, time, name. It prints what is wrong.
constexpr char kCountArchive[] = R"awk(
function refuse(text) { print text; exit status }
{
    if ($1 !~ /^[bc]/) bytes += $3
    if (bytes > most_bytes) refuse("more than " most_bytes / 1048576 " MB (--unpacked-mb)")
    if (NR > most_files) refuse("more than " most_files " files")
    name = $0
    for (i = 0; i < 5; i++) sub(/^[^ ]+ +/, "", name)
    sub(/ -> .*/, "", name)
    if (gsub("/", "/", name) > most_depth) refuse("directories that are more than " most_depth " deep")
})awk";

bool is_hex(const std::string &text) {
    return !text.empty() && text.size() <= 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Finds the build-id in the output of `stap --prepare -v`.
std::string build_id_in(const std::string &output) {
    constexpr std::string_view kLine = "\nbuild-id ";
    const size_t begin = output.find(kLine);
    if (begin == std::string::npos) return {};
    const std::string rest = output.substr(begin + kLine.size());
    const std::string id = rest.substr(0, rest.find('\n'));
    return is_hex(id) ? id : "";
}

Fault failed(const std::string &what, const SandboxOutcome &outcome) {
    if (!outcome.completed) return {outcome.completed.fault().tag, what + ": " + outcome.completed.fault().text};
    return {FaultTag::KernelUnusable, what + ":\n" + outcome.messages};
}

Fault unwritable(const std::string &place, const std::string &why) {
    return {FaultTag::StateUnwritable, place + ": " + why};
}

// Regular files, sorted.
std::vector<std::string> files_below(const std::string &path) {
    std::vector<std::string> files;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error))
        if (entry->is_regular_file(error)) files.push_back(entry->path());
    std::sort(files.begin(), files.end());
    return files;
}

// Fills in the kernel that a module was built for.
Outcome<void> describe(const std::string &module, KernelEntry &entry) {
    ModuleFile file;
    if (Outcome<void> parsed = file.parse(module); !parsed) return parsed;
    entry.vermagic = file.vermagic();
    entry.build = file.kernel_build();
    if (entry.release.empty()) entry.release = file.release();
    if (file.release() == entry.release) return {};
    return Fault{FaultTag::KernelUnusable, "the headers are those of " + file.release() + ", not of " + entry.release};
}

}  // namespace

std::string directory_stamp(const std::string &path) {
    Hasher hash;
    for (const std::string &file : files_below(path))
        hash.add(file_identity(file));
    return hash.hex();
}

// The directories of the data that modules are made from.
static constexpr std::array kSources = {"/arch", "/runtime", "/kmod"};

std::string Toolchain::identity() const {
    Hasher hash;
    hash.add(sha256(read_file(stap).value_or("")));
    for (const char *part : kSources)
        for (const std::string &file : files_below(data + part))
            hash.add(file.substr(data.size())).add(read_file(file).value_or(""));
    return hash.hex();
}

std::vector<SandboxBind> Toolchain::binds() const {
    std::vector<SandboxBind> out;
    if (!below_usr(stap)) out.push_back({stap});
    if (!below_usr(data)) {
        out.push_back({data + "/tapsets"});
        for (const char *part : kSources)
            out.push_back({data + part});
    }
    return out;
}

std::string KernelEntry::serialize() const {
    return Json{{"release", release},  {"architecture", architecture}, {"vermagic", vermagic},
                {"build", build},      {"build_id", build_id},         {"which", which},
                {"own", own},          {"translator", translator},     {"place", place},
                {"prepared", prepared}}
        .dump(1, ' ', true, Json::error_handler_t::replace);
}

std::optional<KernelEntry> KernelEntry::parse(const std::string &text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return std::nullopt;
    KernelEntry entry;
    for (const auto &[name, field] : {std::pair{"release", &entry.release},
                                      {"architecture", &entry.architecture},
                                      {"vermagic", &entry.vermagic},
                                      {"build", &entry.build},
                                      {"build_id", &entry.build_id},
                                      {"which", &entry.which},
                                      {"translator", &entry.translator}}) {
        if (!json.contains(name) || !json[name].is_string()) return std::nullopt;
        *field = json[name].get<std::string>();
    }
    if (!json.contains("own") || !json["own"].is_boolean()) return std::nullopt;
    if (!json.contains("prepared") || !json["prepared"].is_number_integer()) return std::nullopt;
    if (json.contains("place") && json["place"].is_string()) entry.place = json["place"].get<std::string>();
    entry.own = json["own"].get<bool>();
    entry.prepared = json["prepared"].get<int64_t>();
    return entry;
}

// A kernel that is being added: everything of it is in a directory of its own until it is whole.
struct Kernels::Work {
    KernelEntry entry;
    std::string place;
    bool replace = true;  // one that is there already
    std::string cache() const { return place + "/cache"; }
};

Kernels::Kernels(std::string state, Toolchain toolchain, const MemoryGroups *groups, std::function<bool()> cancelled)
    : state_(std::move(state)), toolchain_(std::move(toolchain)), groups_(groups), cancelled_(std::move(cancelled)) {}

void Kernels::sweep() const {
    sweep_drafts(gate(), state_ + "/kernels", ".new-");
    // A kernel that was taken away and not yet replaced comes back.
    std::vector<std::string> old;
    std::error_code error;
    for (const fs::directory_entry &entry : fs::directory_iterator(state_ + "/kernels", error))
        if (const std::string name = entry.path().filename(); name.starts_with(kOld))
            old.push_back(name.substr(kOld.size()));
    for (const std::string &release : old) {
        const PatientLock lock(lock_file(release), LOCK_EX, std::chrono::seconds(0), {});
        if (!lock.held()) continue;
        const std::string grave = state_ + "/kernels/" + std::string(kOld) + release;
        if (!fs::exists(directory(release), error)) fs::rename(grave, directory(release), error);
        fs::remove_all(grave, error);
    }
}

std::string Kernels::failure(const std::string &release) const {
    const std::lock_guard lock(mutex_);
    const auto found = failures_.find(release);
    return found == failures_.end() ? "" : found->second;
}

void Kernels::forget_failure(const std::string &release) const {
    const std::lock_guard lock(mutex_);
    failures_.erase(release);
}

std::string Kernels::lock_file(const std::string &release) const {
    return state_ + "/locks/kernel-" + release;
}

std::optional<KernelEntry> Kernels::find(const std::string &release) const {
    if (!is_plain_name(release)) return std::nullopt;
    const auto text = read_file(directory(release) + "/kernel.json");
    if (!text) return std::nullopt;
    auto entry = KernelEntry::parse(*text);
    return entry && entry->release == release ? entry : std::nullopt;
}

std::vector<KernelEntry> Kernels::list() const {
    std::vector<KernelEntry> out;
    std::error_code error;
    for (const fs::directory_entry &entry : fs::directory_iterator(state_ + "/kernels", error))
        if (auto found = find(entry.path().filename())) out.push_back(std::move(*found));
    std::sort(out.begin(), out.end(), [](const auto &a, const auto &b) { return a.release < b.release; });
    return out;
}

SandboxJob Kernels::job_for(const KernelEntry &kernel) const {
    const std::string cache = directory(kernel.release) + "/cache";
    SandboxJob job;
    job.groups = groups_;
    job.binds = toolchain_.binds();
    std::error_code error;
    if (kernel.own) {
        // The kernel's own headers are meant, not those that this machine may have under the same name.
        for (const char *place : {"/usr/src", "/usr/lib/modules", "/lib/modules"})
            if (fs::is_directory(place, error) && fs::canonical(place, error) == place)
                job.binds.push_back({"", place});
    } else {
        if (kernel.which.starts_with('/') && !below_usr(kernel.which)) job.binds.push_back({kernel.which});
        for (const char *file : {"/boot/vmlinuz-", "/boot/System.map-", "/boot/config-"})
            job.binds.push_back({file + kernel.release, "", false, true});
    }
    job.binds.push_back({cache, cache});
    job.environment = {"TAPIR_CACHE_DIR=" + cache};
    job.command = {toolchain_.stap, "-r", kernel.which};
    return job;
}

// A job that runs for minutes, and may be ended with the server.
SandboxJob Kernels::preparation() const {
    SandboxJob job;
    job.groups = groups_;
    job.cancelled = cancelled_;
    job.limits = limits_of_preparation();
    return job;
}

// Checks the unpacked size of an archive before anything is unpacked, so there is nothing to undo.
Outcome<void> Kernels::check_archive(const std::string &file) const {
    SandboxJob job = preparation();
    job.binds.push_back({fs::absolute(file), "/input/0"});
    const auto variable = [](const char *name, auto value) { return name + ("=" + std::to_string(value)); };
    job.command = {"/bin/sh",
                   "-c",
                   "tar -tv --numeric-owner -f /input/0 2>/dev/null | awk \"$@\"",
                   "sh",
                   "-v",
                   variable("most_bytes", archive_bytes_),
                   "-v",
                   variable("most_files", kArchiveFiles),
                   "-v",
                   variable("most_depth", kArchiveDepth),
                   "-v",
                   variable("status", kTooMuch),
                   kCountArchive};
    const SandboxOutcome outcome = run_in_sandbox(job);
    if (outcome.completed && outcome.status == kTooMuch)
        return Fault{FaultTag::TooLarge,
                     "the archive unpacks to " + outcome.output.substr(0, outcome.output.find('\n'))};
    if (!outcome.ok()) return failed("the headers cannot be counted", outcome);
    return {};
}

// Runs a shell script over the files, which are /input/0, /input/1, ..., in the root directory of the kernel's files.
Outcome<void> Kernels::unpack(const Work &work, const std::vector<std::string> &files,
                              const std::string &script) const {
    const std::string root = work.cache() + "/kernels/" + work.entry.release;
    std::error_code error;
    fs::create_directories(root, error);
    if (error) return Fault{FaultTag::StateUnwritable, root + ": " + error.message()};
    SandboxJob job = preparation();
    for (size_t i = 0; i < files.size(); ++i)
        job.binds.push_back({fs::absolute(files[i]), "/input/" + std::to_string(i)});
    job.binds.push_back({root, "/output", true});
    job.command = {"/bin/sh", "-c", "cd /output && " + script};
    const SandboxOutcome outcome = run_in_sandbox(job);
    if (!outcome.ok()) return failed("the headers cannot be unpacked", outcome);
    return {};
}

Outcome<void> Kernels::prepare(Work &work, const Progress &progress) const {
    KernelEntry &entry = work.entry;
    std::error_code error;
    fs::create_directories(work.cache(), error);
    // The final place, because prepared files contain its paths.
    SandboxJob job = job_for(entry);
    job.binds.back() = {work.cache(), directory(entry.release) + "/cache", true};
    job.limits = limits_of_preparation();
    job.cancelled = cancelled_;
    const std::vector<std::string> stap = job.command;
    const auto run = [&](std::vector<std::string> words, const std::string &result) {
        job.command = stap;
        job.command.insert(job.command.end(), words.begin(), words.end());
        job.result = result;
        return run_in_sandbox(job);
    };
    progress("preparing " + entry.release);
    const SandboxOutcome prepared = run({"--prepare", "-v"}, "");
    if (!prepared.ok()) return failed("kernel " + entry.release + " cannot be prepared", prepared);
    const std::string image = build_id_in(prepared.output);
    if (!image.empty() && !entry.build_id.empty() && image != entry.build_id)
        return Fault{FaultTag::KernelUnusable,
                     "the build-id of kernel " + entry.release + " is " + image + ", not " + entry.build_id};
    if (entry.build_id.empty()) entry.build_id = image;
    const SandboxOutcome hello = run({"-p4", "-m", "stap_hello", "-e", kHello}, "stap_hello.ko");
    if (!hello.ok()) return failed("no script can be compiled for kernel " + entry.release, hello);
    if (const Outcome<void> described = describe(hello.result, entry); !described)
        return Fault{FaultTag::KernelUnusable, "kernel " + entry.release + ": " + described.fault().text};
    if (const SandboxOutcome outcome = run({"-p4", "-m", "stap_function", "-e", kFunction}, "stap_function.ko");
        !outcome.ok())
        progress("kernel " + entry.release +
                 " has neither BTF nor debug information here, so that probes of its functions have no variables:\n" +
                 outcome.messages);
    if (entry.build_id.empty()) {
        const std::string place = entry.own ? directory(entry.release) + "/cache/kernels/" + entry.release : "";
        job.command = {"/bin/sh", "-c", "readelf -n \"$0\" \"$1\" 2>/dev/null | sed -n 's/.*Build ID: //p' | head -n 1",
                       place + "/usr/lib/debug/boot/vmlinux-" + entry.release,
                       place + "/boot/vmlinux-" + entry.release};
        job.result.clear();
        std::string found = run_in_sandbox(job).output;
        found.resize(std::min(found.size(), found.find('\n')));
        if (is_hex(found)) entry.build_id = found;
    }
    entry.translator = toolchain_.identity();
    entry.place = directory(entry.release);
    entry.prepared = time(nullptr);
    return {};
}

Outcome<void> Kernels::publish(const Work &work) const {
    const std::string place = directory(work.entry.release);
    if (const Outcome<void> written = write_file(work.place + "/kernel.json", work.entry.serialize()); !written)
        return Fault{FaultTag::StateUnwritable, written.fault().text};
    fs::permissions(work.place, fs::perms(0755));
    // Compilations hold it shared, and let this one go before them.
    const PatientLock turn(turn_file(work.entry.release), LOCK_EX, kPatience, cancelled_);
    const PatientLock lock(lock_file(work.entry.release), LOCK_EX, kPatience, cancelled_);
    if (!turn.held() || !lock.held())
        return Fault{FaultTag::Busy, "kernel " + work.entry.release + " is in use, and cannot be replaced; ask again"};
    return put_in_place(work.place, work.entry.release, work.replace);
}

// Moves a prepared kernel into place. Afterwards `from` has the previous one, or is gone.
Outcome<void> Kernels::put_in_place(const std::string &from, const std::string &release, bool replace) const {
    const std::string place = directory(release);
    std::error_code error;
    if (!fs::exists(place, error)) {
        fs::rename(from, place, error);
    } else if (!replace) {
        return Fault{FaultTag::Forbidden, "the right 'replace' is needed: there is a kernel of that release already"};
    } else if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) != 0) {
        if (errno != EINVAL && errno != ENOSYS)
            return Fault{FaultTag::StateUnwritable, place + ": " + std::strerror(errno)};
        // Some file systems cannot exchange: for a moment the place is empty, and sweep() restores it after a crash.
        const std::string grave = state_ + "/kernels/" + std::string(kOld) + release;
        fs::remove_all(grave, error);
        fs::rename(place, grave, error);
        if (!error) fs::rename(from, place, error);
        std::error_code ignored;
        fs::remove_all(grave, ignored);
    }
    if (error) return unwritable(place, error.message());
    return {};
}

// Returns the release that modules are made for. Debian's headers have the version of the sources in
// include/config/kernel.release.
static std::string release_of(const fs::path &tree) {
    const std::string header = read_file(tree / "include/generated/utsrelease.h").value_or("");
    const size_t begin = header.find("UTS_RELEASE \"");
    if (begin != std::string::npos) {
        const std::string rest = header.substr(header.find('"', begin) + 1);
        return rest.substr(0, rest.find('"'));
    }
    const std::string release = read_file(tree / "include/config/kernel.release").value_or("");
    return release.substr(0, release.find('\n'));
}

Outcome<void> Kernels::add_installed(const std::string &release, const std::string &build_id,
                                     const Progress &progress) {
    Work work;
    work.entry.release = work.entry.which = release;
    work.entry.build_id = build_id;
    return add(std::move(work), progress, [](Work &) { return Outcome<void>(); });
}

Outcome<void> Kernels::add_directory(const std::string &path, const std::string &build_id, const Progress &progress) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (error) return Fault{FaultTag::KernelUnusable, path + ": " + error.message()};
    Work work;
    work.entry.release = release_of(real);
    work.entry.which = real;
    work.entry.build_id = build_id;
    return add(std::move(work), progress, [](Work &) { return Outcome<void>(); });
}

Outcome<void> Kernels::add(Work work, const Progress &progress, const Fill &fill) const {
    if (!is_plain_name(work.entry.release))
        return Fault{FaultTag::KernelUnusable,
                     "there is no release of a kernel in it (include/config/kernel.release of a prepared build tree)"};
    if (!work.entry.build_id.empty() && !is_hex(work.entry.build_id))
        return Fault{FaultTag::BadRequest, "a build-id has at most 64 lower-case hexadecimal digits"};
    utsname machine = {};
    uname(&machine);
    work.entry.architecture = machine.machine;  // describe() takes modules of this machine's only
    const Draft draft = draft_directory(gate(), state_ + "/kernels", ".new-");
    if (draft.path.empty()) return Fault{FaultTag::StateUnwritable, state_ + "/kernels: " + std::strerror(errno)};
    const TemporaryDirectory temporary(draft.path);
    work.place = draft.path;
    if (Outcome<void> done = fill(work); !done) return done;
    if (Outcome<void> done = prepare(work, progress); !done) return done;
    if (Outcome<void> done = publish(work); !done) return done;
    forget_failure(work.entry.release);
    return {};
}

Outcome<void> Kernels::add_archive(const std::string &release, const std::string &file, bool replace,
                                   const Progress &progress) {
    Work work;
    work.entry.release = work.entry.which = release;
    work.replace = replace;
    work.entry.own = true;
    return add(std::move(work), progress, [&](Work &made) {
        progress("unpacking the headers of " + release);
        if (Outcome<void> checked = check_archive(file); !checked) return checked;
        return unpack(made, {file}, "tar -x --no-same-owner --no-same-permissions -f /input/0");
    });
}

Outcome<void> Kernels::add_packages(const std::vector<std::string> &files, const Progress &progress) {
    // The release is in the paths of the packages.
    SandboxJob job = preparation();
    for (size_t i = 0; i < files.size(); ++i)
        job.binds.push_back({fs::absolute(files[i]), "/input/" + std::to_string(i)});
    job.command = {"/bin/sh", "-c",
                   "for f in /input/*; do dpkg-deb --fsys-tarfile $f | tar -t || exit; done | "
                   "sed -n 's,^\\./usr/src/linux-headers-\\([^/]*\\)/\\.config$,\\1,p' | head -n 1"};
    const SandboxOutcome listed = run_in_sandbox(job);
    if (!listed.ok()) return failed("the packages cannot be read", listed);
    Work work;
    work.entry.release = work.entry.which = listed.output.substr(0, listed.output.find('\n'));
    work.entry.own = true;
    if (work.entry.release.empty())
        return Fault{
            FaultTag::KernelUnusable,
            "none of the packages has usr/src/linux-headers-RELEASE/.config; the headers' package, those it depends on "
            "(linux-headers-...-common, linux-kbuild-...) and, for variables of functions, linux-image-... are needed"};
    return add(std::move(work), progress, [&](Work &made) {
        progress("unpacking packages of " + made.entry.release);
        return unpack(made, files, "for f in /input/*; do dpkg-deb -x $f . || exit; done");
    });
}

void Kernels::refresh(const Progress &progress) {
    const std::string identity = toolchain_.identity();
    for (const KernelEntry &entry : list()) {
        if (is_prepared(entry, identity)) continue;
        Work work;
        work.entry = entry;
        const Outcome<void> added = add(std::move(work), progress, [&](Work &made) -> Outcome<void> {
            if (!entry.own) return {};
            const std::string tree = "/kernels/" + entry.release;
            std::error_code error;
            fs::create_directories(made.cache() + "/kernels", error);
            fs::copy(directory(entry.release) + "/cache" + tree, made.cache() + tree,
                     fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
            if (error) return unwritable(made.cache() + tree, error.message());
            return {};
        });
        if (cancelled_ && cancelled_()) return;
        if (added) continue;
        const std::string why = added.fault().message();
        progress("WARNING: " + why);
        const std::lock_guard lock(mutex_);
        failures_[entry.release] = why;
    }
}

}  // namespace tapir::server
