// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the functions that a function calls or has inlined.
#include <dwarf.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "arch/arch.h"
#include "dwarf/callers.h"
#include "dwarf/functions.h"
#include "dwarf/line_rows.h"
#include "dwarf/unit_scopes.h"
#include "names/qualified_name.h"

namespace tapir::dwarf {

namespace {

// Blocks within each other are entered no deeper, callees of callees neither.
constexpr int64_t kMaxDepth = 16;

bool address_of(Dwarf_Die *die, unsigned name, uint64_t &address) {
    Dwarf_Attribute attribute;
    Dwarf_Addr value = 0;
    if (!dwarf_attr(die, name, &attribute) || dwarf_formaddr(&attribute, &value) != 0) return false;
    address = value;
    return true;
}

// Makes a site one of an inlined instance of a function.
void enter_instance(const Object &object, const Index &index, Dwarf_Die *instance, Dwarf_Die *origin, CodeSite &site) {
    const char *name = dwarf_diename(origin);
    site.function = object.id_of(instance);
    site.at_entry = false;
    site.inlined = true;
    site.name = name ? name : "";
    site.shown.clear();
    site.file = site.line = 0;
    for (const FunctionEntry &entry : index.functions(site.name)) {
        if (entry.die != object.id_of(origin)) continue;
        std::tie(site.file, site.line) = std::tie(entry.file, entry.line);
        site.name = index.qualified_name(entry.scope, entry.name);
        return;
    }
}

class Finder {
  public:
    Finder(const Object &object, const Index &index, std::string_view pattern)
        : object_(object), index_(index), pattern_(pattern) {}

    void add_caller(const CodeSite &caller, int64_t depth) {
        root_ = std::make_shared<const CodeSite>(caller);
        add(caller, depth);
    }

    void add(const CodeSite &caller, int64_t depth) {
        Dwarf_Die die;
        if (depth <= 0 || !seen_.insert({caller.function, depth}).second) return;
        if (object_.die_at(caller.function, die)) enter(&die, caller, depth, 0);
    }

    std::vector<CodeSite> take() {
        const auto order = [](const CodeSite &a, const CodeSite &b) {
            return std::tie(a.name, a.pc, a.call) < std::tie(b.name, b.pc, b.call);
        };
        const auto same = [](const CodeSite &a, const CodeSite &b) {
            return a.name == b.name && a.pc == b.pc && a.call == b.call;
        };
        std::sort(sites_.begin(), sites_.end(), order);
        sites_.erase(std::unique(sites_.begin(), sites_.end(), same), sites_.end());
        return std::move(sites_);
    }

  private:
    void enter(Dwarf_Die *scope, const CodeSite &caller, int64_t depth, int nesting) {
        Dwarf_Die child;
        if (nesting > kMaxNesting || dwarf_child(scope, &child) != 0) return;
        do {
            switch (dwarf_tag(&child)) {
                case DW_TAG_lexical_block:
                    enter(&child, caller, depth, nesting + 1);
                    break;
                case DW_TAG_inlined_subroutine:
                    add_inlined(&child, caller, depth);
                    break;
                case DW_TAG_call_site:
                case DW_TAG_GNU_call_site:
                    add_call(&child, depth);
                    break;
                default:
                    break;
            }
        } while (dwarf_siblingof(&child, &child) == 0);
    }

    void found(const CodeSite &site, int64_t depth) {
        if (pattern_.matches(split_name(site.name).parts, NamePattern::Mode::Literal)) sites_.push_back(site);
        add(site, depth - 1);
    }

    void add_inlined(Dwarf_Die *die, const CodeSite &caller, int64_t depth) {
        Dwarf_Attribute attribute;
        Dwarf_Die origin;
        const auto pc = entry_pc(die);
        if (!pc || !dwarf_attr(die, DW_AT_abstract_origin, &attribute) || !dwarf_formref_die(&attribute, &origin))
            return;
        if (!dwarf_diename(&origin)) return;
        CodeSite site = caller;
        site.pc = *pc;
        site.call = 0;
        site.caller = root_;
        enter_instance(object_, index_, die, &origin, site);
        found(site, depth);
    }

    void add_call(Dwarf_Die *die, int64_t depth) {
        Dwarf_Attribute attribute;
        Dwarf_Die origin;
        if (!dwarf_attr(die, DW_AT_call_origin, &attribute) && !dwarf_attr(die, DW_AT_abstract_origin, &attribute))
            return;
        const FunctionEntry *entry =
            dwarf_formref_die(&attribute, &origin) ? called_function(object_, index_, die, &origin) : nullptr;
        uint64_t call = 0, after = 0;
        if (!entry) return;
        if (!address_of(die, DW_AT_call_pc, call) &&
            (address_of(die, DW_AT_call_return_pc, after) || address_of(die, DW_AT_low_pc, after)))
            call = call_before(after);
        if (!call) return;
        CodeSite site;
        site.caller = root_;
        site.jump = dwarf_hasattr(die, DW_AT_call_tail_call) || dwarf_hasattr(die, DW_AT_GNU_tail_call);
        site.pc = entry->entry;
        site.call = call;
        site.function = entry->die;
        site.unit = entry->unit;
        site.at_entry = true;
        site.name = index_.qualified_name(entry->scope, entry->name);
        site.file = entry->file;
        site.line = entry->line;
        found(site, depth);
    }

    // Returns the call or jump that ends at `end`, as the debug information has it; 0 if no instruction there has the
    // target in itself.
    uint64_t call_before(uint64_t end) const {
        const arch::Arch *arch = arch::find(object_.machine());
        std::array<unsigned char, arch::kLongestCall> bytes = {};
        if (!arch || end < bytes.size() || !object_.read_code(end - bytes.size(), bytes)) return 0;
        const size_t length = arch->call_length(bytes);
        return length ? end - length : 0;
    }

    const Object &object_;
    const Index &index_;
    const NamePattern pattern_;
    std::shared_ptr<const CodeSite> root_;
    std::set<std::pair<uint64_t, int64_t>> seen_;
    std::vector<CodeSite> sites_;
};

}  // namespace

std::vector<CodeSite> find_callees(const Object &object, const Index &index, const std::vector<CodeSite> &callers,
                                   std::string_view name, int64_t depth) {
    if (!object.dwarf()) return {};
    Finder finder(object, index, name);
    for (const CodeSite &caller : callers)
        finder.add_caller(caller, std::min(depth, kMaxDepth));
    return finder.take();
}

CodeSite site_at(const Object &object, const Index &index, uint64_t address) {
    CodeSite site;
    site.pc = address;
    const FunctionEntry *entry = index.function_at(address);
    Dwarf_Die die;
    if (!entry || !object.die_at(entry->die, die) || dwarf_haspc(&die, address) != 1) return site;
    site.function = entry->die;
    site.unit = entry->unit;
    site.at_entry = address == entry->entry;
    site.name = index.qualified_name(entry->scope, entry->name);
    site.file = entry->file;
    site.line = entry->line;
    return site;
}

uint64_t statement_begin(const Object &object, uint64_t function, uint64_t address) {
    uint64_t begin = 0;
    Dwarf_Die die;
    if (!object.die_at(function, die)) return address;
    for_each_row(&die, [&](Dwarf_Line *row, uint64_t at) {
        bool begins = false;
        if (at <= address && dwarf_linebeginstatement(row, &begins) == 0 && begins) begin = std::max(begin, at);
    });
    return begin ? begin : address;
}

// The block or inlined instance of a scope that an address is in.
static bool enter_scope(Dwarf_Die *scope, uint64_t address, Dwarf_Die &inner) {
    if (dwarf_child(scope, &inner) != 0) return false;
    do {
        const int tag = dwarf_tag(&inner);
        if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) && dwarf_haspc(&inner, address) == 1)
            return true;
    } while (dwarf_siblingof(&inner, &inner) == 0);
    return false;
}

CodeSite innermost_site_at(const Object &object, const Index &index, uint64_t address) {
    CodeSite site = site_at(object, index, address);
    Dwarf_Die scope, inner, origin;
    if (!object.die_at(site.function, scope)) return site;
    for (int nesting = 0; nesting < kMaxNesting && enter_scope(&scope, address, inner); ++nesting) {
        Dwarf_Attribute attribute;
        scope = inner;
        if (dwarf_tag(&scope) == DW_TAG_inlined_subroutine && dwarf_attr(&scope, DW_AT_abstract_origin, &attribute) &&
            dwarf_formref_die(&attribute, &origin))
            enter_instance(object, index, &scope, &origin, site);
    }
    return site;
}

}  // namespace tapir::dwarf
