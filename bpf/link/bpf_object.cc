// SPDX-License-Identifier: GPL-2.0-or-later
#include "bpf/link/bpf_object.h"

#include <elf.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <sstream>

#include "common/descriptor.h"
#include "common/regular_file.h"

namespace tapir::bpf {

namespace {

// Relocations of LLVM's BPF back end: Documentation/bpf/llvm_reloc.rst in the kernel.
constexpr unsigned kEmBpf = 247, kRelocationWide = 1, kRelocationWord = 2, kRelocationCall = 10;
constexpr char kFunctionsSection[] = ".tapir.functions", kStacksSection[] = ".stack_sizes";

struct Shape {
    unsigned registers, framed, argument_bytes, frame_bytes, returns;
};

class Reader {
  public:
    Reader(Elf *elf, Object &out) : elf_(elf), out_(out) {}

    bool run(std::string &error) {
        if (!read_sections() || !read_shapes() || !read_symbols() || !read_references() || !read_stacks()) {
            error = error_;
            return false;
        }
        return true;
    }

  private:
    struct Raw {
        GElf_Shdr header;
        std::string name;
        Elf_Data *content;
        int data = -1;  // its number in out_.data
    };

    bool fail(const std::string &text) {
        error_ = text;
        return false;
    }

    bool read_sections() {
        GElf_Ehdr header;
        if (!gelf_getehdr(elf_, &header) || header.e_machine != kEmBpf) return fail("it is no object file for BPF");
        size_t names = 0;
        if (elf_getshdrstrndx(elf_, &names)) return fail(elf_errmsg(-1));
        raw_.emplace_back();
        for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf_, section));) {
            Raw &raw = raw_.emplace_back();
            if (!gelf_getshdr(section, &raw.header)) return fail(elf_errmsg(-1));
            const char *name = elf_strptr(elf_, names, raw.header.sh_name);
            raw.name = name ? name : "";
            raw.content = elf_getdata(section, nullptr);
            if (!is_data(raw)) continue;
            raw.data = static_cast<int>(out_.data.size());
            Section &data = out_.data.emplace_back();
            data.align = std::max<uint64_t>(raw.header.sh_addralign, 1);
            data.bytes = raw.header.sh_type == SHT_NOBITS ? std::string(raw.header.sh_size, '\0') : text_of(raw);
        }
        return true;
    }

    static bool is_data(const Raw &raw) {
        return (raw.header.sh_flags & SHF_ALLOC) && !(raw.header.sh_flags & SHF_EXECINSTR) &&
               raw.name != kFunctionsSection && raw.name != ".eh_frame" &&
               (raw.header.sh_type == SHT_PROGBITS || raw.header.sh_type == SHT_NOBITS);
    }

    static std::string text_of(const Raw &raw) {
        return raw.content && raw.content->d_buf
                   ? std::string(static_cast<const char *>(raw.content->d_buf), raw.content->d_size)
                   : "";
    }

    bool read_shapes() {
        for (const Raw &raw : raw_) {
            if (raw.name != kFunctionsSection) continue;
            std::istringstream in(text_of(raw));
            std::string name;
            Shape s{};
            while (in >> name >> s.registers >> s.framed >> s.argument_bytes >> s.frame_bytes >> s.returns)
                shapes_[name] = s;
        }
        return true;
    }

    const Raw *section(size_t number) const { return number < raw_.size() ? &raw_[number] : nullptr; }

    bool read_symbols() {
        for (const Raw &raw : raw_) {
            if (raw.header.sh_type != SHT_SYMTAB) continue;
            names_ = raw.header.sh_link;
            symbols_ = raw.content;
        }
        if (!symbols_) return fail("it has no symbols");
        for (int i = 0; i < static_cast<int>(symbols_->d_size / sizeof(Elf64_Sym)); i++) {
            GElf_Sym symbol;
            if (!gelf_getsym(symbols_, i, &symbol)) return fail(elf_errmsg(-1));
            const Raw *in = section(symbol.st_shndx);
            std::string name = name_of(symbol);
            if (!in || symbol.st_shndx == SHN_UNDEF || name.empty()) continue;
            if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC) {
                if (!read_function(*in, symbol, name)) return false;
            } else if (in->data >= 0) {
                out_.symbols[name] = {in->data, symbol.st_value};
            }
        }
        return true;
    }

    std::string name_of(const GElf_Sym &symbol) const {
        const char *name = elf_strptr(elf_, names_, symbol.st_name);
        return name ? name : "";
    }

    bool read_function(const Raw &in, const GElf_Sym &symbol, const std::string &name) {
        auto shape = shapes_.find(name);
        std::string text = text_of(in);
        if (shape == shapes_.end())
            return fail("its list of functions lacks " + name + "(): tapir-bpf-compile did not make it");
        if (symbol.st_value % sizeof(Instruction) || symbol.st_size % sizeof(Instruction) ||
            symbol.st_value + symbol.st_size > text.size())
            return fail(name + " is not where its section is");
        Function &function = out_.functions.emplace_back();
        function.name = name;
        function.registers = shape->second.registers;
        function.framed = shape->second.framed != 0;
        function.frame_bytes = shape->second.frame_bytes;
        function.returns = shape->second.returns != 0;
        function.code.resize(symbol.st_size / sizeof(Instruction));
        std::memcpy(function.code.data(), text.data() + symbol.st_value, symbol.st_size);
        places_[{symbol.st_shndx, symbol.st_value}] = out_.functions.size() - 1;
        return true;
    }

    bool read_references() {
        for (const Raw &raw : raw_) {
            const Raw *to = raw.header.sh_type == SHT_REL ? section(raw.header.sh_info) : nullptr;
            if (!to || (to->data < 0 && !(to->header.sh_flags & SHF_EXECINSTR))) continue;
            for (int i = 0; i < static_cast<int>(raw.header.sh_size / sizeof(Elf64_Rel)); i++) {
                GElf_Rel relocation;
                GElf_Sym symbol;
                if (!gelf_getrel(raw.content, i, &relocation) ||
                    !gelf_getsym(symbols_, static_cast<int>(GELF_R_SYM(relocation.r_info)), &symbol))
                    return fail(elf_errmsg(-1));
                bool ok = to->data >= 0 ? add_to_data(out_.data[static_cast<size_t>(to->data)], relocation, symbol)
                                        : add_to_code(raw.header.sh_info, relocation, symbol);
                if (!ok) return false;
            }
        }
        for (Function &function : out_.functions)
            std::ranges::sort(function.references, {}, &Reference::at);
        return true;
    }

    Reference reference_to(const GElf_Sym &symbol) const {
        Reference out;
        const Raw *in = section(symbol.st_shndx);
        if (GELF_ST_TYPE(symbol.st_info) == STT_SECTION && in && in->data >= 0) {
            out.section = in->data;
        } else {
            out.symbol = name_of(symbol);
        }
        return out;
    }

    bool add_to_data(Section &data, const GElf_Rel &relocation, const GElf_Sym &symbol) {
        if (GELF_R_TYPE(relocation.r_info) != kRelocationWord)
            return fail("data has a relocation of another kind than a word");
        if (relocation.r_offset + 8 > data.bytes.size()) return fail("a relocation lies outside of its section");
        Reference reference = reference_to(symbol);
        reference.at = relocation.r_offset;
        std::memcpy(&reference.addend, data.bytes.data() + relocation.r_offset, 8);
        data.references.push_back(reference);
        return true;
    }

    bool add_to_code(size_t section_number, const GElf_Rel &relocation, const GElf_Sym &symbol) {
        auto found = places_.upper_bound({section_number, relocation.r_offset});
        if (found == places_.begin() || (--found)->first.first != section_number)
            return fail("a relocation lies outside of functions");
        Function &function = out_.functions[found->second];
        uint64_t at = (relocation.r_offset - found->first.second) / sizeof(Instruction);
        if (at >= function.code.size()) return fail("a relocation lies outside of functions");
        Reference reference = reference_to(symbol);
        reference.at = at;
        unsigned type = GELF_R_TYPE(relocation.r_info);
        if (type == kRelocationWide) {
            reference.addend = function.code[at].immediate;
        } else if (type != kRelocationCall) {
            return fail("code of " + function.name + " has a relocation of an unknown kind");
        }
        function.references.push_back(reference);
        return true;
    }

    // ULEB128 behind each function's address; the addresses are relocations, in the same order.
    bool read_stacks() {
        for (const Raw &raw : raw_) {
            const Raw *of = raw.header.sh_type == SHT_REL ? section(raw.header.sh_info) : nullptr;
            if (!of || of->name != kStacksSection) continue;
            for (int i = 0; i < static_cast<int>(raw.header.sh_size / sizeof(Elf64_Rel)); i++) {
                GElf_Rel relocation;
                GElf_Sym symbol;
                if (!gelf_getrel(raw.content, i, &relocation) ||
                    !gelf_getsym(symbols_, static_cast<int>(GELF_R_SYM(relocation.r_info)), &symbol))
                    return fail(elf_errmsg(-1));
                const auto *bytes = static_cast<const unsigned char *>(of->content->d_buf);
                uint64_t value = 0, at = 0;
                std::memcpy(&value, bytes + relocation.r_offset, 8);
                at = GELF_ST_TYPE(symbol.st_info) == STT_SECTION ? value : symbol.st_value;
                unsigned size = 0;
                for (uint64_t k = relocation.r_offset + 8, shift = 0; k < of->content->d_size; k++, shift += 7) {
                    size |= (bytes[k] & 127u) << shift;
                    if (!(bytes[k] & 128)) break;
                }
                if (auto found = places_.find({symbol.st_shndx, at}); found != places_.end())
                    out_.functions[found->second].stack_bytes = size;
            }
        }
        return true;
    }

    Elf *elf_;
    Object &out_;
    std::string error_;
    std::vector<Raw> raw_;
    std::map<std::string, Shape> shapes_;
    Elf_Data *symbols_ = nullptr;
    size_t names_ = 0;
    std::map<std::pair<size_t, uint64_t>, size_t> places_;  // section and offset of a function: its number
};

}  // namespace

bool read_object(const std::string &path, Object &out, std::string &error) {
    Descriptor file(open_regular(path.c_str()));
    if (file.get() < 0) {
        error = path + ": " + file_error(errno);
        return false;
    }
    elf_version(EV_CURRENT);
    std::unique_ptr<Elf, int (*)(Elf *)> elf(elf_begin(file.get(), ELF_C_READ, nullptr), elf_end);
    if (!elf) {
        error = path + ": " + elf_errmsg(-1);
        return false;
    }
    if (Reader(elf.get(), out).run(error)) return true;
    error = path + ": " + error;
    return false;
}

}  // namespace tapir::bpf
