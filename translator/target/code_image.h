// SPDX-License-Identifier: GPL-2.0-or-later
// The code of a program or library with the descriptions in its file: sections, call frame information, symbols,
// addresses that the dynamic linker fills in. Read once per object.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arch/decode/instruction.h"
#include "dwarf/object.h"
#include "unwind/cfi.h"

namespace tapir::target {

// "0x1234"
std::string hex_text(uint64_t address);

struct CodeSpan {
    uint64_t begin = 0, end = 0;
    bool contains(uint64_t address) const { return address >= begin && address < end; }
    uint64_t size() const { return end - begin; }
};

// Jumps and calls in the whole of the object's code, as far as symbols or call frame information show where code is.
struct CodeCrossings {
    // Target and place of jumps that leave the function they are in, sorted.
    std::vector<std::pair<uint64_t, uint64_t>> jumps;
    std::vector<uint64_t> called;  // targets, sorted
    bool whole = true;             // false: there is too much code to look at
};

// All addresses are linked ones. Not thread-safe. The object must outlive it.
class CodeImage {
  public:
    struct Section {
        CodeSpan span;
        std::span<const unsigned char> bytes;
        bool executable = false;
        bool linkage = false;  // a procedure linkage table
    };
    explicit CodeImage(const dwarf::Object &object);

    // nullptr: its code is not understood.
    const decode::Decoder *decoder() const { return decoder_; }
    const Section *section_at(uint64_t address) const;
    // From an address to the end of its section; empty where the file has nothing.
    std::span<const unsigned char> bytes_at(uint64_t address) const;
    std::optional<int32_t> read_offset(uint64_t address) const;
    // The address that a pointer holds when the object is loaded where it is linked.
    std::optional<uint64_t> read_pointer(uint64_t address) const;
    // The entry of the call frame information for an address; nullptr: none.
    const unwind::Fde *frame_entry(uint64_t address) const;
    // Those of code in a span.
    std::span<const unwind::Fde> frame_entries(CodeSpan span) const;
    // Is the stack at an address as functions find it when they are called? Nothing: not known.
    std::optional<bool> as_at_entry(uint64_t address) const;
    std::span<const dwarf::FunctionSymbol> symbols_at(uint64_t address) const;
    // The last symbol at or below an address whose code it belongs to; one without a size has all up to the next.
    const dwarf::FunctionSymbol *symbol_of(uint64_t address) const;
    // Does a function that has a name begin in a span?
    bool symbol_in(CodeSpan span) const;
    // Are functions that only their own file can call among the symbols?
    bool has_local_symbols() const { return local_symbols_; }
    const CodeCrossings &crossings() const;
    // "'f'", or "0x1234" where nothing has a name.
    std::string name_of(uint64_t address) const;

  private:
    void read_sections();
    void read_relocations() const;
    std::vector<uint64_t> borders() const;
    void sweep(CodeSpan span, const std::vector<uint64_t> &borders, CodeCrossings &out) const;

    const dwarf::Object &object_;
    const decode::Decoder *decoder_ = nullptr;
    std::vector<Section> sections_;  // by address
    std::unique_ptr<unwind::CfiSection> frames_;
    std::vector<unwind::Fde> entries_;  // by address
    bool local_symbols_ = false;
    mutable std::optional<std::unordered_map<uint64_t, uint64_t>> relocated_;
    mutable std::optional<std::unordered_map<uint64_t, std::string>> linkage_names_;
    mutable std::optional<CodeCrossings> crossings_;
};

}  // namespace tapir::target
