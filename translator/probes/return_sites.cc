// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/return_sites.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "dwarf/entry_frame.h"
#include "target/function_exits.h"
#include "target/go_calls.h"

namespace tapir::probes {

namespace {

// They keep their return address, and longjmp() and the like return there once more.
bool keeps_return_address(const dwarf::Object &object, uint64_t entry) {
    constexpr std::string_view kNames[] = {"setjmp",      "_setjmp",    "sigsetjmp",
                                           "__sigsetjmp", "getcontext", "swapcontext"};
    const std::vector<std::string_view> names = object.symbols().functions_at(entry);
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
        return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
    });
}

}  // namespace

ReturnWay find_return(const target::DebugObject &object, const dwarf::CodeSite &function, uint64_t entry) {
    ReturnWay way;
    const std::string why = dwarf::why_no_return_address(*object.object, entry);
    if (!why.empty()) {
        way.refused = why + ", and where a call has its return address is something else";
        return way;
    }
    const target::FunctionExits exits = target::function_exits(object, entry);
    const bool is_go = target::is_go(object, function);
    way.by_kernel = exits.why_not;
    if (!way.by_kernel.empty()) {
        if (is_go)
            way.refused = way.by_kernel +
                          ". The kernel's return probe cannot be used instead: Go moves stacks while functions run "
                          "and reads the return addresses on them, in whose place the kernel puts its own";
        else if (keeps_return_address(*object.object, entry))
            way.refused = way.by_kernel +
                          ". The kernel's return probe cannot be used instead: it puts an address of its own in place "
                          "of the return address, which this function keeps to return there again";
        return way;
    }
    for (const uint64_t address : exits.returns)
        if (const auto offset = object.program->code_offset(address)) way.exits.push_back(*offset);
    way.comes_back = exits.comes_back;
    way.never = way.exits.empty();
    if (way.never) way.refused = "no instruction of it returns";
    if (!is_go) return way;
    const target::GoCallKey key = target::go_call_key(object, function);
    way.goroutine = key == target::GoCallKey::Goroutine;
    if (key == target::GoCallKey::Unknown && way.refused.empty())
        way.refused =
            "where it keeps its goroutine is not known, so that calls are lost when stacks move; Go 1.17 "
            "and later keep it in a register, and debug information or the table of functions of Go 1.18 "
            "and later tell so";
    return way;
}

void warn_of_kernel_returns(const ast::ProbePoint &point, const target::DebugObject &object,
                            const std::vector<FunctionSite> &sites, const ResolveContext &context) {
    const auto followed = [](const FunctionSite &site) { return !site.by_kernel.empty(); };
    const auto first = std::find_if(sites.begin(), sites.end(), followed);
    if (first == sites.end()) return;
    const auto count = std::count_if(first, sites.end(), followed);
    std::string who = "'" + first->label + "'";
    if (count > 1) who += " or of " + std::to_string(count - 1) + " other functions";
    who += " in '" + object.module + "'";
    const std::string why =
        " while its return is probed ends the process: the kernel replaces its return address, for " +
        first->by_kernel + "; probe its entry or statements if it may ";
    if (target::unwinds_for_exceptions(*object.object))
        context.diagnostics.report(Tag::ReturnMeetsExceptions, point.at,
                                   "an exception or a panic that leaves the call of " + who + why + "throw");
    if (target::switches_stacks(*object.object))
        context.diagnostics.report(
            Tag::ReturnMeetsCoroutines, point.at,
            "a coroutine that is left for another one within the call of " + who + why + "switch stacks");
}

}  // namespace tapir::probes
