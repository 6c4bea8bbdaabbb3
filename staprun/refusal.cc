// SPDX-License-Identifier: GPL-2.0-or-later
#include "refusal.h"

#include <cerrno>
#include <cstring>

#include "common/plain_text.h"
#include "machine/advice.h"

namespace tapir::staprun {

namespace {

using machine::Answer;

bool has_symbol_versions(const ModuleFile &file) {
    return (file.vermagic() + " ").find(" modversions ") != std::string::npos;
}

std::string translate_again(const machine::Facts &facts) {
    return "; translate the script again with -r " + facts.release;
}

Fault refused(const std::string &why) {
    return {FaultTag::KernelRefusal, why};
}

// Where symbols have versions, these decide and not the release: the kernel compares them.
Outcome<void> wrong_kernel(const ModuleFile &file, const machine::Facts &facts) {
    if (has_symbol_versions(file) || file.release().empty()) return {};
    if (file.release() != facts.release)
        return refused(format("it was built for kernel %s, this machine runs %s, and its symbols have no versions%s",
                              file.release().c_str(), facts.release.c_str(), translate_again(facts).c_str()));
    if (file.kernel_build().empty() || facts.build.empty() || file.kernel_build() == facts.build) return {};
    return refused(format(
        "it was built for another build of kernel %s: for '%s', this machine runs '%s'; without symbol versions a "
        "module fits the build it was made for only: install the headers of the running one and translate the script "
        "again",
        facts.release.c_str(), file.kernel_build().c_str(), facts.build.c_str()));
}

std::string wrong_signature(const ModuleFile &file, const machine::Facts &facts, const char *why) {
    return format("%s, and takes only modules signed with a key it trusts; this module is %s: %s", why,
                  file.is_signed() ? "signed with another key" : "not signed",
                  machine::signature_advice(facts).c_str());
}

std::string locked_down(const ModuleFile &file, const machine::Facts &facts) {
    return wrong_signature(file, facts, format("the kernel is locked down (%s)", facts.lockdown.c_str()).c_str());
}

constexpr char kEnforced[] = "the kernel enforces module signatures";

std::string no_rights(const machine::Facts &facts) {
    if (facts.is_root == Answer::No) return "permission denied: only root may load modules; run staprun as root";
    return "permission denied: this process may not load modules (in a container, or without the capability "
           "CAP_SYS_MODULE); run staprun on the host, or in a container that was given the capability";
}

Outcome<void> probes_off(const ModuleFile &file, const machine::Facts &facts) {
    // A return probe uses the function tracer, too, at the function's entry.
    const bool named = file.imports("register_ftrace_function") || file.imports("register_kretprobe");
    const bool functions = named || file.probes_functions();
    // Every module imports register_kprobe(): it finds symbols with it.
    const bool own_kprobes = named || file.imports("unregister_kprobes");
    const bool kprobes = functions || own_kprobes;
    const std::string what = own_kprobes ? "the script probes kernel functions"
                                         : "the script follows processes, which takes probes of kernel functions";
    if (functions && facts.ftrace_enabled == Answer::No)
        return refused(
            what +
            ", and the function tracer is switched off (kernel.ftrace_enabled is 0), so that no probe would be "
            "hit; " +
            std::string(machine::kFtraceAdvice));
    if (kprobes && facts.kprobes_enabled == Answer::No)
        return refused(
            what +
            ", and kprobes are switched off (/sys/kernel/debug/kprobes/enabled is 0), so that no probe would be "
            "hit; " +
            std::string(machine::kKprobesAdvice));
    return {};
}

// Collects the words after `mark` in lines that have it; each once, at most `enough`.
std::string words_after(const std::vector<std::string> &log, const std::string &mark, unsigned enough) {
    std::vector<std::string> words;
    for (const std::string &line : log) {
        const size_t at = line.find(mark);
        if (at == std::string::npos) continue;
        const size_t begin = at + mark.size();
        const std::string word = line.substr(begin, line.find(' ', begin) - begin);
        bool known = false;
        for (const std::string &other : words)
            known |= other == word;
        if (!known) words.push_back(word);
    }
    std::string text;
    for (size_t i = 0; i < words.size() && i < enough; i++)
        text += (i ? ", " : "") + words[i];
    return words.size() > enough ? text + ", ..." : text;
}

// The vermagic the kernel wants: "NAME: version magic 'A' should be 'B'".
std::string wanted_magic(const std::vector<std::string> &log) {
    constexpr char mark[] = "' should be '";
    for (const std::string &line : log) {
        const size_t at = line.find(mark);
        if (line.find("version magic '") == std::string::npos || at == std::string::npos) continue;
        const size_t begin = at + strlen(mark);
        return line.substr(begin, line.find('\'', begin) - begin);
    }
    return {};
}

// A kernel that has the module's release but not its symbols.
std::string wrong_symbols(const machine::Facts &facts, const std::vector<std::string> &log) {
    constexpr unsigned kEnough = 5;
    const std::string differing = words_after(log, "disagrees about version of symbol ", kEnough);
    if (!differing.empty())
        return format(
            "the kernel has other versions of symbols than the headers it was built with (%s): it is another build of "
            "%s; install the headers of the running one and translate the script again",
            differing.c_str(), facts.release.c_str());
    const std::string unknown = words_after(log, "Unknown symbol ", kEnough);
    return format(
        "it needs %s that this kernel does not have%s; translate the script again with the headers of the running "
        "kernel",
        unknown.empty() ? "a symbol" : "symbols", unknown.empty() ? "" : (" (" + unknown + ")").c_str());
}

std::string wrong_format(const ModuleFile &file, const machine::Facts &facts, const std::vector<std::string> &log) {
    const std::string wanted = wanted_magic(log);
    if (!file.release().empty() && file.release() != facts.release)
        return format("it was built for kernel %s (%s), this kernel is %s%s", file.release().c_str(),
                      file.vermagic().c_str(), facts.release.c_str(), translate_again(facts).c_str());
    if (!wanted.empty())
        return format(
            "it was built for a kernel of another configuration ('%s', this kernel wants '%s'); install the headers of "
            "the running kernel and translate the script again",
            file.vermagic().c_str(), wanted.c_str());
    if (!words_after(log, "disagrees about version of symbol ", 1).empty()) return wrong_symbols(facts, log);
    return format("the kernel says it does not fit (module built for '%s', kernel %s); translate the script again",
                  file.vermagic().c_str(), facts.release.c_str());
}

std::string permission_reason(const ModuleFile &file, const machine::Facts &facts) {
    if (const Outcome<void> foreseen = foresee_refusal(file, facts); !foreseen) return foreseen.fault().text;
    if (!facts.lockdown.empty()) return locked_down(file, facts);
    return no_rights(facts);
}

std::string reason_for(int error, const ModuleFile &file, const machine::Facts &facts,
                       const std::vector<std::string> &log, bool ours) {
    const char *name = file.name().c_str();
    switch (error) {
        case EPERM:
        case EACCES:
            return permission_reason(file, facts);
        case ENOKEY:
        case EKEYREJECTED:
            return wrong_signature(file, facts, kEnforced);
        case EBADMSG:
            return "the module's signature is damaged; sign it again";
        case ENOEXEC:
            return wrong_format(file, facts, log);
        case EEXIST:
            if (!ours)
                return format(
                    "the kernel has a module '%s' of its own loaded; translate the script again with another name "
                    "(-m), or "
                    "load it under a unique one (-R)",
                    name);
            return format(
                "a module of that name is already loaded; 'staprun -A %s' attaches to it, 'staprun -d %s' removes it, "
                "-R loads under a unique name",
                name, name);
        case EBUSY:
            return "a module of that name is being loaded or removed at this moment; try again";
        case ENOMEM:
            return "the kernel has not enough memory for it; a smaller output buffer (-s) or smaller arrays need less";
        case ENOENT:
            return wrong_symbols(facts, log);
        case EINVAL:
            if (!words_after(log, "disagrees about version of symbol ", 1).empty()) return wrong_symbols(facts, log);
            return "the kernel calls the module invalid";
        case ENOSYS:
            return "this kernel is built without loadable modules (CONFIG_MODULES)";
        default:
            return strerror(error);
    }
}

}  // namespace

Outcome<void> foresee_refusal(const ModuleFile &file, const machine::Facts &facts) {
    if (!facts.takes_modules) return refused("this kernel is built without loadable modules (CONFIG_MODULES)");
    if (facts.may_load == Answer::No) return refused(no_rights(facts));
    if (facts.modules_disabled)
        return refused("this kernel loads no modules until it is booted again (kernel.modules_disabled is 1)");
    if (Outcome<void> fits = wrong_kernel(file, facts); !fits) return fits;
    if (!file.is_signed() && !facts.lockdown.empty()) return refused(locked_down(file, facts));
    if (!file.is_signed() && facts.signatures_enforced == Answer::Yes)
        return refused(wrong_signature(file, facts, kEnforced));
    return probes_off(file, facts);
}

Fault explain_insert_error(int error, const std::string &path, const ModuleFile &file, const machine::Facts &facts,
                           const std::vector<std::string> &log, bool ours) {
    machine::Facts known = facts;
    // Without securityfs, only the log shows it.
    for (const std::string &line : log)
        if (known.lockdown.empty() && line.compare(0, 9, "Lockdown:") == 0) known.lockdown = "see the kernel log";
    std::string text =
        format("Couldn't insert module '%s': %s", path.c_str(), reason_for(error, file, known, log, ours).c_str());
    for (const std::string &line : log)
        text += "\nkernel log: " + line;
    return refused(text);
}

}  // namespace tapir::staprun
