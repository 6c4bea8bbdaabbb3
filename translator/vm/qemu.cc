// SPDX-License-Identifier: GPL-2.0-or-later
// How the machine is put together: command line and initramfs.
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "arch/arch.h"
#include "common/files.h"
#include "vm/cpio.h"
#include "vm/guest.h"
#include "vm/module_tree.h"

namespace fs = std::filesystem;

namespace tapir::vm {
namespace {

// A comma separates QEMU's sub-options; doubled, it is itself.
std::string escaped(const std::string &text) {
    std::string result;
    for (char c : text)
        result += c == ',' ? ",," : std::string(1, c);
    return result;
}

// Nothing in a stock kernel's boot that a guest of this kind has no use for: self-tests of ciphers, a search for RAID
// members, probing for keyboards. A panic or an oops stops the machine, and so is noticed.
// Without its check of the timer, which panics where a busy host lets ten ticks of an emulated processor wait too long.
constexpr char parameters[] =
    " quiet panic=-1 oops=panic cryptomgr.notests raid=noautodetect i8042.noaux i8042.nokbd no_timer_check";

void add_9p(std::vector<std::string> &arguments, const std::string &tag, const std::string &path, bool writable) {
    arguments.insert(arguments.end(),
                     {"-virtfs", "local,path=" + escaped(path) + ",mount_tag=" + tag +
                                     ",security_model=none,multidevs=remap" + (writable ? "" : ",readonly=on")});
}

std::string share_tag(size_t index) {
    return "share" + std::to_string(index);
}

// The root's own lib/modules/RELEASE is the kernel's.
bool has_own_modules(const GuestConfig &config) {
    std::error_code error;
    for (const char *lib : {"lib/modules", "usr/lib/modules"})
        if (fs::equivalent(fs::path(config.root) / lib / config.kernel.release, config.kernel.modules, error))
            return true;
    return false;
}

// Where the root file system shows the kernel's modules, "" if nowhere. A device of their own would cost time.
std::string path_in_root(const GuestConfig &config) {
    std::error_code error;
    fs::path root = fs::canonical(config.root, error);
    if (error) return "";
    fs::path modules = fs::canonical(config.kernel.modules, error);
    if (error) return "";
    fs::path relative = modules.lexically_relative(root);
    return relative.empty() || *relative.begin() == ".." ? "" : "/" + relative.string();
}

std::string agent_statements(const GuestConfig &config, const std::vector<std::string> &modules) {
    std::string text;
    for (const std::string &module : modules)
        text += "module\t/" + module + "\n";
    if (config.root.empty()) return text + "probe\n";
    text += "root\troot\n";
    if (std::string inside = path_in_root(config); inside.empty())
        text += "modules\t" + config.kernel.release + "\ttag\tmodules\n";
    else if (!has_own_modules(config))
        text += "modules\t" + config.kernel.release + "\tpath\t" + inside + "\n";
    for (size_t i = 0; i < config.shares.size(); ++i)
        text += "share\t" + share_tag(i) + "\t" + config.shares[i].guest_path + "\n";
    if (!config.forwards.empty()) text += "network\n";
    return text;
}

}  // namespace

std::string find_agent() {
    if (const char *path = getenv("TAPIR_VM_AGENT"); path && *path) return access(path, R_OK) == 0 ? path : "";
    std::error_code error;
    fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const fs::path &candidate : {here / "stap-vm-agent", here / "../libexec/tapir/stap-vm-agent"})
        if (access(candidate.c_str(), R_OK) == 0) return candidate;
    return "";
}

std::optional<std::string> make_initramfs(const GuestConfig &config, Diagnostics &diagnostics) {
    std::string path = config.agent.empty() ? find_agent() : config.agent;
    auto agent = path.empty() ? std::nullopt : read_file(path);
    if (!agent) {
        diagnostics.report(Tag::VmAgentMissing,
                           path.empty() ? "cannot find stap-vm-agent next to this program, the guest's first process"
                                        : "cannot read " + path + ", the guest's first process");
        return std::nullopt;
    }
    std::vector<std::string> names{"virtio_pci", "virtio_console"};
    if (!config.root.empty()) names.insert(names.end(), {"9pnet_virtio", "9p", "overlay"});
    if (!config.forwards.empty()) names.push_back("virtio_net");
    ModuleTree tree(config.kernel.modules);
    auto paths = tree.resolve(names, diagnostics);
    if (!paths) return std::nullopt;

    CpioArchive archive;
    archive.add_directory("dev");
    archive.add_file("init", *agent, 0755);
    std::vector<std::string> modules;
    for (const std::string &module : *paths) {
        auto object = read_module(module, diagnostics);
        if (!object) return std::nullopt;
        modules.push_back(module_name(module) + ".ko");
        archive.add_file(modules.back(), *object);
    }
    archive.add_file(std::string(agent_config).substr(1), agent_statements(config, modules));
    return archive.finish();
}

std::vector<std::string> qemu_arguments(const GuestConfig &config, const QemuDescriptors &descriptors) {
    auto descriptor_path = [](int fd) { return "/proc/self/fd/" + std::to_string(fd); };
    const arch::Guest &machine = arch::host().guest;
    std::vector<std::string> arguments{
        std::string(machine.program), "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"};
    auto add = [&](const std::string &option, const std::string &value) {
        arguments.push_back(option);
        arguments.push_back(value);
    };
    add("-machine", std::string(machine.machine));
    add("-accel", config.kvm ? "kvm" : config.parallel ? "tcg,thread=multi" : "tcg,thread=single");
    add("-cpu", config.kvm ? "host" : "max");
    add("-smp", std::to_string(config.cpus));
    add("-m", std::to_string(config.memory_mb));
    add("-kernel", config.boot_image);
    add("-initrd", descriptor_path(descriptors.initramfs));
    add("-append",
        "console=" + std::string(machine.console) + parameters + (config.append.empty() ? "" : " " + config.append));
    add("-chardev", "file,id=console,path=" + descriptor_path(descriptors.console));
    add("-serial", "chardev:console");
    add("-device", "virtio-serial-pci,max_ports=5");
    const char *names[] = {port_control, port_stdin, port_stdout, port_stderr};
    for (size_t i = 0; i < descriptors.ports.size(); ++i) {
        add("-chardev", "socket,id=port" + std::to_string(i) + ",fd=" + std::to_string(descriptors.ports[i]));
        add("-device",
            "virtserialport,nr=" + std::to_string(i + 1) + ",chardev=port" + std::to_string(i) + ",name=" + names[i]);
    }
    if (!config.forwards.empty()) {
        // restrict: neither the machine nor what is beyond it can be reached from the guest.
        std::string network = "user,id=network,restrict=on";
        for (const ForwardedPort &forward : config.forwards)
            network += ",hostfwd=tcp:" + forward.address + ":" + std::to_string(forward.host) +
                       "-:" + std::to_string(forward.guest);
        add("-netdev", network);
        add("-device", "virtio-net-pci,netdev=network,romfile=");
    }
    if (config.root.empty()) return arguments;
    add_9p(arguments, "root", config.root, false);
    if (path_in_root(config).empty()) add_9p(arguments, "modules", config.kernel.modules, false);
    for (size_t i = 0; i < config.shares.size(); ++i)
        add_9p(arguments, share_tag(i), config.shares[i].host_path, true);
    return arguments;
}

}  // namespace tapir::vm
