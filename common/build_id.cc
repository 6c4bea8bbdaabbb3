// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/build_id.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "common/hash.h"

namespace tapir {

namespace {

constexpr size_t kMaxNotes = 65536;
constexpr unsigned kMaxSegments = 4096;

template <class T>
bool read_at(int fd, uint64_t offset, T &out) {
    return pread(fd, &out, sizeof out, static_cast<off_t>(offset)) == static_cast<ssize_t>(sizeof out);
}

template <class Header, class Segment>
std::string build_id_in_segments(int fd) {
    Header header;
    if (!read_at(fd, 0, header) || header.e_phentsize != sizeof(Segment)) return {};
    for (unsigned i = 0; i < header.e_phnum && i < kMaxSegments; i++) {
        Segment segment;
        if (!read_at(fd, header.e_phoff + uint64_t{i} * sizeof segment, segment)) return {};
        if (segment.p_type != PT_NOTE || segment.p_filesz > kMaxNotes) continue;
        std::string notes(segment.p_filesz, '\0');
        if (pread(fd, notes.data(), notes.size(), static_cast<off_t>(segment.p_offset)) !=
            static_cast<ssize_t>(notes.size()))
            continue;
        std::string found = build_id_of_notes(notes);
        if (!found.empty()) return found;
    }
    return {};
}

}  // namespace

std::string build_id_of_notes(std::string_view notes) {
    const auto padded = [](uint64_t size) { return (size + 3) & ~uint64_t{3}; };
    for (Elf64_Nhdr header; notes.size() >= sizeof header;) {
        std::memcpy(&header, notes.data(), sizeof header);
        notes.remove_prefix(sizeof header);
        const uint64_t content = padded(header.n_namesz);
        if (content > notes.size() || header.n_descsz > notes.size() - content) break;
        if (header.n_type == NT_GNU_BUILD_ID && notes.substr(0, header.n_namesz) == std::string_view("GNU\0", 4))
            return to_hex(reinterpret_cast<const unsigned char *>(notes.data()) + content, header.n_descsz);
        notes.remove_prefix(std::min<uint64_t>(content + padded(header.n_descsz), notes.size()));
    }
    return {};
}

std::string build_id_of_file(int fd) {
    unsigned char ident[EI_NIDENT];
    if (!read_at(fd, 0, ident) || std::memcmp(ident, ELFMAG, SELFMAG) != 0) return {};
    if (ident[EI_CLASS] == ELFCLASS64) return build_id_in_segments<Elf64_Ehdr, Elf64_Phdr>(fd);
    if (ident[EI_CLASS] == ELFCLASS32) return build_id_in_segments<Elf32_Ehdr, Elf32_Phdr>(fd);
    return {};
}

std::string debug_file_of_build(std::string_view id, std::string_view directory) {
    std::string path(directory);
    return path.append("/.build-id/").append(id.substr(0, 2)).append("/").append(id.substr(2)).append(".debug");
}

}  // namespace tapir
