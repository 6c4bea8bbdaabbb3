// SPDX-License-Identifier: GPL-2.0-or-later
// netfilter.hook("NAME").pf("FAMILY"): packets on their way through the kernel's network filters.
#include <charconv>
#include <limits>

#include "probes/form.h"
#include "probes/kinds_table.h"
#include "target/function_scope.h"

namespace tapir::probes {

namespace {

constexpr Form kNetfilterForms[] = {
    {"netfilter.hook(string).pf(string)"},
    {"netfilter.hook(string).pf(string).priority(string)"},
    {"netfilter.pf(string).hook(string)"},
    {"netfilter.pf(string).hook(string).priority(string)"},
};

// Numbers of the kernel's interface to programs: linux/netfilter.h, linux/netfilter_arp.h,
// linux/netfilter_bridge.h, linux/netfilter_ipv4.h.
struct Name {
    std::string_view name;
    int64_t number;
};
constexpr int64_t kFirst = std::numeric_limits<int32_t>::min(), kLast = std::numeric_limits<int32_t>::max();
constexpr Name kFamilies[] = {
    {"NFPROTO_INET", 1},   {"NFPROTO_IPV4", 2}, {"PF_INET", 2},       {"NFPROTO_ARP", 3},
    {"NFPROTO_BRIDGE", 7}, {"PF_BRIDGE", 7},    {"NFPROTO_IPV6", 10}, {"PF_INET6", 10},
};
constexpr Name kHooks[] = {
    {"NF_INET_PRE_ROUTING", 0}, {"NF_INET_LOCAL_IN", 1},     {"NF_INET_FORWARD", 2},
    {"NF_INET_LOCAL_OUT", 3},   {"NF_INET_POST_ROUTING", 4}, {"NF_IP_PRE_ROUTING", 0},
    {"NF_IP_LOCAL_IN", 1},      {"NF_IP_FORWARD", 2},        {"NF_IP_LOCAL_OUT", 3},
    {"NF_IP_POST_ROUTING", 4},  {"NF_IP6_PRE_ROUTING", 0},   {"NF_IP6_LOCAL_IN", 1},
    {"NF_IP6_FORWARD", 2},      {"NF_IP6_LOCAL_OUT", 3},     {"NF_IP6_POST_ROUTING", 4},
    {"NF_BR_PRE_ROUTING", 0},   {"NF_BR_LOCAL_IN", 1},       {"NF_BR_FORWARD", 2},
    {"NF_BR_LOCAL_OUT", 3},     {"NF_BR_POST_ROUTING", 4},   {"NF_ARP_IN", 0},
    {"NF_ARP_OUT", 1},          {"NF_ARP_FORWARD", 2},
};
constexpr Name kPriorities[] = {
    {"NF_IP_PRI_FIRST", kFirst},  {"NF_IP_PRI_RAW", -300},     {"NF_IP_PRI_CONNTRACK", -200},
    {"NF_IP_PRI_MANGLE", -150},   {"NF_IP_PRI_NAT_DST", -100}, {"NF_IP_PRI_FILTER", 0},
    {"NF_IP_PRI_SECURITY", 50},   {"NF_IP_PRI_NAT_SRC", 100},  {"NF_IP_PRI_LAST", kLast},
    {"NF_IP6_PRI_FIRST", kFirst}, {"NF_IP6_PRI_MANGLE", -150}, {"NF_IP6_PRI_FILTER", 0},
    {"NF_IP6_PRI_LAST", kLast},   {"NF_BR_PRI_FIRST", kFirst}, {"NF_BR_PRI_FILTER_BRIDGED", -200},
    {"NF_BR_PRI_BRNF", 0},        {"NF_BR_PRI_LAST", kLast},
};
constexpr int64_t kInet = 2, kInet6 = 10, kBridge = 7, kArp = 3, kAnyInet = 1;

// A name of the table or a number; false and a report for others.
bool number_of(const ast::PointComponent &component, std::span<const Name> names, const ResolveContext &context,
               int64_t &number) {
    const std::string &text = string_argument(component);
    for (const Name &name : names) {
        if (name.name != text) continue;
        number = name.number;
        return true;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && number >= kFirst && number <= kLast) return true;
    std::string known;
    for (const Name &name : names)
        known += (known.empty() ? "" : ", ") + std::string(name.name);
    context.diagnostics.report(Tag::NetfilterName, component.arg->at,
                               "." + component.name + "() is a number or one of " + known);
    return false;
}

// Returns machine::features()' name for a family. A kernel may lack one family while it has others.
std::string_view feature_of(int64_t family) {
    return family == kArp ? "netfilter.arp" : family == kBridge ? "netfilter.bridge" : "netfilter";
}

int64_t hooks_of(int64_t family) {
    switch (family) {
        case kInet:
        case kInet6:
        case kAnyInet:
        case kBridge:
            return 5;
        case kArp:
            return 3;
        default:
            return 0;
    }
}

void resolve_netfilter(const ast::ProbePoint &point, size_t, const ResolveContext &context, std::vector<Attach> &out) {
    static const auto scope = std::make_shared<target::FunctionScope>(
        std::vector<target::FunctionVariable>{{"skb", "__netfilter_skb", "", "", false},
                                              {"in", "__netfilter_in", "", "", false},
                                              {"out", "__netfilter_out", "", "", false},
                                              {"state", "__netfilter_state", "", "", false},
                                              {"hook", "__netfilter_hook", "", "", false},
                                              {"pf", "__netfilter_pf", "", "", false},
                                              {"verdict", "__netfilter_verdict", "__netfilter_set_verdict", "", true}});
    Attach attach;
    attach.kind = Kind::Netfilter;
    attach.point = point.str();
    attach.scope = scope;
    int64_t hook = 0, family = 0, priority = 0;
    for (const ast::PointComponent &component : point.components) {
        if (component.name == "hook" && !number_of(component, kHooks, context, hook)) return;
        if (component.name == "pf" && (!number_of(component, kFamilies, context, family) ||
                                       !is_configured(feature_of(family), component.arg->at, context)))
            return;
        if (component.name == "priority" && !number_of(component, kPriorities, context, priority)) return;
    }
    if (hook < 0 || hook >= hooks_of(family)) {
        context.diagnostics.report(Tag::NetfilterName, point.components[1].arg->at,
                                   "there is no hook " + std::to_string(hook) + " of family " + std::to_string(family));
        return;
    }
    attach.arg = PacketFilter{static_cast<uint8_t>(family), static_cast<uint8_t>(hook), static_cast<int32_t>(priority)};
    out.push_back(std::move(attach));
}

void write_netfilter(const Attach &attach, Arg &out) {
    const auto &filter = attach.as<PacketFilter>();
    out.type("tapir_netfilter_arg");
    out.number("family", filter.family);
    out.number("hook", filter.hook);
    out.number("priority", filter.priority);
}

}  // namespace

const KindOps kNetfilter = {.forms = kNetfilterForms, .resolve = resolve_netfilter, .write_arg = write_netfilter};

}  // namespace tapir::probes
