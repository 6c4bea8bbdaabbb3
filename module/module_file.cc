// SPDX-License-Identifier: GPL-2.0-or-later
#include "module/module_file.h"

#include <elf.h>
#include <tapir/wire.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include "arch/arch.h"
#include "common/plain_text.h"
#include "module/module_name.h"

namespace tapir {

namespace {

// struct module begins with `enum module_state state; struct list_head list; char name[MODULE_NAME_LEN];` since 2.6.
constexpr uint64_t kNameInThisModule = 24;
constexpr std::string_view kSignatureMark = "~Module signature appended~\n";

// As `uname -m` has it.
std::string architecture(unsigned machine) {
    if (const arch::Arch *known = arch::of_machine(machine)) return std::string(known->name);
    static constexpr struct {
        unsigned machine;
        const char *name;
    } kNames[] = {{EM_PPC64, "ppc64le"}, {EM_S390, "s390x"}, {EM_RISCV, "riscv64"}};
    for (const auto &known : kNames)
        if (known.machine == machine) return known.name;
    return format("ELF machine %u", machine);
}

// A part of the image; empty when it would not lie inside.
std::string_view slice(std::string_view image, uint64_t offset, uint64_t size) {
    if (offset > image.size() || size > image.size() - offset) return {};
    return image.substr(offset, size);
}

template <typename T>
bool load(std::string_view image, uint64_t offset, T &out) {
    std::string_view bytes = slice(image, offset, sizeof out);
    if (bytes.size() != sizeof out) return false;
    memcpy(&out, bytes.data(), sizeof out);
    return true;
}

bool has_prefix(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

// The text up to the first NUL, or all of it.
std::string_view c_string(std::string_view bytes) {
    return bytes.substr(0, bytes.find('\0'));
}

Fault unfit(const std::string &why) {
    return {FaultTag::NotAModule, why};
}

Outcome<void> check_header(std::string_view image, Elf64_Ehdr &header) {
    using namespace std::string_view_literals;
    if (image.empty()) return unfit("the file is empty");
    if (has_prefix(image,
                   "\xfd"
                   "7zXZ"sv) ||
        has_prefix(image, "\x1f\x8b"sv) || has_prefix(image, "\x28\xb5\x2f\xfd"sv))
        return unfit("the file is compressed; uncompress it first");
    if (!has_prefix(image, ELFMAG)) return unfit("not an ELF file");
    if (!load(image, 0, header)) return unfit("the ELF header is cut short");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
        return unfit("not a 64-bit little-endian ELF file");
    if (header.e_type != ET_REL) return unfit("not a kernel module: ELF type is not relocatable");
    if (header.e_machine != arch::host().elf_machine)
        return unfit(
            format("built for another architecture (%s), this machine is %s; translate the script for a kernel of this "
                   "machine",
                   architecture(header.e_machine).c_str(), architecture(arch::host().elf_machine).c_str()));
    if (header.e_shentsize != sizeof(Elf64_Shdr)) return unfit("damaged: wrong size of section headers");
    return {};
}

struct Sections {
    std::string_view modinfo;
    std::string_view this_module;
    std::string_view symbols, symbol_names;
    uint64_t this_module_offset = 0;
};

Outcome<void> find_sections(std::string_view image, const Elf64_Ehdr &header, Sections &out) {
    Elf64_Shdr names;
    uint64_t names_at = header.e_shoff + uint64_t{header.e_shstrndx} * sizeof(Elf64_Shdr);
    if (header.e_shoff > image.size() || header.e_shstrndx >= header.e_shnum || !load(image, names_at, names))
        return unfit("damaged: section headers lie outside the file");
    std::string_view name_table = slice(image, names.sh_offset, names.sh_size);
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        if (!load(image, header.e_shoff + uint64_t{i} * sizeof section, section))
            return unfit("damaged: section headers lie outside the file");
        if (section.sh_type == SHT_NOBITS || section.sh_name >= name_table.size()) continue;
        std::string_view name = c_string(name_table.substr(section.sh_name));
        std::string_view content = slice(image, section.sh_offset, section.sh_size);
        if (name == ".modinfo") out.modinfo = content;
        if (name == ".symtab") out.symbols = content;
        if (name == ".strtab") out.symbol_names = content;
        if (name == ".gnu.linkonce.this_module") {
            out.this_module = content;
            out.this_module_offset = section.sh_offset;
        }
    }
    return {};
}

std::set<std::string, std::less<>> undefined_symbols(const Sections &sections) {
    std::set<std::string, std::less<>> names;
    Elf64_Sym symbol;
    for (uint64_t at = 0; load(sections.symbols, at, symbol); at += sizeof symbol)
        if (symbol.st_shndx == SHN_UNDEF && symbol.st_name < sections.symbol_names.size())
            names.emplace(c_string(sections.symbol_names.substr(symbol.st_name)));
    return names;
}

// The value of "key=value" among the NUL-separated entries of .modinfo.
bool modinfo_value(std::string_view modinfo, std::string_view key, std::string_view &value) {
    while (!modinfo.empty()) {
        std::string_view entry = c_string(modinfo);
        if (entry.size() > key.size() && has_prefix(entry, key) && entry[key.size()] == '=') {
            value = entry.substr(key.size() + 1);
            return true;
        }
        modinfo.remove_prefix(entry.size() < modinfo.size() ? entry.size() + 1 : modinfo.size());
    }
    return false;
}

Outcome<void> check_abi(std::string_view modinfo) {
    std::string_view value;
    if (!modinfo_value(modinfo, "tapir_abi", value))
        return unfit("not a module made by Tapir (no tapir_abi in .modinfo)");
    uint64_t abi = 0;
    if (!parse_unsigned(value, abi)) return unfit("damaged: tapir_abi is not a number");
    if (abi != TAPIR_ABI)
        return unfit(format(
            "made by another version of Tapir (module ABI %llu, this staprun has %u); translate the script again",
            static_cast<unsigned long long>(abi), TAPIR_ABI));
    return {};
}

}  // namespace

Outcome<void> ModuleFile::parse(std::string image) {
    image_ = std::move(image);
    std::string_view view = image_;
    Elf64_Ehdr header;
    Sections sections;
    if (Outcome<void> checked = check_header(view, header); !checked) return checked;
    if (Outcome<void> found = find_sections(view, header, sections); !found) return found;
    if (sections.modinfo.empty() || sections.this_module.empty())
        return unfit("not a kernel module (no .modinfo or no module structure)");
    if (Outcome<void> checked = check_abi(sections.modinfo); !checked) return checked;

    std::string_view field = slice(sections.this_module, kNameInThisModule, kMaxModuleName + 1);
    if (field.size() != kMaxModuleName + 1) return unfit("damaged: the module structure is too small");
    std::string_view name = c_string(field);
    if (name.empty() || name.size() > kMaxModuleName || name.find('/') != std::string_view::npos)
        return unfit("damaged: no usable name in the module structure");
    name_ = name;
    name_offset_ = sections.this_module_offset + kNameInThisModule;
    std::string_view vermagic;
    if (modinfo_value(sections.modinfo, "vermagic", vermagic)) vermagic_ = vermagic;
    std::string_view build;
    if (modinfo_value(sections.modinfo, "tapir_kernel", build)) kernel_build_ = build;
    std::string_view needs;
    probes_functions_ = modinfo_value(sections.modinfo, "tapir_needs", needs) && needs == "ftrace";
    std::string_view samples;
    has_samples_ = modinfo_value(sections.modinfo, "tapir_samples", samples) && samples == "1";
    imports_ = undefined_symbols(sections);
    signed_ =
        view.size() >= kSignatureMark.size() && view.substr(view.size() - kSignatureMark.size()) == kSignatureMark;
    return {};
}

std::string ModuleFile::release() const {
    return vermagic_.substr(0, vermagic_.find(' '));
}

bool ModuleFile::rename(const std::string &name) {
    if (signed_ || name.empty() || name.size() > kMaxModuleName) return false;
    memset(&image_[name_offset_], 0, kMaxModuleName + 1);
    memcpy(&image_[name_offset_], name.data(), name.size());
    name_ = name;
    renamed_ = true;
    return true;
}

std::string unique_module_name(const std::string &base, uint64_t number) {
    std::string suffix = format("_%llu", static_cast<unsigned long long>(number));
    return base.substr(0, kMaxModuleName - suffix.size()) + suffix;
}

std::string find_module_path(const std::string &word, const std::string &release) {
    bool is_path = word.find('/') != std::string::npos || (word.size() > 3 && word.substr(word.size() - 3) == ".ko");
    if (is_path) return word;
    std::string root = "/lib/modules/" + release;
    std::string own = root + "/tapir/" + word + ".ko";
    std::string shared = root + "/systemtap/" + word + ".ko";
    return access(own.c_str(), F_OK) != 0 && access(shared.c_str(), F_OK) == 0 ? shared : own;
}

}  // namespace tapir
