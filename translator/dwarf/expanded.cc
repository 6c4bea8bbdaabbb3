// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/expanded.h"

#include <gelf.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include <bit>
#include <cstring>
#include <memory>
#include <vector>

namespace tapir::dwarf {

namespace {

constexpr GElf_Word kZstd = 2;  // ELFCOMPRESS_ZSTD
constexpr uint64_t kMostBytes = uint64_t{8} << 30;

struct Compressed {
    size_t number;
    std::string name;
    GElf_Shdr header;
    GElf_Chdr compression;
    const char *data;
    size_t bytes;
};

bool write_at(int fd, const void *data, size_t bytes, uint64_t offset) {
    const char *from = static_cast<const char *>(data);
    while (bytes > 0) {
        const ssize_t done = pwrite(fd, from, bytes, static_cast<off_t>(offset));
        if (done <= 0) return false;
        from += done;
        bytes -= static_cast<size_t>(done);
        offset += static_cast<uint64_t>(done);
    }
    return true;
}

// Those that zstd has compressed.
std::vector<Compressed> compressed_sections(Elf *elf) {
    std::vector<Compressed> found;
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0) return found;
    const size_t chdr = gelf_getclass(elf) == ELFCLASS32 ? sizeof(Elf32_Chdr) : sizeof(Elf64_Chdr);
    for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        GElf_Chdr compression;
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_COMPRESSED) ||
            !gelf_getchdr(section, &compression) || compression.ch_type != kZstd)
            continue;
        const Elf_Data *data = elf_rawdata(section, nullptr);
        if (!data || !data->d_buf || data->d_size < chdr) continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        found.push_back({elf_ndxscn(section), name ? name : "", header, compression,
                         static_cast<const char *>(data->d_buf) + chdr, data->d_size - chdr});
    }
    return found;
}

// The section's header says where its content is in the copy.
template <typename Header>
bool write_header(int fd, const Compressed &section, uint64_t table, uint64_t at) {
    Header header = {};
    const uint64_t place = table + section.number * sizeof(Header);
    if (pread(fd, &header, sizeof header, static_cast<off_t>(place)) != sizeof header) return false;
    using Offset = decltype(header.sh_offset);
    header.sh_offset = static_cast<Offset>(at);
    header.sh_size = static_cast<decltype(header.sh_size)>(section.compression.ch_size);
    header.sh_addralign = static_cast<decltype(header.sh_addralign)>(section.compression.ch_addralign);
    header.sh_flags &= ~static_cast<decltype(header.sh_flags)>(SHF_COMPRESSED);
    return write_at(fd, &header, sizeof header, place);
}

bool expand(int fd, Elf *elf, const Compressed &section, uint64_t &end) {
    GElf_Ehdr file;
    if (!gelf_getehdr(elf, &file) || section.compression.ch_size > kMostBytes) return false;
    std::vector<char> content;
    content.resize(section.compression.ch_size);
    const size_t got = ZSTD_decompress(content.data(), content.size(), section.data, section.bytes);
    if (ZSTD_isError(got) || got != content.size()) return false;
    const uint64_t at = (end + 15) & ~uint64_t{15};
    if (!write_at(fd, content.data(), content.size(), at)) return false;
    end = at + content.size();
    return gelf_getclass(elf) == ELFCLASS32 ? write_header<Elf32_Shdr>(fd, section, file.e_shoff, at)
                                            : write_header<Elf64_Shdr>(fd, section, file.e_shoff, at);
}

}  // namespace

int open_expanded(int fd, std::string &problem) {
    elf_version(EV_CURRENT);
    const std::unique_ptr<Elf, int (*)(Elf *)> elf(elf_begin(fd, ELF_C_READ_MMAP, nullptr), elf_end);
    if (!elf || elf_kind(elf.get()) != ELF_K_ELF) return -1;
    const char *ident = elf_getident(elf.get(), nullptr);
    const char own = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
    if (!ident || ident[EI_DATA] != own) return -1;
    const std::vector<Compressed> sections = compressed_sections(elf.get());
    if (sections.empty()) return -1;
    size_t bytes = 0;
    const char *whole = elf_rawfile(elf.get(), &bytes);
    const int copy = memfd_create("tapir-debug", MFD_CLOEXEC);
    uint64_t end = bytes;
    if (copy < 0 || !whole || !write_at(copy, whole, bytes, 0)) {
        problem = "there is no memory for a copy of it without compression";
    } else {
        for (const Compressed &section : sections)
            if (problem.empty() && !expand(copy, elf.get(), section, end))
                problem = "its section " + section.name + ", which zstd has compressed, is damaged";
        if (problem.empty()) return copy;
    }
    if (copy >= 0) close(copy);
    return -1;
}

}  // namespace tapir::dwarf
