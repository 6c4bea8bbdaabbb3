// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/marks.h"

#include <gelf.h>

#include <array>
#include <charconv>
#include <cstring>

#include "target/elf_sections.h"
#include "target/integers.h"
#include "target/named_place.h"

namespace tapir::target {

namespace {

using ctypes::Place;
using ctypes::TermPtr;

constexpr GElf_Word kNoteType = 3;
constexpr std::string_view kNoteName = "stapsdt";

uint64_t address_at(const char *data, size_t width) {
    if (width == 4) {
        uint32_t value;
        memcpy(&value, data, sizeof value);
        return value;
    }
    uint64_t value;
    memcpy(&value, data, sizeof value);
    return value;
}

// Takes a NUL-terminated string off; false when there is none.
bool take_string(std::string_view &data, std::string &out) {
    const size_t end = data.find('\0');
    if (end == std::string_view::npos) return false;
    out = std::string(data.substr(0, end));
    data.remove_prefix(end + 1);
    return true;
}

std::optional<Mark> read_mark(std::string_view content, size_t width, uint64_t base) {
    if (content.size() < 3 * width) return std::nullopt;
    Mark mark;
    // Prelink moves the section's address but not the notes.
    const uint64_t noted_base = address_at(content.data() + width, width);
    const uint64_t moved = base && noted_base ? base - noted_base : 0;
    mark.address = address_at(content.data(), width) + moved;
    mark.semaphore = address_at(content.data() + 2 * width, width);
    if (mark.semaphore) mark.semaphore += moved;
    content.remove_prefix(3 * width);
    if (!take_string(content, mark.provider) || !take_string(content, mark.name)) return std::nullopt;
    take_string(content, mark.arguments);
    return mark;
}

// ---- operands

struct RegisterName {
    const char *name;
    uint8_t number;  // DWARF
    uint8_t bytes;
    uint8_t shift = 0;
};

// System V ABI, AMD64 supplement, figure 3.36.
constexpr RegisterName kX86Registers[] = {
    {"rax", 0, 8},   {"eax", 0, 4},   {"ax", 0, 2},    {"al", 0, 1},    {"ah", 0, 1, 8}, {"rdx", 1, 8},
    {"edx", 1, 4},   {"dx", 1, 2},    {"dl", 1, 1},    {"dh", 1, 1, 8}, {"rcx", 2, 8},   {"ecx", 2, 4},
    {"cx", 2, 2},    {"cl", 2, 1},    {"ch", 2, 1, 8}, {"rbx", 3, 8},   {"ebx", 3, 4},   {"bx", 3, 2},
    {"bl", 3, 1},    {"bh", 3, 1, 8}, {"rsi", 4, 8},   {"esi", 4, 4},   {"si", 4, 2},    {"sil", 4, 1},
    {"rdi", 5, 8},   {"edi", 5, 4},   {"di", 5, 2},    {"dil", 5, 1},   {"rbp", 6, 8},   {"ebp", 6, 4},
    {"bp", 6, 2},    {"bpl", 6, 1},   {"rsp", 7, 8},   {"esp", 7, 4},   {"sp", 7, 2},    {"spl", 7, 1},
    {"r8", 8, 8},    {"r8d", 8, 4},   {"r8w", 8, 2},   {"r8b", 8, 1},   {"r9", 9, 8},    {"r9d", 9, 4},
    {"r9w", 9, 2},   {"r9b", 9, 1},   {"r10", 10, 8},  {"r10d", 10, 4}, {"r10w", 10, 2}, {"r10b", 10, 1},
    {"r11", 11, 8},  {"r11d", 11, 4}, {"r11w", 11, 2}, {"r11b", 11, 1}, {"r12", 12, 8},  {"r12d", 12, 4},
    {"r12w", 12, 2}, {"r12b", 12, 1}, {"r13", 13, 8},  {"r13d", 13, 4}, {"r13w", 13, 2}, {"r13b", 13, 1},
    {"r14", 14, 8},  {"r14d", 14, 4}, {"r14w", 14, 2}, {"r14b", 14, 1}, {"r15", 15, 8},  {"r15d", 15, 4},
    {"r15w", 15, 2}, {"r15b", 15, 1}, {"rip", 16, 8},
};

const RegisterName *x86_register(std::string_view name) {
    for (const RegisterName &reg : kX86Registers)
        if (name == reg.name) return &reg;
    return nullptr;
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

// "12", "-0x10", "+4"; all of the text.
std::optional<int64_t> whole_number(std::string_view text) {
    bool negative = false;
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        negative = text.front() == '-';
        text.remove_prefix(1);
    }
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        base = 16;
        text.remove_prefix(2);
    }
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return static_cast<int64_t>(negative ? 0 - value : value);
}

TermPtr plus(TermPtr left, TermPtr right) {
    return ctypes::make_term(ctypes::TermOp::Add, std::move(left), std::move(right));
}

class OperandParser {
  public:
    OperandParser(std::string_view arch, const dwarf::Object *symbols) : arch_(arch), symbols_(symbols) {}

    MarkArgument parse(std::string_view text) {
        MarkArgument argument;
        bool sized = false, floating = false;
        if (const size_t at = text.find('@'); at != std::string_view::npos) {
            std::string_view size = text.substr(0, at);
            if (!size.empty() && size.back() == 'f') {
                floating = true;
                size.remove_suffix(1);
            }
            const int64_t number = whole_number(size).value_or(0);
            argument.is_signed = number < 0 && !floating;
            const uint64_t bytes = static_cast<uint64_t>(number < 0 ? -number : number);
            if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) {
                argument.bytes = static_cast<uint32_t>(bytes);
                sized = true;
            }
            text.remove_prefix(at + 1);
        }
        const std::string_view operand = trim(text);
        const bool arm = arch_ == "aarch64" || arch_ == "arm64";
        const bool known = arm ? arm_operand(operand, argument, sized) : x86_operand(operand, argument, sized);
        if (!known)
            argument.place = ctypes::absent("its place '" + std::string(operand) + "' is not understood" +
                                            (floating ? ": floating-point registers are not saved at a probe" : ""));
        return argument;
    }

  private:
    static bool set(MarkArgument &argument, Place::Kind kind, TermPtr term) {
        argument.place.kind = kind;
        argument.place.term = std::move(term);
        return true;
    }

    static bool in_register(MarkArgument &argument, const RegisterName &reg, bool sized) {
        if (!sized) argument.bytes = reg.bytes;
        TermPtr value = ctypes::register_term(reg.number);
        if (!reg.shift) return set(argument, Place::Kind::Register, std::move(value));
        return set(argument, Place::Kind::Value,
                   ctypes::make_term(ctypes::TermOp::ShiftRight, std::move(value), ctypes::constant_term(reg.shift)));
    }

    // "$5", "%rdi", "-4(%rbp)", "8(%rax,%rcx,4)", "symbol+8(%rip)"
    bool x86_operand(std::string_view text, MarkArgument &argument, bool sized) {
        if (text.starts_with('$')) {
            const auto value = whole_number(text.substr(1));
            return value && set(argument, Place::Kind::Value, ctypes::constant_term(*value));
        }
        if (text.starts_with('%')) {
            const RegisterName *reg = x86_register(text.substr(1));
            return reg && in_register(argument, *reg, sized);
        }
        const size_t open = text.find('(');
        if (open == std::string_view::npos || text.back() != ')') return false;
        TermPtr address = displacement(text.substr(0, open), text.substr(open));
        if (!address) return false;
        std::string_view inside = text.substr(open + 1, text.size() - open - 2);
        if (trim(inside) != "%rip" && !add_registers(inside, address)) return false;
        return set(argument, Place::Kind::Memory, std::move(address));
    }

    // "%base", "%base,%index", "%base,%index,scale", ",%index,scale"
    static bool add_registers(std::string_view text, TermPtr &address) {
        std::array<std::string_view, 3> parts;
        size_t count = 0;
        while (count < parts.size()) {
            const size_t comma = text.find(',');
            parts[count++] = trim(text.substr(0, comma));
            if (comma == std::string_view::npos) break;
            text.remove_prefix(comma + 1);
        }
        for (size_t i = 0; i < 2 && i < count; ++i) {
            if (parts[i].empty()) continue;
            const RegisterName *reg = parts[i].front() == '%' ? x86_register(parts[i].substr(1)) : nullptr;
            if (!reg || reg->bytes != 8) return false;
            TermPtr value = ctypes::register_term(reg->number);
            const int64_t scale = i == 1 && count == 3 ? whole_number(parts[2]).value_or(0) : 1;
            if (scale != 1 && scale != 2 && scale != 4 && scale != 8) return false;
            if (scale != 1)
                value = ctypes::make_term(ctypes::TermOp::Multiply, std::move(value), ctypes::constant_term(scale));
            address = plus(std::move(value), std::move(address));
        }
        return true;
    }

    // What stands before the parentheses; with "(%rip)" it has to be a symbol, whose address it then is.
    TermPtr displacement(std::string_view text, std::string_view registers) const {
        text = trim(text);
        const bool relative = trim(registers) == "(%rip)";
        if (text.empty()) return relative ? nullptr : ctypes::constant_term(0);
        if (const auto number = whole_number(text)) return relative ? nullptr : ctypes::constant_term(*number);
        // "symbol", "symbol+8", "8+symbol"
        int64_t offset = 0;
        std::string_view name = text;
        if (const size_t sign = text.find_first_of("+-", 1); sign != std::string_view::npos) {
            const auto after = whole_number(text.substr(sign));
            const auto before = whole_number(text.substr(0, sign));
            if (after) {
                offset = *after;
                name = text.substr(0, sign);
            } else if (before && text[sign] == '+') {
                offset = *before;
                name = text.substr(sign + 1);
            }
        }
        const auto found = symbols_ ? symbols_->symbol_address(name) : std::nullopt;
        if (!found || !relative) return nullptr;
        return ctypes::relocated_term(*found + static_cast<uint64_t>(offset));
    }

    // "5", "x0", "w1", "[sp, 16]", "[x0]"
    static bool arm_operand(std::string_view text, MarkArgument &argument, bool sized) {
        if (const auto value = whole_number(text))
            return set(argument, Place::Kind::Value, ctypes::constant_term(*value));
        if (const auto reg = arm_register(text)) return in_register(argument, *reg, sized);
        if (text.size() < 3 || text.front() != '[' || text.back() != ']') return false;
        text = text.substr(1, text.size() - 2);
        const size_t comma = text.find(',');
        const auto base = arm_register(trim(text.substr(0, comma)));
        if (!base || base->bytes != 8) return false;
        int64_t offset = 0;
        if (comma != std::string_view::npos) {
            const auto number = whole_number(trim(text.substr(comma + 1)));
            if (!number) return false;
            offset = *number;
        }
        return set(argument, Place::Kind::Memory,
                   plus(ctypes::register_term(base->number), ctypes::constant_term(offset)));
    }

    static std::optional<RegisterName> arm_register(std::string_view text) {
        if (text == "sp") return RegisterName{"sp", 31, 8};
        if (text.size() < 2 || (text[0] != 'x' && text[0] != 'w')) return std::nullopt;
        const auto number = whole_number(text.substr(1));
        if (!number || *number < 0 || *number > 30) return std::nullopt;
        return RegisterName{"", static_cast<uint8_t>(*number), static_cast<uint8_t>(text[0] == 'x' ? 8 : 4)};
    }

    std::string_view arch_;
    const dwarf::Object *symbols_;
};

// ---- scope

class MarkScope final : public NamedPlaceScope {
  public:
    MarkScope(const DebugObject &object, const Mark &mark, std::string_view arch)
        : NamedPlaceScope(object, mark.name), provider_(mark.provider) {
        for (MarkArgument &argument : parse_mark_arguments(mark.arguments, arch, object.object.get())) {
            Variable variable;
            variable.name = "arg" + std::to_string(variables_.size() + 1);
            variable.type = {&Integers::all(), Integers::id(argument.bytes, argument.is_signed)};
            variable.place = std::move(argument.place);
            variable.parameter = true;
            variables_.push_back(std::move(variable));
        }
    }

    std::vector<Variable> variables() const override { return variables_; }
    std::optional<Variable> find(std::string_view name) const override { return find_variable(variables_, name); }
    std::optional<std::string> probe_provider() const override { return provider_; }

  private:
    std::string provider_;
    std::vector<Variable> variables_;
};

}  // namespace

std::vector<Mark> read_marks(const dwarf::Object &program) {
    std::vector<Mark> marks;
    Elf *elf = elf_of(program);
    size_t names = 0;
    if (!elf || elf_getshdrstrndx(elf, &names) != 0) return marks;
    const size_t width = gelf_getclass(elf) == ELFCLASS32 ? 4 : 8;
    uint64_t base = 0;
    Elf_Scn *notes = nullptr;
    for_each_section(elf, [&](Elf_Scn *section, const GElf_Shdr &header) {
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (name && std::string_view(name) == ".stapsdt.base") base = header.sh_addr;
        if (name && std::string_view(name) == ".note.stapsdt" && header.sh_type == SHT_NOTE) notes = section;
    });
    Elf_Data *data = notes ? elf_getdata(notes, nullptr) : nullptr;
    if (!data || !data->d_buf) return marks;
    const char *bytes = static_cast<const char *>(data->d_buf);
    GElf_Nhdr header;
    size_t name_at = 0, content_at = 0;
    for (size_t at = 0; (at = gelf_getnote(data, at, &header, &name_at, &content_at)) > 0;) {
        const std::string_view owner(bytes + name_at, header.n_namesz ? header.n_namesz - 1 : 0);
        if (header.n_type != kNoteType || owner != kNoteName) continue;
        if (auto mark = read_mark({bytes + content_at, header.n_descsz}, width, base))
            marks.push_back(*std::move(mark));
    }
    return marks;
}

std::vector<MarkArgument> parse_mark_arguments(std::string_view text, std::string_view arch,
                                               const dwarf::Object *symbols) {
    std::vector<MarkArgument> arguments;
    OperandParser parser(arch, symbols);
    text = trim(text);
    while (!text.empty()) {
        size_t end = 0;
        int depth = 0;
        for (; end < text.size() && (depth > 0 || text[end] != ' '); ++end) {
            if (text[end] == '[' || text[end] == '(') ++depth;
            if (text[end] == ']' || text[end] == ')') --depth;
        }
        arguments.push_back(parser.parse(text.substr(0, end)));
        text = trim(text.substr(end));
    }
    return arguments;
}

std::unique_ptr<Scope> make_mark_scope(const DebugObject &object, const Mark &mark, std::string_view arch) {
    return std::make_unique<MarkScope>(object, mark, arch);
}

}  // namespace tapir::target
