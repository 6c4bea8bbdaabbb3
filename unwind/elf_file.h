// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The little of an ELF file that unwinding needs (System V ABI, generic part, chapters 4 and 5): 64-bit, little-endian.
 * Own code, because staprun makes tables at run time and has no libelf; nothing in a file is trusted.
 */
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::unwind {

// The bytes of a file, read in parts as they are needed.
class Image {
  public:
    virtual ~Image() = default;
    // Lives as long as the image; empty if any of it is beyond the end or cannot be read.
    virtual std::string_view part(uint64_t at, uint64_t bytes) = 0;
};

// In memory.
class MemoryImage final : public Image {
  public:
    explicit MemoryImage(std::string_view content) : content_(content) {}
    std::string_view part(uint64_t at, uint64_t bytes) override;

  private:
    std::string_view content_;
};

// Parts are read, not mapped: a file that somebody truncates meanwhile must not kill us.
class FileImage final : public Image {
  public:
    FileImage() = default;
    ~FileImage() override;
    FileImage(const FileImage &) = delete;
    FileImage &operator=(const FileImage &) = delete;

    // 0 or errno. The descriptor stays the caller's and must stay open.
    int open(int descriptor);
    // 0 or errno.
    int open(const std::string &path);
    std::string_view part(uint64_t at, uint64_t bytes) override;

  private:
    int descriptor_ = -1;
    bool own_ = false;
    char *memory_ = nullptr;  // as large as the file, filled where it was asked for
    uint64_t bytes_ = 0;
    std::map<uint64_t, uint64_t> filled_;  // beginnings and ends of the parts that have been read
};

struct Section {
    std::string_view name;
    uint32_t type = 0;
    uint64_t flags = 0;
    uint64_t address = 0;
    uint64_t place = 0;  // file offset
    uint64_t bytes = 0;  // 0 for NOBITS
    uint32_t link = 0;
    uint64_t memory_bytes = 0;
};

// PT_LOAD
struct Segment {
    uint64_t place = 0;  // file offset
    uint64_t address = 0;
    uint64_t bytes = 0;  // of the file
    bool executable = false;
    uint64_t memory_bytes = 0;  // more than `bytes` where variables begin as 0 (.bss)
};

class ElfFile {
  public:
    // Returns an error, or "". `image` must outlive the object.
    std::string parse(Image &image);

    uint16_t machine() const { return machine_; }
    // Where a program, or the dynamic linker, begins; 0: nowhere.
    uint64_t entry() const { return entry_; }
    const std::vector<Section> &sections() const { return sections_; }
    const std::vector<Segment> &segments() const { return segments_; }
    // Null if the section is missing or has no content.
    const Section *section(std::string_view name) const;
    // Lives as long as this object and its image. Empty if it cannot be read, or is compressed in a way that is not
    // known.
    std::string_view content(const Section &section) const;
    std::optional<uint64_t> place_of(uint64_t address) const;
    // Like place_of(), for all that is loaded. Memory that is not in the file gets the place it would have there;
    // nothing if other content has that place.
    std::optional<uint64_t> loaded_place_of(uint64_t address) const;
    // File content from an address to the end of its segment, at most so many bytes; empty if it is not in the file.
    std::string_view content_at(uint64_t address, uint64_t most = UINT64_MAX) const;
    // Returns the end of the loaded parts.
    uint64_t loaded_end() const;
    // .eh_frame by way of PT_GNU_EH_FRAME, for files without section headers, with its address; empty without one.
    std::string_view eh_frame_by_segment(uint64_t &address) const;
    // Lower-case hexadecimal, or "".
    const std::string &build_id() const { return build_id_; }
    // Reads .gnu_debuglink; "" without one.
    std::string_view debug_link() const;

  private:
    std::string read_header();
    std::string read_segments();
    void read_sections();

    Image *image_ = nullptr;
    mutable std::map<uint64_t, std::string> inflated_;  // by place in the file
    uint16_t machine_ = 0;
    uint64_t entry_ = 0;
    uint64_t segments_at_ = 0, sections_at_ = 0;
    uint16_t segment_count_ = 0, section_count_ = 0, names_index_ = 0;
    uint64_t eh_frame_header_ = 0;
    std::vector<Section> sections_;
    std::vector<Segment> segments_;
    std::string build_id_;
};

// Bounds the length of a name: in a malicious file, each symbol could have one that never ends.
constexpr size_t kLongestName = 1 << 14;
// The name of a symbol in its string table, without the version of "name@@GLIBC_2.34"; "": none, or longer than that.
std::string_view symbol_name(std::string_view names, uint32_t at);

}  // namespace tapir::unwind
