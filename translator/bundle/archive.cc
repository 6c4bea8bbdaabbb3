// SPDX-License-Identifier: GPL-2.0-or-later
#include <archive.h>
#include <archive_entry.h>
#include <elf.h>

#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "bundle/bundle.h"
#include "common/hash.h"

namespace tapir::bundle {
namespace {

// The time of all files, so that equal contents give equal bytes: the start of 1980. Some programs know no earlier
// time.
constexpr time_t kTime = 315532800;

struct File {
    std::string bytes;
    bool is_program = false;
};

using Files = std::map<std::string, File>;  // by name, the order in the archive

class Writer {
  public:
    explicit Writer(std::string &out) : tar_(archive_write_new()) {
        good_ = tar_ && archive_write_set_format_ustar(tar_.get()) == ARCHIVE_OK &&
                archive_write_set_bytes_in_last_block(tar_.get(), 512) == ARCHIVE_OK &&
                archive_write_open(tar_.get(), &out, nullptr, append, nullptr) == ARCHIVE_OK;
    }

    void directory(const std::string &path) { add(path, AE_IFDIR, 0755, ""); }
    void file(const std::string &path, const File &file) {
        add(path, AE_IFREG, file.is_program ? 0755 : 0644, file.bytes);
    }

    // "" or what went wrong.
    std::string close() {
        if (good_) good_ = archive_write_close(tar_.get()) == ARCHIVE_OK;
        if (good_) return "";
        const char *why = tar_ ? archive_error_string(tar_.get()) : nullptr;
        return why ? why : "out of memory";
    }

  private:
    struct Free {
        void operator()(struct archive *tar) const { archive_write_free(tar); }
        void operator()(struct archive_entry *entry) const { archive_entry_free(entry); }
    };

    static la_ssize_t append(struct archive *, void *out, const void *bytes, size_t size) {
        static_cast<std::string *>(out)->append(static_cast<const char *>(bytes), size);
        return static_cast<la_ssize_t>(size);
    }

    void add(const std::string &path, unsigned type, unsigned mode, const std::string &bytes) {
        if (!good_) return;
        std::unique_ptr<struct archive_entry, Free> entry(archive_entry_new());
        good_ = entry != nullptr;
        if (!good_) return;
        archive_entry_set_pathname(entry.get(), path.c_str());
        archive_entry_set_filetype(entry.get(), type);
        archive_entry_set_perm(entry.get(), static_cast<mode_t>(mode));
        archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes.size()));
        archive_entry_set_mtime(entry.get(), kTime, 0);
        archive_entry_set_uid(entry.get(), 0);
        archive_entry_set_gid(entry.get(), 0);
        archive_entry_set_uname(entry.get(), "root");
        archive_entry_set_gname(entry.get(), "root");
        good_ = archive_write_header(tar_.get(), entry.get()) == ARCHIVE_OK &&
                archive_write_data(tar_.get(), bytes.data(), bytes.size()) == static_cast<la_ssize_t>(bytes.size());
    }

    std::unique_ptr<struct archive, Free> tar_;
    bool good_;
};

}  // namespace

std::string loader_problem(const std::string &bytes) {
    Elf64_Ehdr header;
    if (bytes.size() < sizeof header) return "it is not a program (64-bit ELF)";
    std::memcpy(&header, bytes.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_phentsize != sizeof(Elf64_Phdr))
        return "it is not a program (64-bit ELF)";
    for (size_t i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr part;
        const uint64_t left = bytes.size() - sizeof part;
        if (header.e_phoff > left || i * sizeof part > left - header.e_phoff) return "its ELF headers are damaged";
        std::memcpy(&part, bytes.data() + header.e_phoff + i * sizeof part, sizeof part);
        if (part.p_type == PT_INTERP) return "it needs shared libraries, which the other machine may not have";
    }
    return "";
}

std::string metadata(const Contents &contents) {
    nlohmann::ordered_json json = {{"format", 1},
                                   {"tapir", contents.version},
                                   {"script", {{"name", contents.script}, {"sha256", contents.script_sha256}}},
                                   {"module",
                                    {{"file", contents.name + ".ko"},
                                     {"sha256", sha256(contents.module)},
                                     {"signed", !contents.signature.empty()}}},
                                   {"loader", {{"file", "staprun"}, {"sha256", sha256(contents.loader)}}},
                                   {"kernel", {{"release", contents.release}, {"arch", contents.arch}}},
                                   {"options", contents.options},
                                   {"globals", contents.globals},
                                   {"run", "./run [OPTION]... [NAME=VALUE]..."}};
    if (!contents.build_id.empty()) json["kernel"]["build_id"] = contents.build_id;
    // Names of files may be in any encoding.
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string archive(const Contents &contents, std::string &problem) {
    Files files;
    files[contents.name + ".ko"] = {contents.module};
    if (!contents.signature.empty()) files[contents.name + ".ko.sig"] = {contents.signature};
    files["metadata.json"] = {metadata(contents)};
    files["run"] = {run_script(contents), true};
    files["staprun"] = {contents.loader, true};
    std::string sums;
    for (const auto &[name, file] : files)
        sums += sha256(file.bytes) + "  " + name + "\n";
    files["SHA256SUMS"] = {sums};

    std::string bytes;
    Writer writer(bytes);
    writer.directory(contents.name + "/");
    for (const auto &[name, file] : files)
        writer.file(contents.name + "/" + name, file);
    problem = writer.close();
    return problem.empty() ? bytes : "";
}

}  // namespace tapir::bundle
