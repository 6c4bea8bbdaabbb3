// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/index.h"

#include <fcntl.h>
#include <gelf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "common/files.h"
#include "common/hash.h"
#include "dwarf/index_format.h"

namespace tapir::dwarf {

namespace {

// The entries of one section; false when it does not lie in the file or is not aligned.
template <typename Entry>
bool take(std::span<const char> content, const IndexHeader &header, Section section, std::span<const Entry> &out) {
    const auto &place = header.sections[static_cast<uint32_t>(section)];
    if (place.offset > content.size() || place.bytes > content.size() - place.offset) return false;
    if (place.offset % alignof(Entry) || place.bytes % sizeof(Entry)) return false;
    out = {reinterpret_cast<const Entry *>(content.data() + place.offset), place.bytes / sizeof(Entry)};
    return true;
}

}  // namespace

bool Index::attach(std::span<const char> content, std::string_view identity) {
    IndexHeader header;
    if (content.size() < sizeof(header)) return false;
    std::memcpy(&header, content.data(), sizeof(header));
    if (std::memcmp(header.magic, kIndexMagic, sizeof(header.magic)) != 0 || header.version != kIndexVersion)
        return false;
    if (header.length != content.size()) return false;
    const std::string_view kept(header.identity, strnlen(header.identity, sizeof(header.identity)));
    if (kept != identity.substr(0, sizeof(header.identity) - 1)) return false;
    std::span<const char> strings;
    if (!take(content, header, Section::Units, units_) || !take(content, header, Section::Scopes, scopes_) ||
        !take(content, header, Section::Functions, functions_) || !take(content, header, Section::Inlines, inlines_) ||
        !take(content, header, Section::Types, types_) || !take(content, header, Section::Variables, variables_) ||
        !take(content, header, Section::Enumerators, enumerators_) ||
        !take(content, header, Section::Declaring, declaring_) || !take(content, header, Section::Files, files_) ||
        !take(content, header, Section::ByAddress, by_address_) || !take(content, header, Section::Strings, strings))
        return false;
    if (strings.empty() || strings.back() != '\0') return false;
    strings_ = {strings.data(), strings.size()};
    root_ = header.root;
    layout_ = header.layout;
    supplemented_ = header.supplemented != 0;
    bytes_ = content.size();
    return true;
}

std::string_view Index::text(StringRef ref) const {
    if (ref >= strings_.size()) return {};
    return strings_.data() + ref;  // the last byte is a NUL
}

std::string_view Index::file(uint32_t number) const {
    return number < files_.size() ? text(files_[number]) : "";
}

namespace {

template <typename Entry>
std::span<const Entry> named(const Index &index, std::span<const Entry> all, std::string_view name) {
    const auto first = std::lower_bound(all.begin(), all.end(), name, [&](const Entry &entry, std::string_view wanted) {
        return index.text(entry.name) < wanted;
    });
    const auto last = std::upper_bound(first, all.end(), name, [&](std::string_view wanted, const Entry &entry) {
        return wanted < index.text(entry.name);
    });
    return {first, last};
}

}  // namespace

std::span<const FunctionEntry> Index::functions(std::string_view name) const {
    return named(*this, functions_, name);
}
std::span<const TypeEntry> Index::types(std::string_view name) const {
    return named(*this, types_, name);
}
std::span<const VariableEntry> Index::variables(std::string_view name) const {
    return named(*this, variables_, name);
}
std::span<const EnumeratorEntry> Index::enumerators(std::string_view name) const {
    return named(*this, enumerators_, name);
}
std::span<const DeclaringEntry> Index::declaring(std::string_view function) const {
    return named(*this, declaring_, function);
}

namespace {

// Entries named `base`, "base<..." and "base <...".
template <typename Entry>
std::vector<const Entry *> with_base(const Index &index, std::span<const Entry> all, std::string_view base) {
    std::vector<const Entry *> found;
    for (const Entry &entry : named(index, all, base))
        found.push_back(&entry);
    for (const char *open : {"<", " <"}) {
        const std::string prefix = std::string(base) + open;
        const auto first = std::lower_bound(
            all.begin(), all.end(), prefix,
            [&](const Entry &entry, const std::string &wanted) { return index.text(entry.name) < wanted; });
        for (auto at = first; at != all.end() && index.text(at->name).starts_with(prefix); ++at)
            found.push_back(&*at);
    }
    return found;
}

}  // namespace

std::vector<const FunctionEntry *> Index::functions_of_base(std::string_view base) const {
    return with_base(*this, functions_, base);
}
std::vector<const TypeEntry *> Index::types_of_base(std::string_view base) const {
    return with_base(*this, types_, base);
}

std::vector<std::string_view> Index::parts(uint32_t scope, StringRef name) const {
    std::vector<std::string_view> parts = {text(name)};
    while (scope != 0 && scope < scopes_.size()) {
        parts.push_back(text(scopes_[scope].name));
        scope = scopes_[scope].parent < scope ? scopes_[scope].parent : 0;
    }
    std::reverse(parts.begin(), parts.end());
    return parts;
}

uint64_t Index::inlined_parts(uint32_t scope) const {
    uint64_t inlined = 0;
    while (scope != 0 && scope < scopes_.size()) {
        inlined = inlined << 1 | (scopes_[scope].inlined & 1);
        scope = scopes_[scope].parent < scope ? scopes_[scope].parent : 0;
    }
    return inlined;
}

std::string Index::qualified_name(uint32_t scope, StringRef name) const {
    return scope ? join_name(parts(scope, name)) : std::string(text(name));
}

std::span<const InlineEntry> Index::instances(const FunctionEntry &function) const {
    const auto first =
        std::lower_bound(inlines_.begin(), inlines_.end(), function.die,
                         [](const InlineEntry &entry, uint64_t origin) { return entry.origin < origin; });
    const auto last = std::upper_bound(first, inlines_.end(), function.die,
                                       [](uint64_t origin, const InlineEntry &entry) { return origin < entry.origin; });
    return {first, last};
}

const FunctionEntry *Index::function_at(uint64_t address) const {
    const auto entry_of = [&](uint32_t position) {
        return position < functions_.size() ? functions_[position].entry : 0;
    };
    auto after = std::upper_bound(by_address_.begin(), by_address_.end(), address,
                                  [&](uint64_t a, uint32_t position) { return a < entry_of(position); });
    if (after == by_address_.begin() || *--after >= functions_.size()) return nullptr;
    return &functions_[*after];
}

std::vector<const FunctionEntry *> Index::functions_starting_at(uint64_t address) const {
    const auto entry_of = [&](uint32_t position) {
        return position < functions_.size() ? functions_[position].entry : 0;
    };
    std::vector<const FunctionEntry *> found;
    auto at = std::lower_bound(by_address_.begin(), by_address_.end(), address,
                               [&](uint32_t position, uint64_t a) { return entry_of(position) < a; });
    for (; at != by_address_.end() && *at < functions_.size() && entry_of(*at) == address; ++at)
        found.push_back(&functions_[*at]);
    return found;
}

std::optional<Unprobeable> Index::unprobeable(uint64_t address) const {
    for (size_t i = 0; i < std::size(layout_.unprobeable); ++i)
        if (address >= layout_.unprobeable[i].begin && address < layout_.unprobeable[i].end)
            return static_cast<Unprobeable>(i);
    return std::nullopt;
}

KernelLayout kernel_layout(const Object &object) {
    static constexpr std::pair<const char *, const char *> kBounds[] = {{"_sinittext", "_einittext"},
                                                                        {"__kprobes_text_start", "__kprobes_text_end"},
                                                                        {"__noinstr_text_start", "__noinstr_text_end"},
                                                                        {"__entry_text_start", "__entry_text_end"}};
    static_assert(std::size(kBounds) == static_cast<size_t>(Unprobeable::Count));
    KernelLayout layout;
    layout.text = object.symbol_address("_stext").value_or(0);
    if (!layout.text) return layout;
    for (size_t i = 0; i < std::size(kBounds); ++i)
        layout.unprobeable[i] = {object.symbol_address(kBounds[i].first).value_or(0),
                                 object.symbol_address(kBounds[i].second).value_or(0)};
    return layout;
}

namespace {

// The sections of the file that debug information was read from: programs that rewrite it (dwz, objcopy, debugedit)
// leave the build-id as it is.
void add_sections(Elf *elf, Hasher &hash) {
    size_t names = 0;
    if (!elf || elf_getshdrstrndx(elf, &names) != 0) return;
    for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : nullptr;
        if (name) hash.add(name).add(std::to_string(header.sh_size) + " " + std::to_string(header.sh_flags));
    }
}

void add_file(const std::string &path, Hasher &hash) {
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0) return;
    hash.add(std::to_string(status.st_size));
    hash.add(std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec));
}

}  // namespace

std::string index_identity(const Object &object) {
    Hasher hash;
    if (object.build_id().empty()) hash.add(object.path());
    add_file(object.debug_file().empty() ? object.path() : object.debug_file(), hash);
    if (Dwarf *const dwarf = object.dwarf()) add_sections(dwarf_getelf(dwarf), hash);
    if (Dwarf *const supplement = object.supplement()) add_sections(dwarf_getelf(supplement), hash);
    const std::string what = object.build_id().empty() ? "file" : "build-id " + object.build_id();
    return what + " " + hash.hex().substr(0, 32);
}

std::string index_name(const Object &object) {
    return sha256(index_identity(object)).substr(0, 40) + ".idx";
}

std::unique_ptr<Index> Index::map(const std::string &path, std::string_view identity) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return nullptr;
    struct stat status = {};
    std::unique_ptr<Index> index;
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
        const auto size = static_cast<size_t>(status.st_size);
        void *mapping = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (mapping != MAP_FAILED) {
            index.reset(new Index);
            index->mapping_ = mapping;
            index->bytes_ = size;
            if (!index->attach({static_cast<const char *>(mapping), size}, identity)) index.reset();
        }
    }
    close(fd);
    return index;
}

std::unique_ptr<Index> Index::open(const Object &object, const std::string &directory) {
    // A stripped copy may have the build-id of a file that was indexed.
    if (!object.dwarf()) return nullptr;
    const std::string identity = index_identity(object), path = directory + "/" + index_name(object);
    if (!directory.empty())
        if (auto index = map(path, identity))
            return index->supplemented_ && !object.supplement() ? nullptr : std::move(index);
    std::unique_ptr<Index> index(new Index);
    index->memory_ = build_index(object, identity);
    if (index->memory_.empty()) return nullptr;
    index->built_ = true;
    if (!directory.empty()) {
        std::error_code ignored;  // a file that cannot be kept is made again next time
        std::filesystem::create_directories(directory, ignored);
        replace_file(path, index->memory_);
    }
    if (!index->attach(index->memory_, identity)) return nullptr;
    return index;
}

Index::~Index() {
    if (mapping_) munmap(mapping_, bytes_);
}

}  // namespace tapir::dwarf
