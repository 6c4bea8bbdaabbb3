// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/python_builtins.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include "arch/arch.h"
#include "unwind/bytes.h"
#include "unwind/cfi.h"

namespace tapir::unwind {

namespace {

constexpr size_t kMostPointers = 1 << 22;
constexpr size_t kMostEntries = 1 << 18;  // of all tables
constexpr size_t kMostName = 128;

// Where members are, which is the same in all versions of Python 3.
constexpr uint64_t kEntry = 32, kEntryCode = 8, kEntryFlags = 16;  // PyMethodDef
constexpr uint64_t kModuleName = 40, kModuleMethods = 64;          // PyModuleDef
constexpr uint64_t kTypeName = 24, kTypeSize = 32, kTypeMethods = 232;
constexpr uint64_t kSpecSlots = 24;
constexpr uint64_t kSlotMethods = 64, kMostSlot = 90;

struct Slot {
    uint64_t number;  // of PyType_Slot
    uint64_t place;   // in a PyTypeObject
    std::string_view name;
};
constexpr Slot kSlots[] = {{50, 128, "__call__"}, {59, 120, "__hash__"}, {60, 296, "__init__"}, {62, 216, "__iter__"},
                           {63, 224, "__next__"}, {65, 312, "__new__"},  {66, 88, "__repr__"},  {70, 136, "__str__"}};

// They only call others, which are shown themselves.
constexpr std::string_view kCallers[] = {"type",
                                         "function",
                                         "method",
                                         "instancemethod",
                                         "builtin_function_or_method",
                                         "method_descriptor",
                                         "classmethod_descriptor",
                                         "wrapper_descriptor",
                                         "method-wrapper"};

bool is_name(std::string_view text, std::string_view others) {
    return !text.empty() && text.size() <= kMostName && std::all_of(text.begin(), text.end(), [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               others.find(c) != std::string_view::npos;
    });
}

std::string_view last_part(std::string_view dotted) {
    return dotted.substr(dotted.rfind('.') + 1);
}

class Finder {
  public:
    explicit Finder(Image &image) : image_(image) {}

    std::vector<Builtin> find() {
        if (!file_.parse(image_).empty()) return {};
        machine_ = arch::linkage_table(file_.machine());
        if (!machine_ || !is_python()) return {};
        read_functions();
        read_pointers();
        for (const auto &[at, target] : pointers_) {
            module_at(at, target);
            type_at(at, target);
            spec_at(at, target);
        }
        return result();
    }

  private:
    // The interpreter itself, or a module for it.
    bool is_python() {
        const Section *symbols = file_.section(".dynsym"), *strings = file_.section(".dynstr");
        if (!symbols || !strings) return false;
        const std::string_view names = file_.content(*strings);
        Bytes in(file_.content(*symbols));
        while (in.size() - in.at() >= sizeof(Elf64_Sym)) {
            const Elf64_Sym symbol = in.fixed<Elf64_Sym>();
            symbols_.push_back(symbol.st_shndx == SHN_UNDEF ? 0 : symbol.st_value);
            if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= names.size()) continue;
            const std::string_view name = names.substr(symbol.st_name, kMostName);
            is_python_ |= name.starts_with("PyInit_") || name.starts_with(std::string_view("_PyRuntime\0", 11));
        }
        return is_python_;
    }

    void read_functions() {
        uint64_t address = 0;
        std::string_view content = file_.eh_frame_by_segment(address);
        if (const Section *section = file_.section(".eh_frame"); section && content.empty()) {
            content = file_.content(*section);
            address = section->address;
        }
        CfiSection frames(content, address, true, file_.machine());
        for (const Fde &fde : frames.read())
            if (fde.end > fde.start) functions_.emplace(fde.start, fde.end);
    }

    void read_pointers() {
        Elf64_Half type = 0;
        const std::string_view head = image_.part(offsetof(Elf64_Ehdr, e_type), sizeof type);
        if (head.size() == sizeof type) memcpy(&type, head.data(), sizeof type);
        bool in_place = type == ET_EXEC;
        for (const Section &section : file_.sections()) {
            in_place |= section.type == 19;  // SHT_RELR
            if (section.type == SHT_RELA && (section.flags & SHF_ALLOC)) relocations(file_.content(section));
        }
        for (const Segment &segment : file_.segments())
            if (in_place && !segment.executable) words(segment.address, file_.content_at(segment.address));
        std::sort(pointers_.begin(), pointers_.end());
        pointers_.erase(std::unique(pointers_.begin(), pointers_.end(),
                                    [](const auto &a, const auto &b) { return a.first == b.first; }),
                        pointers_.end());
    }

    // Most relocations with a symbol add its address and the addend. The others lead to nothing that looks like a
    // table.
    void relocations(std::string_view content) {
        Bytes in(content);
        while (in.size() - in.at() >= sizeof(Elf64_Rela) && pointers_.size() < kMostPointers) {
            const Elf64_Rela one = in.fixed<Elf64_Rela>();
            const uint64_t symbol = ELF64_R_SYM(one.r_info);
            if (ELF64_R_TYPE(one.r_info) == machine_->relative_relocation)
                pointers_.emplace_back(one.r_offset, one.r_addend);
            else if (symbol < symbols_.size() && symbols_[symbol])
                pointers_.emplace_back(one.r_offset, symbols_[symbol] + static_cast<uint64_t>(one.r_addend));
        }
    }

    // Takes words that are addresses of loaded parts.
    void words(uint64_t address, std::string_view content) {
        const auto is_loaded = [&](uint64_t word) {
            return std::any_of(file_.segments().begin(), file_.segments().end(), [&](const Segment &segment) {
                return word >= segment.address && word - segment.address < segment.memory_bytes;
            });
        };
        Bytes in(content);
        for (; in.size() - in.at() >= 8 && pointers_.size() < kMostPointers; address += 8)
            if (const uint64_t word = in.u64(); word && is_loaded(word)) pointers_.emplace_back(address, word);
    }

    // Returns the pointer at an address, or 0.
    uint64_t pointer(uint64_t at) const {
        const auto found = std::lower_bound(pointers_.begin(), pointers_.end(), std::pair<uint64_t, uint64_t>(at, 0));
        return found != pointers_.end() && found->first == at ? found->second : 0;
    }

    uint64_t word(uint64_t at) const {
        Bytes in(file_.content_at(at));
        return in.u64();
    }

    std::string_view text(uint64_t at) const {
        const std::string_view content = at ? file_.content_at(at).substr(0, kMostName + 1) : std::string_view();
        const size_t end = content.find('\0');
        return end == std::string_view::npos ? std::string_view() : content.substr(0, end);
    }

    // Names the function, unless it has a name already.
    void enter(uint64_t code, std::string_view owner, std::string_view name) {
        if (functions_.contains(code))
            names_.try_emplace(code, (owner.empty() ? "" : std::string(owner) + ".") + std::string(name));
    }

    // A function that several types share gets no name from them.
    void enter_slot(uint64_t code, std::string_view owner, std::string_view name) {
        const bool calls =
            name == "__call__" && std::find(std::begin(kCallers), std::end(kCallers), owner) != std::end(kCallers);
        if (!functions_.contains(code) || calls) return;
        const auto [at, fresh] = slots_.try_emplace(code, std::string(owner) + "." + std::string(name));
        if (!fresh && at->second != std::string(owner) + "." + std::string(name)) at->second.clear();
    }

    bool methods(uint64_t table, std::string_view owner) {
        bool any = false;
        for (uint64_t at = table; entries_ < kMostEntries; at += kEntry, any = true) {
            const uint64_t flags = word(at + kEntryFlags), code = pointer(at + kEntryCode);
            const std::string_view name = text(pointer(at));
            if (!is_name(name, "") || !flags || flags > 0xffff || !functions_.contains(code)) break;
            entries_++;
            enter(code, owner, name);
        }
        return any;
    }

    bool is_table(uint64_t at) const {
        return functions_.contains(pointer(at + kEntryCode)) && is_name(text(pointer(at)), "");
    }

    // A variable that is an object begins with how often it is referred to: once, or always.
    bool is_object(uint64_t at) const {
        const uint64_t references = word(at);
        return !pointer(at) && (references == 1 || (references >= 0x3fffffff && references <= 0xffffffff));
    }

    // `at` may be the member of a module that leads to its functions.
    void module_at(uint64_t at, uint64_t table) {
        if (at < kModuleMethods || !is_table(table) || !is_object(at - kModuleMethods)) return;
        const std::string_view name = text(pointer(at - kModuleMethods + kModuleName));
        if (is_name(name, ".")) methods(table, name == "builtins" ? std::string_view() : last_part(name));
    }

    // Likewise of a type; `at` is that of its name, so that types without methods count.
    void type_at(uint64_t at, uint64_t target) {
        if (at < kTypeName) return;
        const uint64_t type = at - kTypeName, table = pointer(type + kTypeMethods), size = word(type + kTypeSize);
        if (!is_object(type) || word(type + 16) || size < 16 || size > 1 << 20 || (table && !is_table(table))) return;
        const std::string_view name = text(target);
        if (!is_name(name, ".-")) return;
        if (table) methods(table, last_part(name));
        for (const Slot &slot : kSlots)
            enter_slot(pointer(type + slot.place), last_part(name), slot.name);
    }

    // `at` may be the member of a specification of a type that leads to its slots.
    void spec_at(uint64_t at, uint64_t slots) {
        const uint64_t first = word(slots);
        if (at < kSpecSlots || !first || first > kMostSlot || !pointer(slots + 8)) return;
        const std::string_view name = text(pointer(at - kSpecSlots));
        if (!is_name(name, ".-")) return;
        for (; entries_ < kMostEntries; slots += 16, entries_++) {
            const uint64_t number = word(slots), code = pointer(slots + 8);
            if (!number || number > kMostSlot) return;
            if (number == kSlotMethods) methods(code, last_part(name));
            for (const Slot &slot : kSlots)
                if (slot.number == number) enter_slot(code, last_part(name), slot.name);
        }
    }

    std::vector<Builtin> result() const {
        std::map<uint64_t, std::string> all = names_;
        for (const auto &[code, name] : slots_)
            if (!name.empty()) all.emplace(code, name);
        std::vector<Builtin> out;
        for (const auto &[code, name] : all)
            if (const std::optional<uint64_t> place = file_.place_of(code))
                out.push_back({*place, *place + (functions_.at(code) - code), name});
        std::sort(out.begin(), out.end(), [](const Builtin &a, const Builtin &b) { return a.start < b.start; });
        return out;
    }

    Image &image_;
    ElfFile file_;
    const arch::LinkageTable *machine_ = nullptr;
    bool is_python_ = false;
    std::vector<uint64_t> symbols_;  // values; 0: elsewhere
    std::unordered_map<uint64_t, uint64_t> functions_;
    std::vector<std::pair<uint64_t, uint64_t>> pointers_;
    std::map<uint64_t, std::string> names_, slots_;
    size_t entries_ = 0;
};

}  // namespace

std::vector<Builtin> python_builtins(Image &image) {
    return Finder(image).find();
}

}  // namespace tapir::unwind
