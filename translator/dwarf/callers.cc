// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/callers.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arch/arch.h"
#include "dwarf/attributes.h"
#include "dwarf/evaluator.h"
#include "dwarf/expressions.h"
#include "dwarf/frames.h"
#include "dwarf/index.h"
#include "dwarf/numbers.h"
#include "dwarf/unit_scopes.h"

namespace tapir::dwarf {

struct CallsFound {
    struct Site {
        uint64_t return_pc;
        Dwarf_Die site, caller;
    };
    // The calls of one function, or why they do not show its argument.
    struct Calls {
        std::vector<Site> sites;
        std::string why;
    };

    // The call sites of a unit of one origin, in the order of the debug information.
    struct UnitCall {
        uint64_t origin, site, caller;  // ids
        uint64_t return_pc;
    };

    std::unordered_map<uint64_t, Calls> of_functions;  // by the function's id
    // Calls by the unit's id; one walk looks for all of a unit's functions.
    std::unordered_map<uint64_t, std::vector<UnitCall>> of_units;
    std::unordered_map<uint64_t, std::string> back;  // TailCalls::why_back(), likewise
};

using ctypes::absent;
using ctypes::Place;
using ctypes::TermOp;
using ctypes::TermPtr;

namespace {

using Calls = CallsFound::Calls;
using CallSite = CallsFound::Site;

constexpr size_t kMostCallSites = 32;
constexpr size_t kMostTailCalls = 100;  // that are followed
constexpr int kMostFollowed = 2;        // callers whose own callers may be several

// Returns the id of the unit that a DIE is in; 0 if it is unknown.
uint64_t unit_of(const Object &object, Dwarf_Die *die) {
    Dwarf_Die unit;
    return dwarf_diecu(die, &unit, nullptr, nullptr) ? object.id_of(&unit) : 0;
}

bool is_call_site(int tag) {
    return tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site;
}

bool is_tail_call(Dwarf_Die *site) {
    return flag_of(site, DW_AT_call_tail_call) || flag_of(site, DW_AT_GNU_tail_call);
}

bool origin_of(Dwarf_Die *site, Dwarf_Die &origin) {
    Dwarf_Attribute attribute;
    return (dwarf_attr(site, DW_AT_call_origin, &attribute) || dwarf_attr(site, DW_AT_abstract_origin, &attribute)) &&
           dwarf_formref_die(&attribute, &origin);
}

std::optional<uint64_t> return_pc_of(Dwarf_Die *site) {
    Dwarf_Attribute attribute;
    Dwarf_Addr pc = 0;
    for (const unsigned name : {DW_AT_call_return_pc, DW_AT_low_pc})
        if (dwarf_attr(site, name, &attribute) && dwarf_formaddr(&attribute, &pc) == 0) return pc;
    return std::nullopt;
}

// Calls `visit`, void(Dwarf_Die *site, Dwarf_Die *caller), for the call sites below a DIE.
template <typename Visit>
void for_call_sites(Dwarf_Die *scope, Dwarf_Die *caller, int nesting, Visit &visit) {
    Dwarf_Die child;
    if (nesting > kMaxNesting || dwarf_child(scope, &child) != 0) return;
    do {
        const int tag = dwarf_tag(&child);
        switch (tag) {
            case DW_TAG_subprogram:
                for_call_sites(&child, &child, nesting + 1, visit);
                break;
            case DW_TAG_lexical_block:
            case DW_TAG_inlined_subroutine:
            case DW_TAG_try_block:
            case DW_TAG_catch_block:
            case DW_TAG_namespace:
            case DW_TAG_module:
            case DW_TAG_structure_type:
            case DW_TAG_class_type:
            case DW_TAG_union_type:
                for_call_sites(&child, caller, nesting + 1, visit);
                break;
            default:
                if (is_call_site(tag) && caller) visit(&child, caller);
                break;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

// The direct calls of one function, by what call sites say.
class CallFinder {
  public:
    CallFinder(const Object &object, const Index &index, Dwarf_Die *function)
        : object_(object), index_(index), attributes_(attributes_of(function)) {
        Dwarf_Die at = *function;
        Dwarf_Attribute attribute;
        own_units_.insert(unit_of(object, &at));
        ids_.insert(object.id_of(&at));
        for (const unsigned name : {DW_AT_abstract_origin, DW_AT_specification}) {
            if (!dwarf_attr(&at, name, &attribute) || !dwarf_formref_die(&attribute, &at)) continue;
            ids_.insert(object.id_of(&at));
            own_units_.insert(unit_of(object, &at));
        }
    }

    // True for the DIE from which the function was made, and for a declaration of it.
    bool is_it(Dwarf_Die *origin) {
        const uint64_t id = object_.id_of(origin);
        if (ids_.contains(id)) return true;
        const auto [known, is_new] = others_.try_emplace(id, false);
        if (!is_new || !attributes_.external) return known->second;
        const Attributes other = attributes_of(origin);
        const auto same = [](const char *a, const char *b) { return a && b && std::strcmp(a, b) == 0; };
        const bool linked = attributes_.linkage_name || other.linkage_name;
        known->second = other.external && (linked ? same(attributes_.linkage_name, other.linkage_name)
                                                  : same(attributes_.name, other.name));
        return known->second;
    }

    // At most kMostCallSites and one.
    std::vector<CallSite> find() {
        const auto declaring = index_.declaring(attributes_.name ? attributes_.name : "");
        auto next = declaring.begin();
        for (uint32_t number = 0; number < index_.units().size(); ++number) {
            Dwarf_Die unit;
            if (sites_.size() > kMostCallSites) break;
            while (next != declaring.end() && next->unit < number)
                ++next;
            const bool declares = next != declaring.end() && next->unit == number;
            if (!may_call(number, declares) || !object_.die_at(index_.units()[number].die, unit)) continue;
            for (const CallsFound::UnitCall &call : calls_in(&unit))
                take(call);
        }
        return std::move(sites_);
    }

  private:
    // A unit of C declares the functions of other units that it calls.
    bool may_call(uint32_t number, bool declares) const {
        const UnitEntry &entry = index_.units()[number];
        return own_units_.contains(entry.die) ||
               (attributes_.external && attributes_.name && (declares || has_scopes(entry.language)));
    }

    const std::vector<CallsFound::UnitCall> &calls_in(Dwarf_Die *unit) {
        const auto [known, is_new] = object_.calls_found()->of_units.try_emplace(object_.id_of(unit));
        std::vector<CallsFound::UnitCall> &calls = known->second;
        if (!is_new) return calls;
        auto visit = [&](Dwarf_Die *site, Dwarf_Die *caller) {
            Dwarf_Die origin;
            const auto pc = return_pc_of(site);
            if (pc && !is_tail_call(site) && origin_of(site, origin))
                calls.push_back({object_.id_of(&origin), object_.id_of(site), object_.id_of(caller), *pc});
        };
        for_call_sites(unit, nullptr, 0, visit);
        return calls;
    }

    void take(const CallsFound::UnitCall &call) {
        Dwarf_Die origin, site, caller;
        if (sites_.size() > kMostCallSites) return;
        const bool own = ids_.contains(call.origin);
        if (!own && (!attributes_.external || !object_.die_at(call.origin, origin) || !is_it(&origin))) return;
        if (object_.die_at(call.site, site) && object_.die_at(call.caller, caller))
            sites_.push_back({call.return_pc, site, caller});
    }

    const Object &object_;
    const Index &index_;
    const Attributes attributes_;
    std::set<uint64_t> ids_, own_units_;
    std::unordered_map<uint64_t, bool> others_;
    std::vector<CallSite> sites_;
};

// A function that jumps to itself, at once or through others, has other parameters than its caller has given, with the
// same return address.
class TailCalls {
  public:
    TailCalls(const Object &object, const Index &index, uint64_t function)
        : object_(object), index_(index), function_(function) {}

    // "" if it cannot come back.
    std::string why_back() {
        std::vector<uint64_t> left = {function_};
        std::set<uint64_t> seen;
        while (!left.empty() && why_.empty()) {
            Dwarf_Die die;
            const uint64_t id = left.back();
            left.pop_back();
            if (!seen.insert(id).second || !object_.die_at(id, die)) continue;
            if (seen.size() > kMostTailCalls) return "what it jumps to at its end is too much to follow";
            if (!tells_all(&die)) return "debug information does not have all calls of it";
            auto visit = [&](Dwarf_Die *site, Dwarf_Die *) { follow(site, left); };
            for_call_sites(&die, &die, 0, visit);
        }
        return why_;
    }

  private:
    static bool tells_all(Dwarf_Die *die) {
        for (const unsigned name : {DW_AT_call_all_calls, DW_AT_call_all_tail_calls, DW_AT_call_all_source_calls,
                                    DW_AT_GNU_all_call_sites, DW_AT_GNU_all_tail_call_sites})
            if (flag_of(die, name)) return true;
        return false;
    }

    void follow(Dwarf_Die *site, std::vector<uint64_t> &left) {
        Dwarf_Die origin;
        if (!is_tail_call(site)) return;
        if (!origin_of(site, origin)) {
            why_ = "it ends with a jump through a pointer, which may come back to it";
            return;
        }
        const FunctionEntry *entry = called_function(object_, index_, site, &origin);
        if (!entry && is_exported())
            why_ = "it ends with a jump to a function of another file, which may come back to it";
        if (entry && entry->die == function_) why_ = "it may be entered again by a jump";
        if (entry) left.push_back(entry->die);
    }

    // Can other objects name the function?
    bool is_exported() const {
        Dwarf_Die die;
        GElf_Addr bias = 0;
        GElf_Shdr header;
        const auto entry = object_.die_at(function_, die) ? entry_pc(&die) : std::nullopt;
        Elf *elf = entry ? dwfl_module_getelf(object_.module(), &bias) : nullptr;
        for (Elf_Scn *section = nullptr; elf && (section = elf_nextscn(elf, section));) {
            if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM || !header.sh_entsize) continue;
            Elf_Data *data = elf_getdata(section, nullptr);
            for (size_t i = 0; data && i < data->d_size / header.sh_entsize; ++i) {
                GElf_Sym symbol;
                if (gelf_getsym(data, static_cast<int>(i), &symbol) && symbol.st_value == *entry &&
                    symbol.st_shndx != SHN_UNDEF)
                    return true;
            }
        }
        return false;
    }

    const Object &object_;
    const Index &index_;
    const uint64_t function_;
    std::string why_;
};

bool is_parameter(Dwarf_Die *described, const CallerParameter &parameter, const Object &object) {
    Dwarf_Attribute attribute;
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (!parameter.die.addr)
        return dwarf_attr(described, DW_AT_location, &attribute) && expression_of(attribute, ops, count) == 0 &&
               single_register(ops, count) == parameter.reg;
    Dwarf_Die of, wanted = parameter.die;
    return (dwarf_attr(described, DW_AT_call_parameter, &attribute) ||
            dwarf_attr(described, DW_AT_abstract_origin, &attribute)) &&
           dwarf_formref_die(&attribute, &of) && object.id_of(&of) == object.id_of(&wanted);
}

LocationContext caller_context(const CallSite &call, Dwarf_Die &caller, const LocationContext &context,
                               const CallerFrame &frame) {
    return {context.object, call.return_pc - 1, &caller, false, context.index, &frame, context.frames};
}

// Returns a call site's value of the parameter; null if it has none that can be read here.
TermPtr value_at(const CallSite &call, const CallerParameter &parameter, const LocationContext &context,
                 const CallerFrame &frame, int depth) {
    Dwarf_Die child, site = call.site, caller = call.caller;
    if (dwarf_child(&site, &child) != 0) return nullptr;
    do {
        const int tag = dwarf_tag(&child);
        if (tag != DW_TAG_call_site_parameter && tag != DW_TAG_GNU_call_site_parameter) continue;
        Dwarf_Attribute value;
        Dwarf_Op *ops = nullptr;
        size_t count = 0;
        if (!is_parameter(&child, parameter, context.object)) continue;
        if ((!dwarf_attr(&child, DW_AT_call_value, &value) && !dwarf_attr(&child, DW_AT_GNU_call_site_value, &value)) ||
            expression_of(value, ops, count) != 0)
            return nullptr;
        const LocationContext at = caller_context(call, caller, context, frame);
        return Evaluator(at, &value, depth).run(ops, count).term;
    } while (dwarf_siblingof(&child, &child) == 0);
    return nullptr;
}

const Calls &calls_of(const Object &object, const Index &index, Dwarf_Die *function) {
    std::shared_ptr<CallsFound> &found = object.calls_found();
    if (!found) found = std::make_shared<CallsFound>();
    const uint64_t id = object.id_of(function);
    const auto [known, is_new] = found->of_functions.try_emplace(id);
    Calls &calls = known->second;
    if (!is_new) return calls;
    calls.why = TailCalls(object, index, id).why_back();
    if (!calls.why.empty()) return calls;
    calls.sites = CallFinder(object, index, function).find();
    if (calls.sites.empty()) calls.why = "no call of it is known";
    if (calls.sites.size() > kMostCallSites)
        calls.why = "more than " + std::to_string(kMostCallSites) + " places call it";
    return calls;
}

// Returns why a return address does not identify the function's arguments; "" if it does.
const std::string &why_entered_again(const Object &object, const Index &index, Dwarf_Die *function) {
    std::shared_ptr<CallsFound> &found = object.calls_found();
    if (!found) found = std::make_shared<CallsFound>();
    const uint64_t id = object.id_of(function);
    const auto [known, is_new] = found->back.try_emplace(id);
    if (is_new) known->second = TailCalls(object, index, id).why_back();
    return known->second;
}

// Returns a condition: the call before a return address called this function. Null if it did not, or if that is
// unknown.
TermPtr called_this(const CallSite &call, const LocationContext &context, const CallerFrame &frame, int depth) {
    Dwarf_Die origin, site = call.site, caller = call.caller;
    const auto entry = entry_pc(context.function);
    if (!entry) return nullptr;
    if (origin_of(&site, origin)) {
        if (CallFinder(context.object, *context.index, context.function).is_it(&origin))
            return ctypes::constant_term(1);
        const Attributes attributes = attributes_of(&origin);
        const char *name = attributes.linkage_name ? attributes.linkage_name : attributes.name;
        const bool same = name && attributes.external && context.object.symbol_address(name) == *entry;
        return same ? ctypes::constant_term(1) : nullptr;
    }
    Dwarf_Attribute target;
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if ((!dwarf_attr(&site, DW_AT_call_target, &target) && !dwarf_attr(&site, DW_AT_GNU_call_site_target, &target)) ||
        expression_of(target, ops, count) != 0)
        return nullptr;
    const LocationContext at = caller_context(call, caller, context, frame);
    const Place place = Evaluator(at, &target, depth).run(ops, count);
    if (!place.term || place.kind == Place::Kind::Absent) return nullptr;
    return ctypes::make_term(TermOp::Equal, place.term, ctypes::relocated_term(*entry));
}

std::optional<CallSite> call_before(const LocationContext &context, uint64_t return_pc) {
    std::optional<CallSite> found;
    Dwarf_Die caller;
    if (!subprogram_at(context.object, *context.index, return_pc - 1, caller)) return found;
    auto visit = [&](Dwarf_Die *site, Dwarf_Die *of) {
        if (!found && !is_tail_call(site) && return_pc_of(site) == return_pc) found = CallSite{return_pc, *site, *of};
    };
    for_call_sites(&caller, &caller, 0, visit);
    return found;
}

}  // namespace

CallerFrame::CallerFrame(const LocationContext &context)
    : context_(context), frame_(context.object.frame(context.pc)) {}

TermPtr CallerFrame::value_of(uint64_t reg) const {
    Dwarf_Op space[3], *ops = nullptr;
    size_t count = 0;
    if (!frame_ || reg > INT32_MAX ||
        dwarf_frame_register(frame_.get(), static_cast<int>(reg), space, &ops, &count) != 0)
        return nullptr;
    // A register without a rule is unchanged only if functions must preserve it. libdw gives the same answer for lost
    // registers, because its defaults lack one of these. Compilers mark none of them as lost.
    if (count == 0) {
        const arch::Arch *arch = arch::find(context_.object.machine());
        const bool is_kept = arch && reg < 64 && (arch->preserved >> reg & 1);
        if (!is_kept) return nullptr;
        return context_.frame ? context_.frame->value_of(reg) : ctypes::register_term(static_cast<int64_t>(reg));
    }
    const Place place = Evaluator(context_, nullptr, kMaxExpressionDepth).run(ops, count);
    switch (place.kind) {
        case Place::Kind::Memory:
            return ctypes::load_term(8, place.term);
        case Place::Kind::Register:
        case Place::Kind::Value:
            return place.term;
        default:
            return nullptr;
    }
}

TermPtr CallerFrame::return_address() const {
    const int column = frame_ ? dwarf_frame_info(frame_.get(), nullptr, nullptr, nullptr) : -1;
    return column < 0 ? nullptr : value_of(static_cast<uint64_t>(column));
}

std::optional<uint64_t> single_register(const Dwarf_Op *ops, size_t count) {
    if (count != 1) return std::nullopt;
    if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) return ops[0].atom - DW_OP_reg0;
    return ops[0].atom == DW_OP_regx ? std::optional(ops[0].number) : std::nullopt;
}

Place value_from_callers(const CallerParameter &parameter, const LocationContext &context, int depth) {
    const CallerFrame frame(context);
    const TermPtr from = frame.return_address();
    if (!from) return absent("the return address is not known here");
    const Calls &calls = calls_of(context.object, *context.index, context.function);
    if (!calls.why.empty()) return absent(calls.why);
    Place place;
    place.term = ctypes::unknown_term();
    for (const CallSite &site : calls.sites) {
        TermPtr value = value_at(site, parameter, context, frame, depth);
        if (!value) continue;
        TermPtr is_it = ctypes::make_term(TermOp::Equal, from, ctypes::relocated_term(site.return_pc));
        place.term = ctypes::select_term(std::move(is_it), std::move(value), std::move(place.term));
        place.kind = Place::Kind::Value;
    }
    return place.kind == Place::Kind::Value ? place : absent("its callers do not have it any longer");
}

Place value_from_frames(const CallerParameter &parameter, const LocationContext &context, int depth) {
    const CallerFrame frame(context);
    const TermPtr from = frame.return_address();
    if (!from) return absent("the return address is not known here");
    if (const std::string &why = why_entered_again(context.object, *context.index, context.function); !why.empty())
        return absent(why);
    Place place;
    place.term = ctypes::unknown_term();
    const auto callers = context.frames->find(context.pc);
    if (callers == context.frames->end()) return absent("its caller is another object's");
    // Values from callers of callers multiply.
    if (callers->second.size() > (depth > kMostFollowed ? 1 : kMostCallSites))
        return absent("too many places called it");
    for (const uint64_t return_pc : callers->second) {
        const auto call = call_before(context, return_pc);
        TermPtr value = call ? value_at(*call, parameter, context, frame, depth) : nullptr;
        TermPtr is_it = value ? called_this(*call, context, frame, depth) : nullptr;
        if (!is_it) continue;
        TermPtr returns = ctypes::make_term(TermOp::Equal, from, ctypes::relocated_term(return_pc));
        if (is_it->op != TermOp::Constant)
            value = ctypes::select_term(std::move(is_it), std::move(value), ctypes::unknown_term());
        place.term = ctypes::select_term(std::move(returns), std::move(value), std::move(place.term));
        place.kind = Place::Kind::Value;
    }
    return place.kind == Place::Kind::Value ? place : absent("its caller does not have it any longer");
}

const FunctionEntry *called_function(const Object &object, const Index &index, Dwarf_Die *call, Dwarf_Die *origin) {
    const char *name = dwarf_diename(origin);
    if (!name) return nullptr;
    const uint64_t die = object.id_of(origin), origin_unit = unit_of(object, origin), call_unit = unit_of(object, call);
    const FunctionEntry *best = nullptr;
    int best_rank = 0;
    for (const FunctionEntry &entry : index.functions(name)) {
        if (!(entry.flags & kOutOfLine)) continue;
        const uint64_t unit = entry.unit < index.units().size() ? index.units()[entry.unit].die : 0;
        const int rank = entry.die == die          ? 4
                         : unit == origin_unit     ? 3
                         : unit == call_unit       ? 2
                         : entry.flags & kExternal ? 1
                                                   : 0;
        if (rank > best_rank) best = &entry;
        best_rank = std::max(best_rank, rank);
    }
    return best;
}

}  // namespace tapir::dwarf
