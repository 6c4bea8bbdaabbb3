// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/debug_files.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "common/files.h"
#include "common/hash.h"
#include "server/sandbox.h"

namespace fs = std::filesystem;

namespace tapir::server {

using debuginfod::FileKind;

namespace {

constexpr std::string_view kBuildIds = "/buildid/";
constexpr uint64_t kMostSection = 256ull << 20;
constexpr uint64_t kUnpackSeconds = 1800, kUnpackedBytes = 16ull << 30;

struct FreeElf {
    void operator()(Elf *elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, FreeElf>;

ElfHandle open_elf(const Descriptor &file) {
    elf_version(EV_CURRENT);
    return ElfHandle(file.get() < 0 ? nullptr : elf_begin(file.get(), ELF_C_READ, nullptr));
}

Descriptor open_plain(const std::string &path) {
    return Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW));
}

// How a file can be asked for.
struct Uses {
    bool debug = false, program = false;
};

Uses uses_of(const std::string &path) {
    const Descriptor file = open_plain(path);
    const ElfHandle elf = open_elf(file);
    Uses uses;
    size_t names = 0;
    if (!elf || elf_getshdrstrndx(elf.get(), &names) != 0) return uses;
    for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf.get(), section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS) continue;
        const char *name = elf_strptr(elf.get(), names, header.sh_name);
        uses.program |= (header.sh_flags & SHF_EXECINSTR) != 0;
        uses.debug |= header.sh_type == SHT_SYMTAB ||
                      (name && (std::strncmp(name, ".debug_", 7) == 0 || std::strncmp(name, ".zdebug_", 8) == 0));
    }
    return uses;
}

// The section's bytes as the file has them; nothing if it has none.
std::string section_of(const Descriptor &file, const std::string &wanted) {
    const ElfHandle elf = open_elf(file);
    size_t names = 0;
    if (!elf || elf_getshdrstrndx(elf.get(), &names) != 0) return {};
    for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf.get(), section));) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf.get(), names, header.sh_name) : nullptr;
        if (!name || wanted != name || header.sh_type == SHT_NOBITS || header.sh_size > kMostSection) continue;
        if (const Elf_Data *data = elf_rawdata(section, nullptr); data && data->d_buf)
            return {static_cast<const char *>(data->d_buf), data->d_size};
    }
    return {};
}

Fault not_kept(const std::string &path, const std::string &why) {
    return {FaultTag::StateUnwritable, path + ": " + why};
}

}  // namespace

bool is_debug_target(std::string_view target) {
    return target.starts_with(kBuildIds);
}

Outcome<DebugRequest> parse_debug_target(std::string_view target) {
    constexpr std::string_view kSection = "section/";
    DebugRequest request;
    target.remove_prefix(std::min(target.size(), kBuildIds.size()));
    const size_t slash = target.find('/');
    request.build_id = target.substr(0, slash);
    const std::string_view rest = slash == std::string_view::npos ? "" : target.substr(slash + 1);
    if (!debuginfod::is_debug_id(request.build_id))
        return Fault{FaultTag::BadRequest, "a build-id has 8 to 128 lower-case hexadecimal digits"};
    if (rest == word_of(FileKind::DebugInfo) || rest == word_of(FileKind::Executable)) {
        request.kind = rest == word_of(FileKind::DebugInfo) ? FileKind::DebugInfo : FileKind::Executable;
        return request;
    }
    if (!rest.starts_with(kSection) || rest.size() == kSection.size() || rest.size() > 200)
        return Fault{FaultTag::BadRequest, "there are /buildid/ID/debuginfo, /executable and /section/NAME"};
    request.section = rest.substr(kSection.size());
    return request;
}

std::string DebugFiles::path_of(const std::string &build_id, FileKind kind) const {
    return directory_ + "/" + build_id + "/" + std::string(word_of(kind));
}

Outcome<DebugFile> DebugFiles::find(const DebugRequest &request) const {
    const Fault none = {FaultTag::NotFound, "there is no such file of build-id " + request.build_id};
    const auto find_whole = [&](FileKind kind) -> Outcome<DebugFile> {
        DebugFile found;
        const std::string path = path_of(request.build_id, kind);
        auto file = std::make_shared<Descriptor>(open_plain(path));
        struct stat about = {};
        if (file->get() < 0 || fstat(file->get(), &about) != 0 || !S_ISREG(about.st_mode)) return none;
        found.bytes = static_cast<uint64_t>(about.st_size);
        if (found.bytes > most_)
            return Fault{FaultTag::TooLarge, "the file has more than " + std::to_string(most_) + " bytes"};
        found.sha256 = read_file(path + ".sha256").value_or("");
        found.file = std::move(file);
        return found;
    };
    if (request.section.empty()) return find_whole(request.kind);
    for (const FileKind kind : {FileKind::DebugInfo, FileKind::Executable}) {
        Outcome<DebugFile> found = find_whole(kind);
        if (!found) continue;
        found->section = section_of(*found->file, request.section);
        found->bytes = found->section.size();
        if (found->bytes) return found;
    }
    return none;
}

Outcome<void> DebugFiles::keep(const std::string &path, const std::string &build_id, FileKind kind) const {
    const std::string to = path_of(build_id, kind), draft = to + ".new";
    std::error_code error;
    fs::create_directories(directory_ + "/" + build_id, error);
    fs::copy_file(path, draft, fs::copy_options::overwrite_existing, error);
    if (error) return not_kept(draft, error.message());
    const std::string digest = sha256_of_file(open_plain(draft).get());
    // Between the two, a client gets the old hash with the new file, and asks again.
    if (digest.empty() || !replace_file(to + ".sha256", digest) || rename(draft.c_str(), to.c_str()) != 0)
        return not_kept(to, std::strerror(errno));
    return {};
}

Outcome<size_t> DebugFiles::add_file(const std::string &path) const {
    const std::string build_id = debuginfod::debug_id_of(path);
    if (!debuginfod::is_debug_id(build_id)) return size_t{0};
    const Uses uses = uses_of(path);
    for (const auto &[wanted, kind] :
         {std::pair(uses.debug, FileKind::DebugInfo), {uses.program, FileKind::Executable}})
        if (wanted)
            if (const Outcome<void> kept = keep(path, build_id, kind); !kept) return kept.fault();
    return size_t{uses.debug || uses.program};
}

Outcome<size_t> DebugFiles::add_tree(const std::string &tree) const {
    size_t count = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator at(tree, fs::directory_options::skip_permission_denied, error), end;
         !error && at != end; at.increment(error)) {
        if (at->is_symlink() || !at->is_regular_file()) continue;
        const Outcome<size_t> added = add_file(at->path());
        if (!added) return added;
        count += *added;
    }
    return count;
}

Outcome<size_t> DebugFiles::add_package(const std::string &path) const {
    const Outcome<std::string> made = make_directory(directory_, ".unpacked-");
    if (!made) return made.fault();
    const TemporaryDirectory directory(*made);
    SandboxJob job;
    job.limits.wall_s = job.limits.cpu_s = kUnpackSeconds;
    job.limits.file_bytes = kUnpackedBytes;
    std::error_code error;
    job.binds.push_back({fs::absolute(path, error), "/input/package.deb"});
    job.binds.push_back({directory.path(), "/output", true});
    job.command = {"/bin/sh", "-c", "dpkg-deb -x /input/package.deb /output"};
    const SandboxOutcome unpacked = run_in_sandbox(job);
    if (!unpacked.completed) return unpacked.completed.fault();
    if (!unpacked.ok())
        return Fault{FaultTag::BadConfiguration,
                     path + " cannot be unpacked: " + unpacked.messages.substr(0, unpacked.messages.find('\n'))};
    return add_tree(directory.path());
}

Outcome<size_t> DebugFiles::add(const std::vector<std::string> &what,
                                const std::function<void(const std::string &)> &progress) const {
    size_t count = 0;
    for (const std::string &path : what) {
        progress("reading " + path);
        Outcome<size_t> added =
            path.ends_with(".deb") ? add_package(path)
            : is_directory(path)   ? add_tree(path)
            : access(path.c_str(), R_OK) == 0
                ? add_file(path)
                : Outcome<size_t>(Fault{FaultTag::BadConfiguration, path + ": " + std::strerror(errno)});
        if (!added) return added;
        if (*added == 0)
            return Fault{FaultTag::BadConfiguration,
                         path + " has no ELF file with a build-id and with symbols, debug information or code"};
        count += *added;
    }
    return count;
}

bool DebugRate::take(const std::string &client, uint64_t bytes, int64_t now) {
    const std::lock_guard lock(mutex_);
    if (const int64_t minute = now / 60; minute != minute_) {
        minute_ = minute;
        taken_.clear();
    }
    Taken &taken = taken_[client];
    // One file may be larger than a minute's share: the next one then waits.
    if (taken.requests >= requests_ || taken.bytes >= bytes_) return false;
    taken.requests++;
    taken.bytes += bytes;
    return true;
}

}  // namespace tapir::server
