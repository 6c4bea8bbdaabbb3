// SPDX-License-Identifier: GPL-2.0-or-later
// The whole text of every reason for which a module is not inserted.
#include "refusal.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "../said.h"
#include "testsuite/unit/module/fake_module.h"

namespace tapir::staprun {
namespace {

using machine::Answer;

struct Refusal : testing::Test {
    Builder builder;
    ModuleFile file;
    machine::Facts facts;

    void SetUp() override {
        facts.release = "6.1.0-56-amd64";
        facts.build = "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2 (2026-11-16)";
        facts.is_root = facts.may_load = facts.ftrace_enabled = facts.kprobes_enabled = Answer::Yes;
        facts.signatures_enforced = Answer::No;
    }
    void with_modinfo(const std::string &vermagic, const std::string &build) {
        builder.modinfo = "tapir_abi=" + std::to_string(TAPIR_ABI) + '\0' + "vermagic=" + vermagic + '\0' +
                          "tapir_kernel=" + build + '\0';
    }
    std::string foreseen() {
        EXPECT_EQ("", said(file.parse(builder.build())));
        return said(foresee_refusal(file, facts));
    }
    // Without the beginning that all have.
    std::string text(int error, const std::vector<std::string> &log = {}, bool ours = true) {
        EXPECT_EQ("", said(file.parse(builder.build())));
        const std::string whole = explain_insert_error(error, "x.ko", file, facts, log, ours).message();
        const std::string head = "Couldn't insert module 'x.ko': ";
        EXPECT_EQ(0u, whole.find(head));
        return whole.substr(head.size());
    }
};

TEST_F(Refusal, NothingIsInTheWay) {
    builder.imports = {"register_ftrace_function", "register_kretprobe", "unregister_kprobes"};
    EXPECT_EQ("", foreseen());
    facts = {};
    facts.release = "6.1.0-56-amd64";
    EXPECT_EQ("", foreseen()) << "what is not known is no obstacle";
}

TEST_F(Refusal, OtherKernelIsForeseenWithoutSymbolVersions) {
    with_modinfo("7.2.13+deb14-amd64 SMP preempt mod_unload ", "#1 SMP PREEMPT_DYNAMIC Debian 7.2.13-1 (2026-11-01)");
    EXPECT_EQ(
        "it was built for kernel 7.2.13+deb14-amd64, this machine runs 6.1.0-56-amd64, and its symbols have no "
        "versions; translate the script again with -r 6.1.0-56-amd64",
        foreseen());
    facts.release = "7.2.13+deb14-amd64";
    facts.build = "#1 SMP PREEMPT_DYNAMIC Debian 7.2.13-2 (2026-11-09)";
    EXPECT_EQ(
        "it was built for another build of kernel 7.2.13+deb14-amd64: for '#1 SMP PREEMPT_DYNAMIC Debian 7.2.13-1 "
        "(2026-11-01)', this machine runs '#1 SMP PREEMPT_DYNAMIC Debian 7.2.13-2 (2026-11-09)'; without symbol "
        "versions a module fits the build it was made for only: install the headers of the running one and "
        "translate the script again",
        foreseen());
    facts.build = "#1 SMP PREEMPT_DYNAMIC Debian 7.2.13-1 (2026-11-01)";
    EXPECT_EQ("", foreseen());
    // With versions the kernel decides.
    facts.build = "#2";
    with_modinfo("7.2.12 SMP preempt mod_unload modversions ", "#1");
    EXPECT_EQ("", foreseen());
}

TEST_F(Refusal, OtherKernelAsTheKernelTells) {
    facts.release = "6.1.0-55-amd64";
    EXPECT_EQ(
        "it was built for kernel 6.1.0-56-amd64 (6.1.0-56-amd64 SMP preempt mod_unload ), this kernel is "
        "6.1.0-55-amd64; translate the script again with -r 6.1.0-55-amd64",
        text(ENOEXEC));
    facts.release = "6.1.0-56-amd64";
    EXPECT_EQ(
        "the kernel says it does not fit (module built for '6.1.0-56-amd64 SMP preempt mod_unload ', kernel "
        "6.1.0-56-amd64); translate the script again",
        text(ENOEXEC));
    EXPECT_EQ(
        "it was built for a kernel of another configuration ('6.1.0-56-amd64 SMP preempt mod_unload ', this kernel "
        "wants '6.1.0-56-amd64 SMP preempt_rt mod_unload modversions '); install the headers of the running kernel and "
        "translate the script again\n"
        "kernel log: stap_x: version magic '6.1.0-56-amd64 SMP preempt mod_unload ' should be '6.1.0-56-amd64 SMP "
        "preempt_rt mod_unload modversions '",
        text(ENOEXEC, {"stap_x: version magic '6.1.0-56-amd64 SMP preempt mod_unload ' should be '6.1.0-56-amd64 SMP "
                       "preempt_rt mod_unload modversions '"}));
}

TEST_F(Refusal, OtherSymbols) {
    EXPECT_EQ(
        "the kernel has other versions of symbols than the headers it was built with (module_layout): it is another "
        "build of 6.1.0-56-amd64; install the headers of the running one and translate the script again\n"
        "kernel log: stap_x: disagrees about version of symbol module_layout",
        text(ENOEXEC, {"stap_x: disagrees about version of symbol module_layout"}));
    EXPECT_EQ(
        "the kernel has other versions of symbols than the headers it was built with (register_kprobe): it is another "
        "build of 6.1.0-56-amd64; install the headers of the running one and translate the script again\n"
        "kernel log: stap_x: disagrees about version of symbol register_kprobe\n"
        "kernel log: stap_x: Unknown symbol register_kprobe (err -22)",
        text(EINVAL, {"stap_x: disagrees about version of symbol register_kprobe",
                      "stap_x: Unknown symbol register_kprobe (err -22)"}));
    EXPECT_EQ(
        "it needs symbols that this kernel does not have (foo, bar); translate the script again with the headers of "
        "the running kernel\n"
        "kernel log: stap_x: Unknown symbol foo (err -2)\nkernel log: stap_x: Unknown symbol bar (err -2)",
        text(ENOENT, {"stap_x: Unknown symbol foo (err -2)", "stap_x: Unknown symbol bar (err -2)"}));
    EXPECT_EQ(
        "it needs a symbol that this kernel does not have; translate the script again with the headers of the running "
        "kernel",
        text(ENOENT));
    EXPECT_EQ("the kernel calls the module invalid", text(EINVAL));
}

TEST_F(Refusal, Lockdown) {
    facts.lockdown = "integrity";
    const std::string unsigned_module =
        "the kernel is locked down (integrity), and takes only modules signed with a key it trusts; this module is not "
        "signed: let stap sign it (--sign-key) with a key the kernel trusts, as docs/secure-boot.md tells, or "
        "stap-sign (--kernel-key), or boot without what locks the kernel down (Secure Boot, or the parameter lockdown)";
    EXPECT_EQ(unsigned_module, foreseen());
    EXPECT_EQ(unsigned_module, text(EPERM));
    facts.secure_boot = Answer::Yes;
    EXPECT_EQ(
        "the kernel is locked down (integrity), and takes only modules signed with a key it trusts; this module is not "
        "signed: let stap sign it (--sign-key) with a key the kernel trusts, as docs/secure-boot.md tells, or "
        "stap-sign (--kernel-key); mokutil --import enrols a key; or switch Secure Boot off in the firmware",
        foreseen());
    facts.secure_boot = Answer::Unknown;
    facts.lockdown.clear();
    EXPECT_EQ(
        "the kernel is locked down (see the kernel log), and takes only modules signed with a key it trusts; this "
        "module is not signed: let stap sign it (--sign-key) with a key the kernel trusts, as docs/secure-boot.md "
        "tells, or stap-sign (--kernel-key), or boot without what locks the kernel down (Secure Boot, or the parameter "
        "lockdown)\nkernel log: Lockdown: staprun: unsigned module loading is restricted",
        text(EPERM, {"Lockdown: staprun: unsigned module loading is restricted"}));
    facts.lockdown = "confidentiality";
    builder.signature = true;
    EXPECT_EQ("", foreseen()) << "the key may be one the kernel trusts";
    EXPECT_EQ(
        "the kernel is locked down (confidentiality), and takes only modules signed with a key it trusts; this module "
        "is signed with another key: let stap sign it (--sign-key) with a key the kernel trusts, as "
        "docs/secure-boot.md tells, or stap-sign (--kernel-key), or boot without what locks the kernel down (Secure "
        "Boot, or the parameter lockdown)",
        text(EPERM));
}

TEST_F(Refusal, Signatures) {
    const std::string text_of_it =
        "the kernel enforces module signatures, and takes only modules signed with a key it trusts; this module is not "
        "signed: let stap sign it (--sign-key) with a key the kernel trusts, as docs/secure-boot.md tells, or "
        "stap-sign (--kernel-key), or boot without the parameter module.sig_enforce=1";
    EXPECT_EQ(text_of_it, text(EKEYREJECTED));
    EXPECT_EQ(text_of_it, text(ENOKEY));
    facts.signatures_enforced = Answer::Yes;
    EXPECT_EQ(text_of_it, foreseen());
    builder.signature = true;
    EXPECT_EQ("", foreseen());
    EXPECT_EQ("the module's signature is damaged; sign it again", text(EBADMSG));
}

TEST_F(Refusal, Rights) {
    facts.may_load = Answer::No;
    EXPECT_EQ(
        "permission denied: this process may not load modules (in a container, or without the capability "
        "CAP_SYS_MODULE); run staprun on the host, or in a container that was given the capability",
        foreseen());
    facts.is_root = Answer::No;
    EXPECT_EQ("permission denied: only root may load modules; run staprun as root", foreseen());
    EXPECT_EQ("permission denied: only root may load modules; run staprun as root", text(EPERM));
}

TEST_F(Refusal, ModulesDisabled) {
    facts.modules_disabled = true;
    EXPECT_EQ("this kernel loads no modules until it is booted again (kernel.modules_disabled is 1)", foreseen());
    EXPECT_EQ("this kernel loads no modules until it is booted again (kernel.modules_disabled is 1)", text(EPERM));
    facts.takes_modules = false;
    EXPECT_EQ("this kernel is built without loadable modules (CONFIG_MODULES)", foreseen());
    EXPECT_EQ("this kernel is built without loadable modules (CONFIG_MODULES)", text(ENOSYS));
}

TEST_F(Refusal, ProbesSwitchedOff) {
    facts.ftrace_enabled = facts.kprobes_enabled = Answer::No;
    builder.imports = {"register_kprobe", "unregister_kprobe"};
    EXPECT_EQ("", foreseen()) << "a script without probes of functions";
    builder.imports = {"register_kprobe", "unregister_kprobes"};
    EXPECT_EQ(
        "the script probes kernel functions, and kprobes are switched off (/sys/kernel/debug/kprobes/enabled is 0), so "
        "that no probe would be hit; switch them on: echo 1 > /sys/kernel/debug/kprobes/enabled",
        foreseen());
    for (const char *import : {"register_ftrace_function", "register_kretprobe"}) {
        builder.imports = {import};
        EXPECT_EQ(
            "the script probes kernel functions, and the function tracer is switched off (kernel.ftrace_enabled is 0), "
            "so that no probe would be hit; switch it on: sysctl kernel.ftrace_enabled=1",
            foreseen());
    }
}

TEST_F(Refusal, ProbesOfProcessesSwitchedOff) {
    builder.imports = {"register_kprobe", "unregister_kprobe"};
    builder.modinfo += std::string("tapir_needs=ftrace\0", 19);
    EXPECT_EQ("", foreseen());
    facts.kprobes_enabled = Answer::No;
    EXPECT_EQ(
        "the script follows processes, which takes probes of kernel functions, and kprobes are switched off "
        "(/sys/kernel/debug/kprobes/enabled is 0), so that no probe would be hit; switch them on: echo 1 > "
        "/sys/kernel/debug/kprobes/enabled",
        foreseen());
    facts.ftrace_enabled = Answer::No;
    EXPECT_EQ(
        "the script follows processes, which takes probes of kernel functions, and the function tracer is switched off "
        "(kernel.ftrace_enabled is 0), so that no probe would be hit; switch it on: sysctl kernel.ftrace_enabled=1",
        foreseen());
}

TEST_F(Refusal, KernelRefusal) {
    EXPECT_EQ(
        "a module of that name is already loaded; 'staprun -A stap_x' attaches to it, 'staprun -d stap_x' removes it, "
        "-R loads under a unique name",
        text(EEXIST));
    EXPECT_EQ(
        "the kernel has a module 'stap_x' of its own loaded; translate the script again with another name (-m), or "
        "load it "
        "under a unique one (-R)",
        text(EEXIST, {}, false));
    EXPECT_EQ("a module of that name is being loaded or removed at this moment; try again", text(EBUSY));
    EXPECT_EQ("the kernel has not enough memory for it; a smaller output buffer (-s) or smaller arrays need less",
              text(ENOMEM));
    EXPECT_EQ("Input/output error", text(EIO));
}

}  // namespace
}  // namespace tapir::staprun
