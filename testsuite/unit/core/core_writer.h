// SPDX-License-Identifier: GPL-2.0-or-later
// Core files as tests want them, and programs that fit to them.
#pragma once

#include <elf.h>
#include <sys/procfs.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::core {

template <class T>
std::string bytes_of(const T &value) {
    return {reinterpret_cast<const char *>(&value), sizeof value};
}

inline std::string note(uint32_t type, const std::string &content, std::string name = "CORE") {
    const Elf64_Nhdr header = {static_cast<uint32_t>(name.size() + 1), static_cast<uint32_t>(content.size()), type};
    const auto padded = [](std::string text) {
        text.resize((text.size() + 3) & ~size_t{3});
        return text;
    };
    name.push_back('\0');
    return bytes_of(header) + padded(name) + padded(content);
}

inline std::string thread_note(int id, uint64_t place, uint64_t thread_pointer = 0, int signal = 0) {
    elf_prstatus status = {};
    status.pr_pid = id;
    status.pr_pgrp = 3;
    status.pr_sid = 4;
    status.pr_cursig = static_cast<short>(signal);
    status.pr_reg[16] = place;
    status.pr_reg[21] = thread_pointer;
    status.pr_reg[19] = 0x7000;
    return note(NT_PRSTATUS, bytes_of(status));
}

struct NamedRange {
    uint64_t start, end, place;
    std::string name;
};

inline std::string files_note(const std::vector<NamedRange> &ranges, uint64_t unit = 4096) {
    std::string content = bytes_of(uint64_t{ranges.size()}) + bytes_of(unit), names;
    for (const NamedRange &range : ranges) {
        content += bytes_of(range.start) + bytes_of(range.end) + bytes_of(range.place / unit);
        names += range.name + '\0';
    }
    return note(NT_FILE, content + names);
}

inline std::string auxiliary_note(const std::vector<std::pair<uint64_t, uint64_t>> &values) {
    std::string content;
    for (const auto &[key, value] : values)
        content += bytes_of(key) + bytes_of(value);
    return note(NT_AUXV, content + bytes_of(uint64_t{AT_NULL}) + bytes_of(uint64_t{0}));
}

struct WrittenSegment {
    uint64_t start, size;
    std::string content;
    uint32_t flags = PF_R;
    uint64_t physical = 0;
};

// Headers, notes, segments; with `extended` the number of segments is in a section header at the end.
inline std::string core_of(const std::string &notes, const std::vector<WrittenSegment> &segments,
                           bool extended = false) {
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_CORE;
    header.e_machine = EM_X86_64;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    const size_t count = segments.size() + 1;
    uint64_t at = sizeof header + count * sizeof(Elf64_Phdr);
    std::string parts, content = notes;
    Elf64_Phdr part = {};
    part.p_type = PT_NOTE;
    part.p_offset = at;
    part.p_filesz = notes.size();
    parts += bytes_of(part);
    for (const WrittenSegment &segment : segments) {
        part = {};
        part.p_type = PT_LOAD;
        part.p_flags = segment.flags;
        part.p_offset = at + content.size();
        part.p_vaddr = segment.start;
        part.p_paddr = segment.physical;
        part.p_memsz = segment.size;
        part.p_filesz = segment.content.size();
        parts += bytes_of(part);
        content += segment.content;
    }
    header.e_phnum = extended ? PN_XNUM : static_cast<uint16_t>(count);
    std::string sections;
    if (extended) {
        Elf64_Shdr section = {};
        section.sh_info = static_cast<uint32_t>(count);
        sections = bytes_of(section);
        header.e_shoff = at + content.size();
        header.e_shentsize = sizeof section;
        header.e_shnum = 1;
    }
    return bytes_of(header) + parts + content + sections;
}

// A dump in the format of kdump: `facts` is VMCOREINFO, `pages` has pages of 4096 bytes by their numbers, which are not
// compressed. The last word of a page's entry says so.
inline std::string kdump_of(const std::string &facts, const std::map<uint32_t, std::string> &pages,
                            const std::string &machine = "x86_64") {
    constexpr uint64_t kBlock = 4096;
    const auto put = [](std::string &to, size_t at, auto value) { std::memcpy(to.data() + at, &value, sizeof value); };
    const uint32_t last = pages.empty() ? 0 : pages.rbegin()->first;
    std::string header(kBlock, 0), sub(kBlock, 0), bitmap(kBlock, 0), entries, content;
    std::memcpy(header.data(), "KDUMP   ", 8);
    put(header, 8, int32_t{6});
    std::memcpy(header.data() + 12, "Linux", 5);
    std::memcpy(header.data() + 12 + 4 * 65, machine.data(), machine.size());
    put(header, 428, static_cast<int32_t>(kBlock));
    put(header, 432, int32_t{1});   // blocks of the second header
    put(header, 436, uint32_t{2});  // of both bitmaps
    put(header, 440, last + 1);
    put(header, 460, int32_t{1});
    put(sub, 12, int32_t{0});
    put(sub, 96, uint64_t{last} + 1);
    for (const auto &[number, page] : pages)
        bitmap[number / 8] = static_cast<char>(bitmap[number / 8] | 1 << number % 8);
    const uint64_t place = 4 * kBlock + pages.size() * 24;
    for (const auto &[number, page] : pages) {
        entries += bytes_of(place + content.size()) + bytes_of(static_cast<uint32_t>(page.size())) +
                   bytes_of(uint32_t{0}) + bytes_of(uint64_t{0});
        content += page;
    }
    put(sub, 32, place + content.size());
    put(sub, 40, uint64_t{facts.size()});
    return header + sub + bitmap + bitmap + entries + content + facts;
}

// The least of a program that has a build-id: 4096 bytes, filled up with `fill`.
inline std::string program_of(const std::string &id, char fill = 'p') {
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
    header.e_machine = EM_X86_64;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 1;
    const std::string notes = id.empty() ? "" : note(NT_GNU_BUILD_ID, id, "GNU");
    Elf64_Phdr part = {};
    part.p_type = PT_NOTE;
    part.p_offset = sizeof header + sizeof part;
    part.p_filesz = notes.size();
    std::string text = bytes_of(header) + bytes_of(part) + notes;
    text.resize(4096, fill);
    return text;
}

}  // namespace tapir::core
