// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/lines.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

#include "unwind/bytes.h"

namespace tapir::unwind {

namespace {

constexpr size_t kMaxLines = 16u << 20;  // a table of more would be refused

// DWARF 5, 7.22 and 7.5.6
enum Standard : uint8_t {
    kExtended,
    kCopy,
    kAdvancePc,
    kAdvanceLine,
    kSetFile,
    kSetColumn,
    kNegateStatement,
    kSetBasicBlock,
    kConstAddPc,
    kFixedAdvancePc,
    kSetPrologueEnd,
    kSetEpilogueBegin,
    kSetIsa,
};
enum Extended : uint8_t { kEndSequence = 1, kSetAddress = 2, kDefineFile = 3 };
enum Content : uint8_t { kPath = 1, kDirectory = 2 };
enum Form : uint16_t {
    kBlock2 = 0x03,
    kBlock4 = 0x04,
    kData2 = 0x05,
    kData4 = 0x06,
    kData8 = 0x07,
    kString = 0x08,
    kBlock = 0x09,
    kBlock1 = 0x0a,
    kData1 = 0x0b,
    kStrp = 0x0e,
    kUdata = 0x0f,
    kData16 = 0x1e,
    kLineStrp = 0x1f,
};

struct FileEntry {
    std::string_view name;
    uint64_t directory = 0;
};

// One unit's header and program.
class Unit {
  public:
    Unit(const ElfFile &debug, Bytes in, bool wide) : in_(in), wide_(wide) {
        if (const Section *section = debug.section(".debug_str")) strings_ = debug.content(*section);
        if (const Section *section = debug.section(".debug_line_str")) line_strings_ = debug.content(*section);
    }

    bool read_header() {
        version_ = in_.u16();
        if (version_ < 2 || version_ > 5) return false;
        if (version_ >= 5) in_.skip(2);  // sizes of addresses and segment selectors
        const uint64_t length = offset(), start = in_.at();
        least_step_ = in_.u8();
        if (version_ >= 4)
            in_.skip(1);  // operations per instruction: only machines that are not known here have several
        in_.skip(1);
        line_base_ = static_cast<int8_t>(in_.u8());
        line_range_ = in_.u8();
        opcode_base_ = in_.u8();
        if (!line_range_ || !opcode_base_) return false;
        operands_ = in_.take(opcode_base_ - 1u);
        const bool good = version_ >= 5 ? read_tables() : read_old_tables();
        in_.seek(start + length);
        return good && !in_.failed();
    }

    // take(address, file, line, is_end)
    template <typename Take>
    void run(Take take) {
        uint64_t address = 0, file = 1, line = 1;
        const auto step = [&](uint64_t count) { address += count * least_step_; };
        while (!in_.done()) {
            const uint8_t opcode = in_.u8();
            if (opcode >= opcode_base_) {
                const unsigned special = opcode - opcode_base_;
                step(special / line_range_);
                line += static_cast<uint64_t>(static_cast<int64_t>(line_base_) + special % line_range_);
                take(address, file, line, false);
                continue;
            }
            switch (opcode) {
                case kExtended: {
                    Bytes rest(in_.take(in_.uleb()));
                    const uint8_t extended = rest.u8();
                    if (extended == kSetAddress) {
                        address = rest.u64();
                    } else if (extended == kDefineFile) {
                        files_.push_back({rest.string(), rest.uleb()});
                    } else if (extended == kEndSequence) {
                        take(address, file, line, true);
                        address = 0;
                        file = line = 1;
                    }
                    break;
                }
                case kCopy:
                    take(address, file, line, false);
                    break;
                case kAdvancePc:
                    step(in_.uleb());
                    break;
                case kAdvanceLine:
                    line += static_cast<uint64_t>(in_.sleb());
                    break;
                case kSetFile:
                    file = in_.uleb();
                    break;
                case kConstAddPc:
                    step((255u - opcode_base_) / line_range_);
                    break;
                case kFixedAdvancePc:
                    address += in_.u16();
                    break;
                default:
                    for (uint8_t i = 0; i < static_cast<uint8_t>(operands_[opcode - 1u]); i++)
                        in_.uleb();
            }
        }
    }

    // Returns "" for an unknown number.
    std::string file_name(uint64_t number) const {
        if (version_ < 5) number--;
        if (number >= files_.size()) return {};
        const FileEntry &entry = files_[number];
        std::string name(entry.name);
        if (name.empty() || name[0] == '/') return name;
        // Before DWARF 5 directory 0, the compilation's, is not in this section.
        const uint64_t first = version_ < 5;
        if (entry.directory < first || entry.directory - first >= directories_.size()) return name;
        const std::string_view directory = directories_[entry.directory - first];
        name = std::string(directory) + "/" + name;
        if (version_ >= 5 && entry.directory && name[0] != '/') name = std::string(directories_[0]) + "/" + name;
        return name;
    }

  private:
    uint64_t offset() { return wide_ ? in_.u64() : in_.u32(); }

    bool read_old_tables() {
        while (!in_.failed()) {
            const std::string_view directory = in_.string();
            if (directory.empty()) break;
            directories_.push_back(directory);
        }
        while (!in_.failed()) {
            FileEntry entry;
            entry.name = in_.string();
            if (entry.name.empty()) break;
            entry.directory = in_.uleb();
            in_.uleb();
            in_.uleb();
            files_.push_back(entry);
        }
        return !in_.failed();
    }

    bool read_tables() {
        return read_entries([this](const FileEntry &entry) { directories_.push_back(entry.name); }) &&
               read_entries([this](const FileEntry &entry) { files_.push_back(entry); }) && !directories_.empty();
    }
    template <typename Add>
    bool read_entries(Add add) {
        std::vector<std::pair<uint64_t, uint64_t>> formats(in_.u8());
        for (auto &[content, form] : formats) {
            content = in_.uleb();
            form = in_.uleb();
        }
        const uint64_t count = in_.uleb();
        if (formats.empty()) return count == 0;
        for (uint64_t i = 0; i < count; i++) {
            FileEntry entry;
            for (const auto &[content, form] : formats)
                if (!read_field(content, form, entry)) return false;
            if (in_.failed()) return false;
            add(entry);
        }
        return true;
    }
    bool read_field(uint64_t content, uint64_t form, FileEntry &entry) {
        std::string_view text;
        uint64_t number = 0;
        switch (form) {
            case kString:
                text = in_.string();
                break;
            case kLineStrp:
            case kStrp: {
                Bytes strings(form == kStrp ? strings_ : line_strings_);
                strings.seek(offset());
                text = strings.string();
                break;
            }
            case kData1:
                number = in_.u8();
                break;
            case kData2:
                number = in_.u16();
                break;
            case kData4:
                number = in_.u32();
                break;
            case kData8:
                number = in_.u64();
                break;
            case kUdata:
                number = in_.uleb();
                break;
            case kData16:
                in_.skip(16);
                break;
            case kBlock:
                in_.skip(in_.uleb());
                break;
            case kBlock1:
                in_.skip(in_.u8());
                break;
            case kBlock2:
                in_.skip(in_.u16());
                break;
            case kBlock4:
                in_.skip(in_.u32());
                break;
            default:
                return false;
        }
        if (content == kPath) entry.name = text;
        if (content == kDirectory) entry.directory = number;
        return true;
    }

    Bytes in_;
    bool wide_;
    uint16_t version_ = 0;
    uint8_t least_step_ = 1, line_range_ = 1, opcode_base_ = 1;
    int8_t line_base_ = 0;
    std::string_view operands_, strings_, line_strings_;
    std::vector<std::string_view> directories_;
    std::vector<FileEntry> files_;
};

class LineCollector {
  public:
    LineCollector(const ElfFile &file, std::string &names) : file_(file), names_(names) {}

    void take(Unit &unit) {
        numbers_.clear();
        sequence_.clear();
        unit.run([&](uint64_t address, uint64_t file, uint64_t line, bool is_end) {
            const bool known = !is_end && line && line <= std::numeric_limits<uint32_t>::max();
            const uint32_t name = known ? name_of(unit, file) : 0;
            // The last one for an address counts.
            if (!sequence_.empty() && sequence_.back().address == address) sequence_.pop_back();
            if (sequence_.size() <= kMaxLines)
                sequence_.push_back({address, name ? static_cast<uint32_t>(line) : 0, name});
            if (is_end) end_sequence();
        });
    }

    std::vector<tapir_unwind_line> finish() {
        // Where one sequence ends and another one begins, the beginning counts.
        std::stable_sort(lines_.begin(), lines_.end(), [](const tapir_unwind_line &a, const tapir_unwind_line &b) {
            return a.place != b.place ? a.place < b.place : !a.line && b.line;
        });
        std::vector<tapir_unwind_line> distinct;
        for (const tapir_unwind_line &line : lines_) {
            if (!distinct.empty() && distinct.back().place == line.place) distinct.pop_back();
            if (distinct.empty() ? line.line != 0
                                 : distinct.back().line != line.line || distinct.back().file != line.file)
                distinct.push_back(line);
        }
        return distinct;
    }

  private:
    struct Row {
        uint64_t address;
        uint32_t line, name;
    };

    // 0: unknown.
    uint32_t name_of(const Unit &unit, uint64_t number) {
        const auto [at, is_new] = numbers_.try_emplace(number, 0);
        if (!is_new) return at->second;
        const std::string name = unit.file_name(number);
        if (name.empty() || names_.size() + name.size() >= std::numeric_limits<uint32_t>::max() / 2) return 0;
        const auto [known, is_first] = known_.try_emplace(name, static_cast<uint32_t>(names_.size()));
        if (is_first) names_.append(name.c_str(), name.size() + 1);
        return at->second = known->second;
    }

    void end_sequence() {
        if (lines_.size() + sequence_.size() > kMaxLines) sequence_.clear();
        if (sequence_.empty()) return;
        const Segment *segment = nullptr;
        // A linker writes 0 for code that it has thrown away.
        for (const Segment &candidate : file_.segments())
            if (candidate.executable && sequence_[0].address && sequence_[0].address >= candidate.address &&
                sequence_[0].address - candidate.address < candidate.bytes)
                segment = &candidate;
        for (const Row &row : sequence_) {
            if (!segment || row.address < segment->address || row.address - segment->address > segment->bytes) break;
            const uint64_t place = row.address - segment->address + segment->place;
            if (place <= std::numeric_limits<uint32_t>::max())
                lines_.push_back({static_cast<uint32_t>(place), row.line, row.name});
        }
        sequence_.clear();
    }

    const ElfFile &file_;
    std::string &names_;
    std::unordered_map<uint64_t, uint32_t> numbers_;  // names of the unit's files
    std::unordered_map<std::string, uint32_t> known_;
    std::vector<Row> sequence_;
    std::vector<tapir_unwind_line> lines_;
};

}  // namespace

std::vector<tapir_unwind_line> collect_lines(const ElfFile &file, const ElfFile &debug, std::string &names) {
    LineCollector collector(file, names);
    const Section *section = debug.section(".debug_line");
    Bytes in(section ? debug.content(*section) : std::string_view());
    while (!in.done()) {
        uint64_t length = in.u32();
        const bool wide = length == 0xffffffff;
        if (wide) length = in.u64();
        const std::string_view content = in.take(length);
        if (in.failed()) break;
        Unit unit(debug, Bytes(content), wide);
        if (unit.read_header()) collector.take(unit);
    }
    return collector.finish();
}

}  // namespace tapir::unwind
