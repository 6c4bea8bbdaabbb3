// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/marks.h"

#include <gelf.h>

#include <cstring>

#include "arch/arch.h"
#include "arch/operand_text.h"
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

// Takes a NUL-terminated string off; false if `data` has no NUL.
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

TermPtr plus(TermPtr left, TermPtr right) {
    return ctypes::make_term(ctypes::TermOp::Add, std::move(left), std::move(right));
}

// "-4@", "8f@"
bool begins_sized(std::string_view text) {
    size_t at = text.starts_with('-') ? 1 : 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9')
        ++at;
    if (at < text.size() && text[at] == 'f') ++at;
    return at < text.size() && text[at] == '@';
}

class OperandParser {
  public:
    OperandParser(std::string_view arch, const dwarf::Object *symbols) : arch_(arch::find(arch)), symbols_(symbols) {}

    MarkArgument parse(const std::string_view whole) {
        std::string_view text = whole;
        MarkArgument argument;
        bool sized = false, floating = false, odd = false;
        if (begins_sized(text)) {
            const size_t at = text.find('@');
            std::string_view size = text.substr(0, at);
            if (!size.empty() && size.back() == 'f') {
                floating = true;
                size.remove_suffix(1);
            }
            const auto number = arch::whole_number(size);
            argument.is_signed = number && *number < 0 && !floating;
            const uint64_t bytes = !number ? 0 : static_cast<uint64_t>(*number < 0 ? -*number : *number);
            sized = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
            odd = !sized;
            if (sized) argument.bytes = static_cast<uint32_t>(bytes);
            text.remove_prefix(at + 1);
        }
        const std::string_view operand = arch::trimmed(text);
        const auto meaning = arch_ ? arch_->parse_operand(operand) : std::nullopt;
        const bool known = meaning && read(*meaning, argument, sized);
        if (!known)
            argument.place = ctypes::absent("its place '" + std::string(operand) + "' is not understood" +
                                            (floating ? ": floating-point registers are not saved at a probe" : ""));
        else if (odd)
            argument.place = ctypes::absent("its size in '" + std::string(whole) + "' is not 1, 2, 4 or 8 bytes");
        return argument;
    }

  private:
    static bool set(MarkArgument &argument, Place::Kind kind, TermPtr term) {
        argument.place.kind = kind;
        argument.place.term = std::move(term);
        return true;
    }

    static bool in_register(MarkArgument &argument, const arch::Register &reg, bool sized) {
        if (!sized) argument.bytes = reg.bytes;
        TermPtr value = ctypes::register_term(reg.number);
        if (!reg.shift) return set(argument, Place::Kind::Register, std::move(value));
        return set(argument, Place::Kind::Value,
                   ctypes::make_term(ctypes::TermOp::ShiftRight, std::move(value), ctypes::constant_term(reg.shift)));
    }

    // number + symbol; nothing when it is not known where the symbol is.
    std::optional<TermPtr> constant(const arch::Operand &operand) const {
        if (operand.symbol.empty()) return ctypes::constant_term(operand.number);
        const auto found = symbols_ ? symbols_->symbols().only_address_of(operand.symbol) : std::nullopt;
        if (!found) return std::nullopt;
        return ctypes::relocated_term(*found + static_cast<uint64_t>(operand.number));
    }

    static TermPtr index_of(const arch::Operand &operand) {
        using Extend = arch::Operand::Extend;
        TermPtr index = ctypes::register_term(operand.index->number);
        if (operand.extend_index == Extend::Zero)
            index = ctypes::make_term(ctypes::TermOp::And, std::move(index), ctypes::constant_term(0xffffffff));
        if (operand.extend_index == Extend::Sign)
            for (const auto op : {ctypes::TermOp::ShiftLeft, ctypes::TermOp::ShiftRightArithmetic})
                index = ctypes::make_term(op, std::move(index), ctypes::constant_term(32));
        if (operand.scale != 1)
            index = ctypes::make_term(ctypes::TermOp::Multiply, std::move(index), ctypes::constant_term(operand.scale));
        return index;
    }

    static TermPtr address(const arch::Operand &operand, TermPtr sum) {
        if (operand.base) sum = plus(ctypes::register_term(operand.base->number), std::move(sum));
        if (operand.index) sum = plus(index_of(operand), std::move(sum));
        if (operand.narrow)
            sum = ctypes::make_term(ctypes::TermOp::And, std::move(sum), ctypes::constant_term(0xffffffff));
        return operand.segment ? plus(ctypes::register_term(operand.segment->number), std::move(sum)) : sum;
    }

    bool read(const arch::Operand &operand, MarkArgument &argument, bool sized) const {
        if (operand.kind == arch::Operand::Kind::Register) return in_register(argument, *operand.base, sized);
        std::optional<TermPtr> sum = constant(operand);
        if (!sum) return false;
        if (operand.kind == arch::Operand::Kind::Memory)
            return set(argument, Place::Kind::Memory, address(operand, *std::move(sum)));
        return set(argument, Place::Kind::Value, *std::move(sum));
    }

    const arch::Arch *arch_;
    const dwarf::Object *symbols_;
};

// ---- scope

class MarkScope final : public NamedPlaceScope {
  public:
    MarkScope(const DebugObject &object, const Mark &mark, std::string_view arch)
        : NamedPlaceScope(object, mark.name), provider_(mark.provider) {
        if (object.index)
            place_ = make_scope(object, dwarf::innermost_site_at(*object.object, *object.index, mark.address));
        else
            place_ = make_program_scope(object);
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
    std::vector<Variable> listed() const override {
        std::vector<Variable> all = variables_;
        for (Variable &variable : place_->variables())
            if (!find_variable(variables_, variable.name)) all.push_back(std::move(variable));
        return all;
    }
    // Finds arguments, else variables visible where the mark is.
    std::optional<Variable> find(std::string_view name) const override {
        auto argument = find_variable(variables_, name);
        return argument ? std::move(argument) : place_->find(name);
    }
    std::optional<Variable> find_global(std::string_view name) const override { return place_->find_global(name); }
    std::optional<ctypes::Type> find_type(std::string_view name) const override { return place_->find_type(name); }
    ctypes::Place measure(const ctypes::Type &type) const override { return place_->measure(type); }
    std::string readable_at(std::string_view name) const override { return place_->readable_at(name); }
    std::string missing() const override { return place_->missing(); }
    std::optional<std::string> probe_provider() const override { return provider_; }

  private:
    std::unique_ptr<Scope> place_;
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

namespace {

// Where the first argument ends: at a blank, but within brackets and beside operators. Those with a size may have words
// in them, "4@DWORD PTR [rax]".
size_t argument_end(std::string_view text) {
    constexpr std::string_view kOperators = "+*/|&^~<>,:";
    const bool sized = begins_sized(text);
    int depth = 0;
    for (size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '[' || text[at] == '(') ++depth;
        if (text[at] == ']' || text[at] == ')') --depth;
        if (text[at] != ' ' || depth > 0) continue;
        const std::string_view next = arch::trimmed(text.substr(at));
        const bool operates =
            (at > 0 && (text[at - 1] == '-' || kOperators.find(text[at - 1]) != std::string_view::npos)) ||
            (!next.empty() && kOperators.find(next[0]) != std::string_view::npos) || next.starts_with("- ");
        const bool begins = !next.empty() && (next[0] == '$' || next[0] == '%');
        if (sized ? begins_sized(next) || (begins && !operates) : !operates) return at;
    }
    return text.size();
}

}  // namespace

std::vector<MarkArgument> parse_mark_arguments(std::string_view text, std::string_view arch,
                                               const dwarf::Object *symbols) {
    std::vector<MarkArgument> arguments;
    OperandParser parser(arch, symbols);
    text = arch::trimmed(text);
    while (!text.empty()) {
        const size_t end = argument_end(text);
        arguments.push_back(parser.parse(text.substr(0, end)));
        text = arch::trimmed(text.substr(end));
    }
    return arguments;
}

std::unique_ptr<Scope> make_mark_scope(const DebugObject &object, const Mark &mark, std::string_view arch) {
    return std::make_unique<MarkScope>(object, mark, arch);
}

}  // namespace tapir::target
