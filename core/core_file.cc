// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/core_file.h"

#include <elf.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "arch/c/core_machine.h"
#include "common/descriptor.h"
#include "common/regular_file.h"

namespace tapir::core {

namespace {

// Bounds for sizes in a file: larger ones are not believed.
constexpr uint64_t kMaxSegments = uint64_t{1} << 24;

template <class T>
bool take(std::string_view bytes, uint64_t at, T &out) {
    if (at > bytes.size() || bytes.size() - at < sizeof out) return false;
    std::memcpy(&out, bytes.data() + at, sizeof out);
    return true;
}

// With more segments than e_phnum can express, the first section header has the number. It is at the end of the file.
// If the file was cut off, the first content shows the number: the kernel and GDB put it behind the segments' headers.
uint64_t segment_count(std::string_view bytes, const Elf64_Ehdr &header) {
    if (header.e_phnum != PN_XNUM) return header.e_phnum;
    Elf64_Shdr section;
    if (header.e_shoff != 0 && header.e_shentsize == sizeof section && take(bytes, header.e_shoff, section))
        return section.sh_info;
    Elf64_Phdr first, second;
    if (!take(bytes, header.e_phoff, first) || !take(bytes, header.e_phoff + sizeof first, second)) return PN_XNUM;
    const uint64_t behind = std::min(first.p_offset, second.p_offset);
    return behind < header.e_phoff ? PN_XNUM : (behind - header.e_phoff) / sizeof first;
}

std::string_view present(std::string_view bytes, uint64_t at, uint64_t size) {
    if (at >= bytes.size()) return {};
    return bytes.substr(at, size);
}

}  // namespace

CoreFile::CoreFile(CoreFile &&other) noexcept {
    *this = std::move(other);
}

CoreFile &CoreFile::operator=(CoreFile &&other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(mapped_, other.mapped_);
    std::swap(segments_, other.segments_);
    std::swap(notes_, other.notes_);
    std::swap(missing_bytes_, other.missing_bytes_);
    return *this;
}

CoreFile::~CoreFile() {
    if (mapped_) munmap(mapped_, bytes_.size());
}

Outcome<CoreFile> CoreFile::open(const std::string &path) {
    const auto unreadable = [&](int error) {
        return Fault{FaultTag::CoreUnreadable, "the core file " + path + " cannot be read: " + file_error(error)};
    };
    const Descriptor file(open_regular(path.c_str()));
    struct stat status = {};
    if (file.get() < 0 || fstat(file.get(), &status) != 0) return unreadable(errno);
    CoreFile core;
    if (status.st_size > 0) {
        void *memory = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file.get(), 0);
        if (memory == MAP_FAILED) return unreadable(errno);
        core.mapped_ = memory;
        core.bytes_ = {static_cast<const char *>(memory), static_cast<size_t>(status.st_size)};
    }
    if (Outcome<void> good = core.read(); !good)
        return Fault{good.fault().tag, path + " " + good.fault().text, good.fault().hint};
    return core;
}

Outcome<CoreFile> CoreFile::parse(std::string_view bytes) {
    CoreFile core;
    core.bytes_ = bytes;
    if (Outcome<void> good = core.read(); !good)
        return Fault{good.fault().tag, "it " + good.fault().text, good.fault().hint};
    return core;
}

Outcome<void> CoreFile::read() {
    Elf64_Ehdr header;
    using namespace std::string_view_literals;
    for (std::string_view magic : {"\x1f\x8b"sv, "\xfd\x37zXZ\0"sv, "\x28\xb5\x2f\xfd"sv, "\x04\x22\x4d\x18"sv})
        if (bytes_.starts_with(magic))
            return Fault{FaultTag::CoreNotOne, "is compressed", "stap --core unpacks it, or gzip, xz, zstd or lz4 -d"};
    if (bytes_.size() < EI_NIDENT || std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0)
        return Fault{FaultTag::CoreNotOne, "is not a core file: it is not an ELF file"};
    if (bytes_[EI_CLASS] != ELFCLASS64)
        return Fault{FaultTag::CoreForeign, "is of a 32-bit process", "only cores of 64-bit processes can be read"};
    if (bytes_[EI_DATA] != ELFDATA2LSB)
        return Fault{FaultTag::CoreForeign, "is of a big-endian machine", "analyse it on such a machine"};
    if (!take(bytes_, 0, header)) return Fault{FaultTag::CoreDamaged, "ends within its header"};
    if (header.e_type != ET_CORE)
        return Fault{FaultTag::CoreNotOne, "is not a core file",
                     header.e_type == ET_EXEC || header.e_type == ET_DYN ? "it is a program or library" : ""};
    if (header.e_machine != TAPIR_CORE_MACHINE)
        return Fault{FaultTag::CoreForeign,
                     "is of another architecture (ELF machine " + std::to_string(header.e_machine) + ")",
                     "analyse it on a machine of that architecture; of " TAPIR_CORE_MACHINES " it can be read"};
    if (header.e_phentsize != sizeof(Elf64_Phdr)) return Fault{FaultTag::CoreDamaged, "has segments of another size"};
    const uint64_t count = segment_count(bytes_, header);
    for (uint64_t i = 0; i < std::min(count, kMaxSegments); ++i) {
        Elf64_Phdr part;
        if (header.e_phoff > bytes_.size() || !take(bytes_, header.e_phoff + i * sizeof part, part))
            return Fault{FaultTag::CoreDamaged, "ends within the list of its segments"};
        if (part.p_type != PT_NOTE && part.p_type != PT_LOAD) continue;
        const uint64_t size = part.p_type == PT_LOAD ? std::min(part.p_filesz, part.p_memsz) : part.p_filesz;
        const std::string_view content = present(bytes_, part.p_offset, size);
        // Made-up sizes may overflow the sum, which does no harm.
        missing_bytes_ += size - content.size();
        if (part.p_type == PT_NOTE)
            notes_.push_back(content);
        else if (part.p_memsz != 0 && part.p_vaddr + part.p_memsz > part.p_vaddr)
            segments_.push_back({part.p_vaddr, part.p_vaddr + part.p_memsz, content, size, (part.p_flags & PF_X) != 0,
                                 (part.p_flags & PF_W) != 0});
    }
    std::stable_sort(segments_.begin(), segments_.end(),
                     [](const Segment &a, const Segment &b) { return a.start < b.start; });
    uint64_t end = 0;
    std::erase_if(segments_, [&](const Segment &segment) {
        if (segment.start < end) return true;
        end = segment.end;
        return false;
    });
    return {};
}

}  // namespace tapir::core
