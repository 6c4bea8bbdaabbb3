// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/examine.h"

#include <algorithm>

#include "machine/advice.h"

namespace tapir::machine {

namespace {

Finding rights(const Facts &facts) {
    if (facts.may_load != Answer::No) return {State::Ok, "rights", "this process may load modules", true};
    if (facts.is_root == Answer::No)
        return {State::Off, "rights", "only root may load modules: run as root (translating a script needs no rights)",
                true};
    return {State::Off, "rights",
            "this process may not load modules, as in a container or without the capability CAP_SYS_MODULE: run on the "
            "host, "
            "in a container that was given the capability, or in a guest (stap --vm)",
            true};
}

Finding modules(const Facts &facts) {
    if (!facts.takes_modules)
        return {State::Missing, "modules", "the kernel is built without loadable modules (CONFIG_MODULES)", true};
    if (facts.modules_disabled)
        return {State::Off, "modules", "the kernel loads none until it is booted again (kernel.modules_disabled is 1)",
                true};
    return {State::Ok, "modules", "the kernel loads them", true};
}

const KernelKey *find_key(const Details &details, const std::string &id) {
    const auto found =
        std::find_if(details.keys.begin(), details.keys.end(), [&id](const KernelKey &key) { return key.id == id; });
    return found == details.keys.end() ? nullptr : &*found;
}

// "; it knows the keys 'A' and 'B'"
std::string known_keys(const Details &details) {
    constexpr size_t kMost = 8;
    std::string names;
    for (size_t i = 0; i < details.keys.size() && i < kMost; ++i)
        names += (i == 0 ? "'" : ", '") + details.keys[i].name + "'";
    if (details.keys.size() > kMost) names += " and " + std::to_string(details.keys.size() - kMost) + " more";
    if (!names.empty()) return "; it knows the keys " + names;
    return "; which keys it knows, only root sees (/proc/keys)";
}

// Examines a kernel that takes only signed modules.
Finding signing(const std::string &why, const Facts &facts, const Details &details) {
    const std::string head = "this kernel accepts only signed modules (" + why + ")";
    const SigningKey &own = details.signing_key;
    const auto off = [&](const std::string &what) {
        return Finding{State::Off, "signatures", head + known_keys(details) + ": " + what, true};
    };
    if (own.path.empty()) {
        for (const SigningKey &other : details.other_keys)
            if (other.problem.empty() && find_key(details, other.id))
                return off("stap --sign-key=" + other.path + " signs with '" + other.subject +
                           "', which is among them (docs/secure-boot.md)");
        return off(signature_advice(facts));
    }
    if (!own.problem.empty()) return off("modules cannot be signed: " + own.problem);
    const std::string key = "'" + own.subject + "' (" + own.path + ")";
    const KernelKey *known = find_key(details, own.id);
    if (known && known->certain)
        return {State::Ok, "signatures", head + ", and stap signs them with " + key + ", which it trusts", true};
    if (known)
        return {State::Note, "signatures",
                head + ", and stap signs them with " + key +
                    ", which the firmware has: kernels of Debian, Ubuntu and Fedora take it, others do not",
                true};
    if (details.keys.empty())
        return {
            State::Note, "signatures",
            head + ", and stap signs them with " + key + "; whether it trusts that key, only root sees (/proc/keys)",
            true};
    return off("it does not know " + key + ", which stap signs with: mokutil --import the certificate " +
               own.certificate + " (in DER), boot again, and enrol it there");
}

// Secure Boot alone demands nothing: the kernel's lockdown, which it brings with it, does.
Finding signatures(const Facts &facts, const Details &details) {
    if (!facts.lockdown.empty())
        return signing((facts.secure_boot == Answer::Yes ? "Secure Boot, lockdown " : "lockdown ") + facts.lockdown,
                       facts, details);
    if (facts.signatures_enforced == Answer::Yes) return signing("module.sig_enforce", facts, details);
    return {State::Ok, "signatures", "modules need none", true};
}

Finding ftrace(const Facts &facts) {
    if (facts.ftrace_enabled != Answer::No) return {State::Ok, "function tracer", "not switched off"};
    return {State::Off, "function tracer",
            std::string("kernel.ftrace_enabled is 0, probes of kernel functions do not work: ") + kFtraceAdvice};
}

Finding kprobes(const Facts &facts) {
    if (facts.kprobes_enabled != Answer::No) return {State::Ok, "kprobes", "not switched off"};
    return {State::Off, "kprobes",
            std::string("/sys/kernel/debug/kprobes/enabled is 0, probes of kernel functions do not work: ") +
                kKprobesAdvice};
}

Finding symbols(const Facts &facts, const Details &details) {
    if (details.symbols_readable != Answer::No) return {State::Ok, "symbols", "/proc/kallsyms shows their addresses"};
    if (facts.is_root == Answer::No)
        return {State::Note, "symbols", "/proc/kallsyms shows their addresses to root only"};
    return {State::Off, "symbols",
            "/proc/kallsyms shows no addresses, scripts that name more than a few symbols of the kernel do not work: "
            "sysctl "
            "kernel.kptr_restrict=1"};
}

// Kinds that a switch of the running kernel turns off.
std::string switched_off(std::string_view kind, const Facts *facts) {
    const bool functions = kind == "function" || kind == "return" || kind == "process";
    if (!facts || !(functions || kind == "statement")) return {};
    if (functions && facts->ftrace_enabled == Answer::No) return "the function tracer is off";
    return facts->kprobes_enabled == Answer::No ? "kprobes are off" : "";
}

// Describes a drawback of a kind that works, or "".
std::string drawback(std::string_view kind, const OptionValue &value) {
    if (kind == "timer" && value("CONFIG_HIGH_RES_TIMERS").empty())
        return "the kernel was built without CONFIG_HIGH_RES_TIMERS: they fire at its ticks";
    if (kind == "function" && value("CONFIG_DYNAMIC_FTRACE").empty())
        return "the kernel was built without CONFIG_DYNAMIC_FTRACE: each hit costs several times as much";
    return {};
}

}  // namespace

Group examine_running(const Facts &facts, const Details &details) {
    return {"Running scripts on " + facts.release,
            {rights(facts), modules(facts), signatures(facts, details), ftrace(facts), kprobes(facts),
             symbols(facts, details)}};
}

Group examine_kinds(const std::string &config, const Facts *facts) {
    Group group{"Probe kinds", {}};
    if (config.empty()) {
        group.findings.push_back(
            {State::Note, "configuration",
             "not found (/proc/config.gz, /boot/config-RELEASE): which probe kinds the kernel has is "
             "not known"});
        return group;
    }
    const OptionValue value = options_of(config);
    for (const Feature &feature : features()) {
        const bool all = feature.name == "modules";
        Finding finding{State::Ok, all ? "every script" : std::string(feature.name), std::string(feature.title), all};
        if (const std::string options = missing_options(feature, value); !options.empty()) {
            finding.state = State::Missing;
            finding.text += ": the kernel was built without " + options;
        } else if (const std::string why = switched_off(feature.name, facts); !why.empty()) {
            finding.state = State::Off;
            finding.text += ": " + why;
        } else if (const std::string less = drawback(feature.name, value); !less.empty()) {
            finding.state = State::Note;
            finding.text += ": " + less;
        }
        group.findings.push_back(std::move(finding));
    }
    return group;
}

std::vector<Group> examine_target(const Facts &facts, const Details &details) {
    return {examine_running(facts, details), examine_kinds(details.config, &facts)};
}

std::string conclusion(const std::vector<Group> &groups) {
    const std::string names = failures(groups);
    return names.empty() ? "Scripts can be run here." : "Scripts cannot be run here; in the way: " + names + ".";
}

Verdict verdict(const std::vector<Group> &groups, const std::string &release) {
    const Finding *first = nullptr;
    size_t count = 0;
    for (const Group &group : groups)
        for (const Finding &finding : group.findings) {
            if (!finding.essential || (finding.state != State::Off && finding.state != State::Missing)) continue;
            ++count;
            // Modules come first: without them nothing runs.
            if (!first || finding.subject == "modules") first = &finding;
        }
    if (!first) return {"Scripts run on this kernel (" + release + ").", true, {}, ""};
    size_t end = first->text.size();
    for (const char *stop : {": ", "; ", " (", " [", ", ", "\n"})
        end = std::min(end, first->text.find(stop));
    std::string text = "Scripts cannot run on this kernel (" + release + "): " + first->text.substr(0, end);
    if (count > 1) text += ", and " + std::to_string(count - 1) + " more in the way";
    return {text + ".", false, {}, ""};
}

}  // namespace tapir::machine
