// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/symbol_readers.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <sstream>

#include "common/files.h"
#include "common/hash.h"
#include "common/regular_file.h"
#include "target/boot_payload.h"
#include "target/btf.h"

namespace tapir::target {

namespace {

bool is_text(char type) {
    return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

// A section's header and bytes by name; empty bytes when it is not there.
std::string_view section_data(Elf *elf, const char *name, GElf_Shdr &header) {
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0) return {};
    for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS) continue;
        const char *found = elf_strptr(elf, names, header.sh_name);
        if (!found || std::strcmp(found, name) != 0) continue;
        Elf_Data *data = elf_rawdata(section, nullptr);
        if (data && data->d_buf) return {static_cast<const char *>(data->d_buf), data->d_size};
    }
    return {};
}

std::vector<std::string> read_symtab(Elf *elf) {
    std::vector<std::string> names;
    for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || header.sh_entsize == 0) continue;
        Elf_Data *data = elf_getdata(section, nullptr);
        if (!data) continue;
        const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
        for (int i = 0; i < count; ++i) {
            GElf_Sym symbol;
            if (!gelf_getsym(data, i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
                symbol.st_shndx == SHN_UNDEF)
                continue;
            if (const char *name = elf_strptr(elf, header.sh_link, symbol.st_name)) names.emplace_back(name);
        }
    }
    return names;
}

std::vector<std::string> read_btf(Elf *elf) {
    GElf_Shdr header;
    std::string error;
    const auto types = BtfTypes::read(std::string(section_data(elf, ".BTF", header)), error);
    return types ? types->functions_with_prefix("") : std::vector<std::string>{};
}

std::vector<std::string> read_elf(Elf *elf) {
    std::vector<std::string> names = read_symtab(elf);
    if (!names.empty()) return names;
    GElf_Shdr header;
    return read_kallsyms_tables(section_data(elf, ".rodata", header));
}

// `end`: the text behind the name.
std::vector<std::string> read_lines(const std::string &path, std::string_view end) {
    std::istringstream in(read_file(path).value_or(""));
    std::vector<std::string> names;
    std::string line;
    while (std::getline(in, line)) {
        size_t type = line.find(' ');
        if (type == std::string::npos || type + 3 >= line.size() || line[type + 2] != ' ' || !is_text(line[type + 1]))
            continue;
        const size_t tab = std::min(line.find('\t'), line.size());
        if (std::string_view(line).substr(tab) == end) names.push_back(line.substr(type + 3, tab - type - 3));
    }
    return names;
}

}  // namespace

std::vector<std::string> read_symbol_lines(const std::string &path) {
    return read_lines(path, "");
}

std::vector<std::string> read_module_symbol_lines(const std::string &path, std::string_view module) {
    return read_lines(path, "\t[" + std::string(module) + "]");
}

namespace {

// An ELF file opened by libdwfl, which also takes the compressed boot images and modules of all methods it was built
// with; of zstd, which older ones were built without, by libzstd.
class PackedFile {
  public:
    explicit PackedFile(const std::string &path) : session_(dwfl_begin(&kCallbacks), dwfl_end) {
        const int fd = open_regular(path.c_str());
        if (fd < 0 || !session_) return;
        Dwfl_Module *module = dwfl_report_offline(session_.get(), "kernel", path.c_str(), fd);
        GElf_Addr bias = 0;
        if (module) elf_ = dwfl_module_getelf(module, &bias);
        if (!module) close(fd);
        if (!elf_) read_zstd(path);
    }
    // Null if the file is not an ELF file.
    Elf *elf() const { return elf_; }

  private:
    void read_zstd(const std::string &path) {
        const std::string file = read_file(path).value_or("");
        const auto payload = find_payload(file);
        auto text = unpack_zstd(payload ? payload->bytes : file);
        if (!text) return;
        text_ = std::move(*text);
        own_.reset(elf_memory(text_.data(), text_.size()));
        if (own_ && elf_kind(own_.get()) == ELF_K_ELF) elf_ = own_.get();
    }

    static constexpr Dwfl_Callbacks kCallbacks = {dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
                                                  dwfl_offline_section_address, nullptr};
    std::unique_ptr<Dwfl, decltype(&dwfl_end)> session_;
    std::string text_;
    std::unique_ptr<Elf, decltype(&elf_end)> own_{nullptr, elf_end};
    Elf *elf_ = nullptr;
};

}  // namespace

std::vector<std::string> read_kernel_file(const std::string &path) {
    const PackedFile file(path);
    return file.elf() ? read_elf(file.elf()) : std::vector<std::string>{};
}

std::vector<std::string> read_btf_functions(const std::string &path) {
    const PackedFile file(path);
    return file.elf() ? read_btf(file.elf()) : std::vector<std::string>{};
}

std::string read_section(const std::string &path, const char *name, bool &unpacked) {
    GElf_Shdr header;
    unpacked = false;
    elf_version(EV_CURRENT);
    const int fd = open_regular(path.c_str());
    if (fd < 0) return {};
    std::unique_ptr<Elf, decltype(&elf_end)> plain(elf_begin(fd, ELF_C_READ_MMAP, nullptr), elf_end);
    const bool is_elf = plain && elf_kind(plain.get()) == ELF_K_ELF;
    std::string bytes;
    if (is_elf) bytes = section_data(plain.get(), name, header);
    close(fd);
    if (is_elf) return bytes;
    const PackedFile file(path);
    unpacked = true;
    return std::string(file.elf() ? section_data(file.elf(), name, header) : std::string_view());
}

}  // namespace tapir::target
