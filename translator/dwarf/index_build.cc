// SPDX-License-Identifier: GPL-2.0-or-later
// One walk over the DIEs at the top level of every unit (and inside namespaces, classes and enumerations).
#include <dwarf.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "dwarf/index.h"
#include "dwarf/index_format.h"

namespace tapir::dwarf {

namespace {

// Namespaces and classes within each other are entered no deeper.
constexpr int kMaxNesting = 32;
// Likewise blocks and inlined functions within a function.
constexpr int kMaxScopes = 256;

// What one pass over a DIE's attributes finds.
struct Attributes {
    const char *name = nullptr, *linkage_name = nullptr;
    Dwarf_Word file = 0, line = 0, inlined = 0;
    bool external = false, declaration = false, low_pc = false, ranges = false, location = false, const_value = false;
    Dwarf_Attribute origin = {}, specification = {};
    bool has_origin = false, has_specification = false;
};

int read_attribute(Dwarf_Attribute *attribute, void *out) {
    auto &a = *static_cast<Attributes *>(out);
    switch (dwarf_whatattr(attribute)) {
        case DW_AT_name:
            a.name = dwarf_formstring(attribute);
            break;
        case DW_AT_linkage_name:
        case DW_AT_MIPS_linkage_name:
            a.linkage_name = dwarf_formstring(attribute);
            break;
        case DW_AT_decl_file:
            dwarf_formudata(attribute, &a.file);
            break;
        case DW_AT_decl_line:
            dwarf_formudata(attribute, &a.line);
            break;
        case DW_AT_inline:
            dwarf_formudata(attribute, &a.inlined);
            break;
        case DW_AT_external:
            dwarf_formflag(attribute, &a.external);
            break;
        case DW_AT_declaration:
            dwarf_formflag(attribute, &a.declaration);
            break;
        case DW_AT_low_pc:
            a.low_pc = true;
            break;
        case DW_AT_ranges:
            a.ranges = true;
            break;
        case DW_AT_location:
            a.location = true;
            break;
        case DW_AT_const_value:
            a.const_value = true;
            break;
        case DW_AT_abstract_origin:
            a.origin = *attribute;
            a.has_origin = true;
            break;
        case DW_AT_specification:
            a.specification = *attribute;
            a.has_specification = true;
            break;
        default:
            break;
    }
    return DWARF_CB_OK;
}

// The attributes of a DIE, completed by what it refers to.
Attributes attributes_of(Dwarf_Die *die, int depth = 0) {
    Attributes a;
    dwarf_getattrs(die, read_attribute, &a, 0);
    Dwarf_Die other;
    for (Dwarf_Attribute *reference :
         {a.has_origin ? &a.origin : nullptr, a.has_specification ? &a.specification : nullptr}) {
        if (!reference || depth > 3 || !dwarf_formref_die(reference, &other)) continue;
        const Attributes more = attributes_of(&other, depth + 1);
        if (!a.name) a.name = more.name;
        if (!a.linkage_name) a.linkage_name = more.linkage_name;
        if (!a.file) a.file = more.file;
        if (!a.line) a.line = more.line;
        a.external = a.external || more.external;
    }
    return a;
}

// Each string once, in the order they came.
class Strings {
  public:
    Strings() : known_(64, Hash{&bytes_}, Same{&bytes_}) { add(""); }
    Strings(const Strings &) = delete;
    Strings &operator=(const Strings &) = delete;

    StringRef add(std::string_view text) {
        const auto found = known_.find(text);
        if (found != known_.end()) return *found;
        const auto ref = static_cast<StringRef>(bytes_.size());
        bytes_.insert(bytes_.end(), text.begin(), text.end());
        bytes_.push_back('\0');
        known_.insert(ref);
        return ref;
    }
    // Names of DIEs mostly lie in .debug_str, where one name has one address.
    StringRef add_pooled(const char *text) {
        if (!text || !*text) return 0;
        const auto [at, is_new] = pooled_.try_emplace(text, 0);
        if (is_new) at->second = add(text);
        return at->second;
    }
    const std::vector<char> &bytes() const { return bytes_; }
    std::string_view text(StringRef ref) const { return bytes_.data() + ref; }

  private:
    struct Hash {
        using is_transparent = void;
        const std::vector<char> *bytes;
        size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
        size_t operator()(StringRef ref) const { return (*this)(std::string_view(bytes->data() + ref)); }
    };
    struct Same {
        using is_transparent = void;
        const std::vector<char> *bytes;
        bool operator()(StringRef a, StringRef b) const { return a == b; }
        bool operator()(std::string_view text, StringRef ref) const { return text == bytes->data() + ref; }
        bool operator()(StringRef ref, std::string_view text) const { return text == bytes->data() + ref; }
    };

    std::vector<char> bytes_;
    std::unordered_set<StringRef, Hash, Same> known_;
    std::unordered_map<const char *, StringRef> pooled_;
};

struct NamedValue {
    StringRef name;
    int64_t value;
    friend bool operator==(const NamedValue &, const NamedValue &) = default;
    struct Hash {
        size_t operator()(const NamedValue &of) const {
            return (static_cast<uint64_t>(of.value) * 0x9e3779b97f4a7c15u) ^ (of.name * uint64_t{0x85ebca6b});
        }
    };
};

// What some units define.
class Builder {
  public:
    Builder() { files_.push_back(0); }

    // The units whose numbers, in the order of the file, are in [first, last).
    void add_units(Dwarf *dwarf, size_t first, size_t last) {
        Dwarf_CU *cu = nullptr;
        Dwarf_Die die;
        uint8_t type = 0;
        for (size_t number = 0; number < last && dwarf_get_units(dwarf, cu, &cu, nullptr, &type, &die, nullptr) == 0;
             ++number)
            if (number >= first && (type == DW_UT_compile || type == DW_UT_partial || type == DW_UT_type))
                add_unit(&die);
    }

    // What the units that follow define: as if they had been added here.
    void append(const Builder &later) {
        std::vector<StringRef> strings(later.strings_.bytes().size());
        for (size_t at = 0; at < strings.size(); at += later.strings_.text(static_cast<StringRef>(at)).size() + 1)
            strings[at] = strings_.add(later.strings_.text(static_cast<StringRef>(at)));
        std::vector<uint32_t> files;
        for (const StringRef path : later.files_)
            files.push_back(file_number(strings[path]));
        const auto first_unit = static_cast<uint32_t>(units_.size());
        for (UnitEntry unit : later.units_) {
            unit.name = strings[unit.name];
            unit.directory = strings[unit.directory];
            units_.push_back(unit);
        }
        for (FunctionEntry function : later.functions_) {
            function.name = strings[function.name];
            function.linkage_name = strings[function.linkage_name];
            function.file = files[function.file];
            function.unit += first_unit;
            functions_.push_back(function);
        }
        const auto moved = [&](auto entry) {
            entry.name = strings[entry.name];
            entry.unit += first_unit;
            return entry;
        };
        for (InlineEntry instance : later.inlines_) {
            instance.unit += first_unit;
            inlines_.push_back(instance);
        }
        for (const VariableEntry &variable : later.variables_)
            variables_.push_back(moved(variable));
        for (size_t i = 0; i < later.types_.size(); ++i)
            keep_type(moved(later.types_[i]), later.type_sizes_[i]);
        for (const EnumeratorEntry &enumerator : later.enumerators_)
            keep_enumerator(moved(enumerator));
        if (later.root_known_) narrow_root(later.root_);
    }

    std::string finish(std::string_view identity, const KernelLayout &layout) {
        sort();
        return write(identity, layout);
    }

  private:
    void add_unit(Dwarf_Die *die) {
        unit_ = static_cast<uint32_t>(units_.size());
        Dwarf_Attribute attribute;
        const char *directory = dwarf_formstring(dwarf_attr(die, DW_AT_comp_dir, &attribute));
        const char *name = dwarf_diename(die);
        Dwarf_Word language = 0;
        if (dwarf_attr(die, DW_AT_language, &attribute)) dwarf_formudata(&attribute, &language);
        units_.push_back({dwarf_dieoffset(die), strings_.add_pooled(name), strings_.add_pooled(directory),
                          static_cast<uint32_t>(language), 0});
        add_files(die, directory ? directory : "");
        if (name && *name == '/' && language != DW_LANG_Mips_Assembler) narrow_root(name);
        add_children(die, 0);
    }

    // The longest directory that all sources have in common.
    void narrow_root(std::string_view name) {
        if (!root_known_) {
            root_ = name.substr(0, name.rfind('/') + 1);
            root_known_ = true;
        }
        while (!root_.empty() && name.substr(0, root_.size()) != root_) {
            const size_t slash = root_.size() > 1 ? root_.rfind('/', root_.size() - 2) : std::string::npos;
            root_.resize(slash == std::string::npos ? 0 : slash + 1);
        }
    }

    void add_files(Dwarf_Die *die, std::string_view directory) {
        unit_files_.clear();
        Dwarf_Files *files = nullptr;
        size_t count = 0;
        if (dwarf_getsrcfiles(die, &files, &count) != 0) return;
        for (size_t i = 0; i < count; ++i) {
            const char *path = dwarf_filesrc(files, i, nullptr, nullptr);
            std::string full = path ? path : "";
            if (!directory.empty() && directory[0] == '/') {
                if (!full.empty() && full[0] != '/') full = std::string(directory) + "/" + full;
            } else if (full.size() > directory.size() && full.substr(0, directory.size()) == directory &&
                       full[directory.size()] == '/') {
                full.erase(0, directory.size() + 1);  // libdw prefixes what the compiler was told
            }
            unit_files_.push_back(file_number(strings_.add(full)));
        }
    }

    // 0 is "".
    uint32_t file_number(StringRef path) {
        if (path == 0) return 0;
        const auto [at, is_new] = file_numbers_.try_emplace(path, static_cast<uint32_t>(files_.size()));
        if (is_new) files_.push_back(path);
        return at->second;
    }

    void add_children(Dwarf_Die *parent, int nesting) {
        Dwarf_Die child;
        if (nesting > kMaxNesting || dwarf_child(parent, &child) != 0) return;
        do {
            switch (const int tag = dwarf_tag(&child)) {
                case DW_TAG_subprogram:
                    add_function(&child);
                    break;
                case DW_TAG_variable:
                    add_variable(&child);
                    break;
                case DW_TAG_enumeration_type:
                    add_type(&child, tag);
                    add_enumerators(&child);
                    break;
                case DW_TAG_structure_type:
                case DW_TAG_class_type:
                case DW_TAG_union_type:
                    add_type(&child, tag);
                    if (nests(units_.back().language)) add_children(&child, nesting + 1);
                    break;
                case DW_TAG_typedef:
                case DW_TAG_base_type:
                    add_type(&child, tag);
                    break;
                case DW_TAG_namespace:
                case DW_TAG_module:
                    add_children(&child, nesting + 1);
                    break;
                default:
                    break;
            }
        } while (dwarf_siblingof(&child, &child) == 0);
    }

    // C has no functions or types of their own within structures.
    static bool nests(uint32_t language) {
        switch (language) {
            case DW_LANG_C89:
            case DW_LANG_C:
            case DW_LANG_C99:
            case DW_LANG_C11:
                return false;
            default:
                return true;
        }
    }

    void add_function(Dwarf_Die *die) {
        const Attributes a = attributes_of(die);
        if (!a.name || a.declaration) return;
        FunctionEntry entry = {};
        entry.die = dwarf_dieoffset(die);
        entry.name = strings_.add_pooled(a.name);
        entry.linkage_name =
            a.linkage_name && std::strcmp(a.linkage_name, a.name) != 0 ? strings_.add_pooled(a.linkage_name) : 0;
        entry.unit = unit_;
        entry.file = a.file < unit_files_.size() ? unit_files_[a.file] : 0;
        entry.line = static_cast<uint32_t>(a.line);
        entry.flags = a.external ? static_cast<uint32_t>(kExternal) : 0;
        if (const auto pc = a.low_pc || a.ranges ? entry_pc(die) : std::nullopt) {
            entry.entry = *pc;
            entry.flags |= kOutOfLine;
        } else if (a.inlined == DW_INL_inlined || a.inlined == DW_INL_declared_inlined) {
            entry.flags |= kInlined;
        } else {
            return;
        }
        functions_.push_back(entry);
        if (entry.flags & kOutOfLine) add_instances(die, 0);
    }

    // Inlined instances in the code of a function, also within each other.
    void add_instances(Dwarf_Die *scope, int nesting) {
        Dwarf_Die child, origin;
        if (nesting > kMaxScopes || dwarf_child(scope, &child) != 0) return;
        do {
            const int tag = dwarf_tag(&child);
            if (tag == DW_TAG_inlined_subroutine) {
                Dwarf_Attribute attribute;
                const auto pc = entry_pc(&child);
                if (pc && dwarf_attr(&child, DW_AT_abstract_origin, &attribute) &&
                    dwarf_formref_die(&attribute, &origin))
                    inlines_.push_back({dwarf_dieoffset(&origin), dwarf_dieoffset(&child), *pc, unit_, 0});
            }
            if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) add_instances(&child, nesting + 1);
        } while (dwarf_siblingof(&child, &child) == 0);
    }

    void add_variable(Dwarf_Die *die) {
        const Attributes a = attributes_of(die);
        if (!a.name || a.declaration || !(a.location || a.const_value)) return;
        variables_.push_back({dwarf_dieoffset(die), strings_.add_pooled(a.name), unit_, a.external ? 1u : 0u, 0});
    }

    // Of many definitions under one name and tag the first of each size is kept.
    void add_type(Dwarf_Die *die, int tag) {
        Attributes a;
        dwarf_getattrs(die, read_attribute, &a, 0);
        if (!a.name || a.declaration) return;
        const StringRef name = strings_.add_pooled(a.name);
        keep_type({dwarf_dieoffset(die), name, static_cast<uint32_t>(tag), unit_, 0},
                  tag == DW_TAG_typedef ? 0 : dwarf_bytesize(die));
    }

    void keep_type(const TypeEntry &type, int size) {
        const uint64_t key = (static_cast<uint64_t>(type.name) << 32) | (static_cast<uint64_t>(type.tag & 0xff) << 24) |
                             (static_cast<uint64_t>(size) & 0xffffff);
        if (!kept_types_.insert(key).second) return;
        types_.push_back(type);
        type_sizes_.push_back(size);
    }

    void add_enumerators(Dwarf_Die *die) {
        Dwarf_Die child;
        if (dwarf_child(die, &child) != 0) return;
        do {
            if (dwarf_tag(&child) != DW_TAG_enumerator) continue;
            const char *name = dwarf_diename(&child);
            Dwarf_Attribute attribute;
            Dwarf_Sword value = 0;
            if (!name || !dwarf_attr(&child, DW_AT_const_value, &attribute) || dwarf_formsdata(&attribute, &value) != 0)
                continue;
            keep_enumerator({dwarf_dieoffset(die), value, strings_.add_pooled(name), unit_});
        } while (dwarf_siblingof(&child, &child) == 0);
    }

    void keep_enumerator(const EnumeratorEntry &enumerator) {
        if (kept_enumerators_.insert({enumerator.name, enumerator.value}).second) enumerators_.push_back(enumerator);
    }

    template <typename Entry>
    void sort_by_name(std::vector<Entry> &entries) {
        std::sort(entries.begin(), entries.end(), [&](const Entry &a, const Entry &b) {
            const int order = a.name == b.name ? 0 : strings_.text(a.name).compare(strings_.text(b.name));
            return order ? order < 0 : a.die < b.die;
        });
    }

    void sort() {
        sort_by_name(functions_);
        std::sort(inlines_.begin(), inlines_.end(), [](const InlineEntry &a, const InlineEntry &b) {
            return std::tie(a.origin, a.entry, a.die) < std::tie(b.origin, b.entry, b.die);
        });
        sort_by_name(types_);
        sort_by_name(variables_);
        sort_by_name(enumerators_);
        for (uint32_t i = 0; i < functions_.size(); ++i)
            if (functions_[i].flags & kOutOfLine) by_address_.push_back(i);
        std::stable_sort(by_address_.begin(), by_address_.end(),
                         [&](uint32_t a, uint32_t b) { return functions_[a].entry < functions_[b].entry; });
    }

    template <typename Entry>
    static void append(std::string &out, IndexHeader &header, Section section, const std::vector<Entry> &entries) {
        out.resize((out.size() + 7) & ~size_t{7}, '\0');
        const auto *bytes = reinterpret_cast<const char *>(entries.data());
        header.sections[static_cast<uint32_t>(section)] = {out.size(), entries.size() * sizeof(Entry)};
        out.append(bytes, entries.size() * sizeof(Entry));
    }

    std::string write(std::string_view identity, const KernelLayout &layout) {
        IndexHeader header = {};
        std::memcpy(header.magic, kIndexMagic, sizeof(header.magic));
        header.version = kIndexVersion;
        header.root = strings_.add(root_);
        header.layout = layout;
        identity = identity.substr(0, sizeof(header.identity) - 1);
        std::memcpy(header.identity, identity.data(), identity.size());
        std::string out(sizeof(header), '\0');
        append(out, header, Section::Units, units_);
        append(out, header, Section::Functions, functions_);
        append(out, header, Section::Inlines, inlines_);
        append(out, header, Section::Types, types_);
        append(out, header, Section::Variables, variables_);
        append(out, header, Section::Enumerators, enumerators_);
        append(out, header, Section::Files, files_);
        append(out, header, Section::ByAddress, by_address_);
        append(out, header, Section::Strings, strings_.bytes());
        header.length = out.size();
        std::memcpy(out.data(), &header, sizeof(header));
        return out;
    }

    Strings strings_;
    uint32_t unit_ = 0;
    std::vector<UnitEntry> units_;
    std::vector<FunctionEntry> functions_;
    std::vector<InlineEntry> inlines_;
    std::vector<TypeEntry> types_;
    std::vector<int> type_sizes_;  // of types_, before they are sorted
    std::vector<VariableEntry> variables_;
    std::vector<EnumeratorEntry> enumerators_;
    std::vector<StringRef> files_;  // the first is ""
    std::vector<uint32_t> by_address_;
    std::vector<uint32_t> unit_files_;  // of the unit being read: number in its line table -> number in files_
    std::unordered_map<StringRef, uint32_t> file_numbers_;
    std::unordered_set<uint64_t> kept_types_;
    std::unordered_set<NamedValue, NamedValue::Hash> kept_enumerators_;
    std::string root_;
    bool root_known_ = false;
};

// Numbers of the units at which portions begin, and their count at the end.
std::vector<size_t> portions(Dwarf *dwarf, uint64_t bytes) {
    std::vector<size_t> starts = {0};
    Dwarf_CU *cu = nullptr;
    Dwarf_Die die;
    uint64_t begin = 0;
    size_t number = 0;
    for (; dwarf_get_units(dwarf, cu, &cu, nullptr, nullptr, &die, nullptr) == 0; ++number) {
        const uint64_t at = dwarf_dieoffset(&die);
        if (at >= begin && at - begin < bytes) continue;
        if (number > 0) starts.push_back(number);
        begin = at;
    }
    starts.push_back(number);
    return starts;
}

}  // namespace

std::string build_index(const Object &object, std::string_view identity, const IndexPlan &plan) {
    const std::vector<size_t> starts = portions(object.dwarf(), plan.portion);
    std::vector<std::unique_ptr<Builder>> builders(starts.size() - 1);
    std::atomic<size_t> next = 0;
    const auto work = [&](Dwarf *dwarf) {
        for (size_t i; (i = next++) < builders.size();) {
            builders[i] = std::make_unique<Builder>();
            builders[i]->add_units(dwarf, starts[i], starts[i + 1]);
        }
    };
    // A Dwarf is for one thread. One that cannot have its own leaves the work to the others.
    const unsigned threads = plan.threads ? plan.threads : std::thread::hardware_concurrency();
    std::vector<std::thread> helpers;
    for (size_t i = 1; i < std::min<size_t>(threads, builders.size()); ++i) {
        std::shared_ptr<Object> own = object.again();  // in this thread: opening sets a version in libelf
        if (own)
            helpers.emplace_back([own, &work] {
                if (own->dwarf()) work(own->dwarf());
            });
    }
    const KernelLayout layout = kernel_layout(object);
    work(object.dwarf());
    for (std::thread &helper : helpers)
        helper.join();
    for (size_t i = 1; i < builders.size(); ++i) {
        builders[0]->append(*builders[i]);
        builders[i].reset();
    }
    return builders[0]->finish(identity, layout);
}

}  // namespace tapir::dwarf
