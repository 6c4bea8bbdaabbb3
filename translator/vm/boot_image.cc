// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/boot_image.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "common/activity.h"
#include "common/files.h"
#include "common/run_program.h"
#include "target/boot_payload.h"

namespace fs = std::filesystem;

namespace tapir::vm {
namespace {

template <typename T>
std::optional<T> at(std::string_view bytes, size_t offset) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

constexpr uint32_t xen_note_phys32_entry = 18;

bool notes_have_entry(std::string_view notes) {
    size_t offset = 0;
    while (auto note = at<Elf64_Nhdr>(notes, offset)) {
        size_t name = offset + sizeof *note;
        size_t next = name + ((note->n_namesz + 3) & ~3ul) + ((note->n_descsz + 3) & ~3ul);
        if (next > notes.size()) return false;
        if (note->n_type == xen_note_phys32_entry && notes.substr(name, 4) == std::string_view("Xen\0", 4)) return true;
        offset = next;
    }
    return false;
}

void remove_older(const fs::path &keep, const std::string &prefix) {
    std::error_code error;
    for (fs::directory_iterator entry(keep.parent_path(), error), end; !error && entry != end; entry.increment(error))
        if (entry->path() != keep && entry->path().filename().string().starts_with(prefix))
            fs::remove(entry->path(), error);
}

}  // namespace

bool has_pvh_entry(std::string_view elf) {
    auto header = at<Elf64_Ehdr>(elf, 0);
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
        return false;
    for (size_t i = 0; i < header->e_phnum; ++i) {
        auto segment = at<Elf64_Phdr>(elf, header->e_phoff + i * sizeof(Elf64_Phdr));
        if (!segment || segment->p_type != PT_NOTE || segment->p_offset > elf.size()) continue;
        if (notes_have_entry(elf.substr(segment->p_offset, segment->p_filesz))) return true;
    }
    return false;
}

std::string boot_image(const std::string &vmlinuz, const std::string &release, const std::string &cache) {
    struct stat status;
    if (stat(vmlinuz.c_str(), &status) != 0) return vmlinuz;
    std::string prefix = "vmlinux-" + release + "@";
    fs::path unpacked = fs::path(cache) / "boot" /
                        (prefix + std::to_string(status.st_size) + "-" + std::to_string(status.st_mtim.tv_sec) + "." +
                         std::to_string(status.st_mtim.tv_nsec));
    // An empty file says that this kernel has to be booted the long way.
    if (stat(unpacked.c_str(), &status) == 0) return status.st_size > 0 ? unpacked.string() : vmlinuz;

    std::error_code error;
    fs::create_directories(unpacked.parent_path(), error);
    auto image = read_file(vmlinuz);
    if (error || !image) return vmlinuz;
    const Activity activity("unpacking " + vmlinuz + ", once");
    auto payload = target::find_payload(*image);
    std::string packed = unpacked.string() + ".packed." + std::to_string(getpid());
    if (payload && !replace_file(packed, payload->bytes)) return vmlinuz;
    std::string kernel;
    if (payload) {
        Outcome<std::string> bytes = output_of({payload->tool, "-dc", packed});
        fs::remove(packed, error);
        if (!bytes && bytes.fault().tag != FaultTag::ProgramFailed) return vmlinuz;  // the tool may be there next time
        if (bytes && has_pvh_entry(*bytes)) kernel = std::move(*bytes);
    }
    remove_older(unpacked, prefix);
    bool kept = replace_file(unpacked, kernel);
    return kept && !kernel.empty() ? unpacked.string() : vmlinuz;
}

}  // namespace tapir::vm
