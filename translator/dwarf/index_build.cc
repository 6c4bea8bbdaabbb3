// SPDX-License-Identifier: GPL-2.0-or-later
// One walk over the DIEs at the top level of every unit (and inside namespaces, classes and enumerations): of the
// object itself, then of those units of its dwz supplement that it imports. Others there are of other objects.
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
#include "dwarf/index_strings.h"

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
    Dwarf_CU *file_unit = nullptr;  // whose files `file` counts
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
            a.file_unit = attribute->cu;
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
        if (!a.file) {
            a.file = more.file;
            a.file_unit = more.file_unit;
        }
        if (!a.line) a.line = more.line;
        a.external = a.external || more.external;
    }
    return a;
}

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

const char *directory_of(Dwarf_Die *unit) {
    Dwarf_Attribute attribute;
    const char *directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    return directory ? directory : "";
}

// A source file of a unit that was compiled in `directory`; see Index::file().
std::string path_of(Dwarf_Files *files, size_t number, std::string_view directory) {
    const char *path = dwarf_filesrc(files, number, nullptr, nullptr);
    std::string full = path ? path : "";
    if (directory.empty()) return full;
    if (directory[0] == '/') {
        if (!full.empty() && full[0] != '/') full = std::string(directory) + "/" + full;
    } else if (full.size() > directory.size() && full.substr(0, directory.size()) == directory &&
               full[directory.size()] == '/') {
        full.erase(0, directory.size() + 1);  // libdw prefixes what the compiler was told
    }
    return full;
}

// Names of units of a supplement: die_id()s.
using UnitIds = std::unordered_set<uint64_t>;

// What some units define.
class Builder {
  public:
    // `dwarf` is the object's.
    explicit Builder(Dwarf *dwarf) : dwarf_(dwarf) { files_.push_back(0); }

    // The units of `from` whose numbers, in the order of the file, are in [first, last); of those, if `wanted` is
    // given, the ones in it.
    void add_units(Dwarf *from, size_t first, size_t last, const UnitIds *wanted) {
        Dwarf_CU *cu = nullptr;
        Dwarf_Die die;
        uint8_t type = 0;
        for (size_t number = 0; number < last && dwarf_get_units(from, cu, &cu, nullptr, &type, &die, nullptr) == 0;
             ++number)
            if (number >= first && (type == DW_UT_compile || type == DW_UT_partial || type == DW_UT_type) &&
                (!wanted || wanted->count(die_id(dwarf_, &die))))
                add_unit(&die);
    }

    // Units of the supplement that those of the object refer to.
    const UnitIds &imports() const { return imports_; }

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
        imports_.insert(later.imports_.begin(), later.imports_.end());
        if (later.root_known_) narrow_root(later.root_);
    }

    std::string finish(std::string_view identity, const KernelLayout &layout, bool supplemented) {
        sort();
        return write(identity, layout, supplemented);
    }

  private:
    void add_unit(Dwarf_Die *die) {
        unit_ = static_cast<uint32_t>(units_.size());
        where_ = die_id(dwarf_, die) & (kInSupplement | kInTypeUnit);
        Dwarf_Attribute attribute;
        const char *directory = directory_of(die);
        const char *name = dwarf_diename(die);
        Dwarf_Word language = 0;
        if (dwarf_attr(die, DW_AT_language, &attribute)) dwarf_formudata(&attribute, &language);
        units_.push_back({id_of(die), strings_.add_pooled(name), strings_.add_pooled(directory),
                          static_cast<uint32_t>(language), 0});
        add_files(die, directory);
        if (name && *name == '/' && language != DW_LANG_Mips_Assembler) narrow_root(name);
        add_children(die, 0);
    }

    // Of a DIE of the unit.
    uint64_t id_of(Dwarf_Die *die) const { return dwarf_dieoffset(die) | where_; }

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
        for (size_t i = 0; i < count; ++i)
            unit_files_.push_back(file_number(strings_.add(path_of(files, i, directory))));
    }

    // The file that a DIE of the unit, or one it refers to in another unit, was declared in.
    uint32_t file_of(const Attributes &a, Dwarf_CU *unit) {
        if (a.file_unit == unit) return a.file < unit_files_.size() ? unit_files_[a.file] : 0;
        Dwarf_Die die;
        Dwarf_Files *files = nullptr;
        size_t count = 0;
        if (!a.file_unit || !dwarf_cu_die(a.file_unit, &die, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) ||
            dwarf_getsrcfiles(&die, &files, &count) != 0 || a.file >= count)
            return 0;
        return file_number(strings_.add(path_of(files, a.file, directory_of(&die))));
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
                case DW_TAG_imported_unit:
                    if (Dwarf_Die unit; imported_unit(&child, unit)) add_import(&unit);
                    break;
                default:
                    break;
            }
        } while (dwarf_siblingof(&child, &child) == 0);
    }

    void add_import(Dwarf_Die *unit) {
        const uint64_t id = die_id(dwarf_, unit);
        if (id & kInSupplement) imports_.insert(id);
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
        entry.die = id_of(die);
        entry.name = strings_.add_pooled(a.name);
        entry.linkage_name =
            a.linkage_name && std::strcmp(a.linkage_name, a.name) != 0 ? strings_.add_pooled(a.linkage_name) : 0;
        entry.unit = unit_;
        entry.file = file_of(a, die->cu);
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
                    inlines_.push_back({die_id(dwarf_, &origin), id_of(&child), *pc, unit_, 0});
            }
            if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) add_instances(&child, nesting + 1);
        } while (dwarf_siblingof(&child, &child) == 0);
    }

    void add_variable(Dwarf_Die *die) {
        const Attributes a = attributes_of(die);
        if (!a.name || a.declaration || !(a.location || a.const_value)) return;
        variables_.push_back({id_of(die), strings_.add_pooled(a.name), unit_, a.external ? 1u : 0u, 0});
    }

    // Of many definitions under one name and tag the first of each size is kept.
    void add_type(Dwarf_Die *die, int tag) {
        Attributes a;
        dwarf_getattrs(die, read_attribute, &a, 0);
        if (!a.name || a.declaration) return;
        const StringRef name = strings_.add_pooled(a.name);
        keep_type({id_of(die), name, static_cast<uint32_t>(tag), unit_, 0},
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
            keep_enumerator({id_of(die), value, strings_.add_pooled(name), unit_});
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

    std::string write(std::string_view identity, const KernelLayout &layout, bool supplemented) {
        IndexHeader header = {};
        std::memcpy(header.magic, kIndexMagic, sizeof(header.magic));
        header.version = kIndexVersion;
        header.root = strings_.add(root_);
        header.supplemented = supplemented ? 1 : 0;
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

    Dwarf *dwarf_;
    Strings strings_;
    uint32_t unit_ = 0;
    uint64_t where_ = 0;  // what ids of DIEs of the unit being read have set
    UnitIds imports_;
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

// What the units of the object define, or, when `wanted` is given, those units of its supplement. Calls `meanwhile` in
// this thread once the others are at work.
template <typename Meanwhile>
std::unique_ptr<Builder> read_units(const Object &object, const IndexPlan &plan, const UnitIds *wanted,
                                    Meanwhile meanwhile) {
    const auto from = [wanted](const Object &of) { return wanted ? of.supplement() : of.dwarf(); };
    const std::vector<size_t> starts = portions(from(object), plan.portion);
    std::vector<std::unique_ptr<Builder>> builders(starts.size() - 1);
    std::atomic<size_t> next = 0;
    const auto work = [&](const Object &of) {
        for (size_t i; (i = next++) < builders.size();) {
            builders[i] = std::make_unique<Builder>(of.dwarf());
            builders[i]->add_units(from(of), starts[i], starts[i + 1], wanted);
        }
    };
    // A Dwarf is for one thread. One that cannot have its own leaves the work to the others.
    const unsigned threads = plan.threads ? plan.threads : std::thread::hardware_concurrency();
    std::vector<std::thread> helpers;
    for (size_t i = 1; i < std::min<size_t>(threads, builders.size()); ++i) {
        std::shared_ptr<Object> own = object.again();  // in this thread: opening sets a version in libelf
        if (own)
            helpers.emplace_back([own, &work, &from] {
                if (from(*own)) work(*own);
            });
    }
    meanwhile();
    work(object);
    for (std::thread &helper : helpers)
        helper.join();
    for (size_t i = 1; i < builders.size(); ++i) {
        builders[0]->append(*builders[i]);
        builders[i].reset();
    }
    return std::move(builders[0]);
}

// With the units that these import, and so on.
UnitIds closure(const Object &object, const UnitIds &imports) {
    UnitIds all = imports;
    std::vector<uint64_t> left(imports.begin(), imports.end());
    while (!left.empty()) {
        Dwarf_Die unit, child, imported;
        const bool some = object.die_at(left.back(), unit) && dwarf_child(&unit, &child) == 0;
        left.pop_back();
        if (!some) continue;
        do {
            if (!imported_unit(&child, imported)) continue;
            const uint64_t id = object.id_of(&imported);
            if (all.insert(id).second) left.push_back(id);
        } while (dwarf_siblingof(&child, &child) == 0);
    }
    return all;
}

}  // namespace

std::string build_index(const Object &object, std::string_view identity, const IndexPlan &plan) {
    KernelLayout layout;
    const std::unique_ptr<Builder> builder = read_units(object, plan, nullptr, [&] { layout = kernel_layout(object); });
    if (object.supplement()) {
        const UnitIds wanted = closure(object, builder->imports());
        builder->append(*read_units(object, plan, &wanted, [] {}));
    }
    return builder->finish(identity, layout, object.supplement() != nullptr);
}

}  // namespace tapir::dwarf
