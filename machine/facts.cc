// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/facts.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "common/files.h"

namespace tapir::machine {

namespace {

constexpr size_t kSmallFile = 65536;
constexpr size_t kConfigFile = 4u << 20;
constexpr unsigned kCapSysModule = 16;

std::string line_of(const std::string &path) {
    return first_line(file_text(path, kSmallFile));
}

bool present(const std::string &path) {
    return access(path.c_str(), F_OK) == 0;
}

// Returns the value after "KEY:" and blanks in a file of /proc.
std::string field(const std::string &text, const std::string &key) {
    const std::string mark = "\n" + key + ":";
    size_t at = ("\n" + text).find(mark);
    if (at == std::string::npos) return {};
    at = text.find_first_not_of(" \t", at + mark.size() - 1);
    return at == std::string::npos ? std::string() : text.substr(at, text.find_first_of("\t\n", at) - at);
}

// "none [integrity] confidentiality"
std::string chosen(const std::string &line) {
    const size_t open = line.find('['), shut = line.find(']');
    if (open == std::string::npos || shut == std::string::npos || shut < open) return {};
    const std::string word = line.substr(open + 1, shut - open - 1);
    return word == "none" ? "" : word;
}

Answer answer(const std::string &line, const char *yes, const char *no) {
    if (line == yes) return Answer::Yes;
    return line == no ? Answer::No : Answer::Unknown;
}

// The firmware's variable is four bytes of attributes and one of value.
Answer read_secure_boot(const std::string &root) {
    const std::string value =
        file_text(root + "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", 16);
    if (value.size() != 5) return Answer::Unknown;
    return value[4] == 1 ? Answer::Yes : Answer::No;
}

// In a user namespace other than the first, the capability is one over nothing that matters.
bool in_first_user_namespace(const std::string &root) {
    const std::string map = file_text(root + "/proc/self/uid_map", kSmallFile);
    if (map.empty()) return true;
    char *end = nullptr;
    const unsigned long inside = strtoul(map.c_str(), &end, 10);
    const unsigned long outside = strtoul(end, &end, 10);
    return inside == 0 && outside == 0 && strtoul(end, nullptr, 10) == 4294967295ul;
}

void read_rights(const std::string &root, Facts &facts) {
    const std::string status = file_text(root + "/proc/self/status", kSmallFile);
    const std::string capabilities = field(status, "CapEff");
    if (!capabilities.empty()) {
        const bool has = (strtoull(capabilities.c_str(), nullptr, 16) >> kCapSysModule) & 1;
        facts.may_load = has && in_first_user_namespace(root) ? Answer::Yes : Answer::No;
    }
    // Uid: real, effective, saved, file system
    const std::string ids = "\n" + status;
    const size_t at = ids.find("\nUid:");
    if (at == std::string::npos) return;
    char *end = nullptr;
    strtoul(ids.c_str() + at + 5, &end, 10);
    facts.is_root = strtoul(end, nullptr, 10) == 0 ? Answer::Yes : Answer::No;
}

Answer read_symbols(const std::string &root) {
    const std::string symbols = file_text(root + "/proc/kallsyms", 4096);
    if (symbols.empty()) return Answer::Unknown;
    for (size_t at = 0; at != std::string::npos; at = symbols.find('\n', at)) {
        if (at) ++at;
        if (symbols.find_first_not_of('0', at) < std::min(at + 16, symbols.size())) return Answer::Yes;
    }
    return Answer::No;
}

std::string read_config(const std::string &root, const std::string &release) {
    std::string text = packed_text(root + "/proc/config.gz", kConfigFile);
    for (const std::string &path :
         {root + "/boot/config-" + release, root + "/lib/modules/" + release + "/config",
          root + "/lib/modules/" + release + "/build/.config", root + "/usr/lib/modules/" + release + "/config"})
        if (text.empty()) text = file_text(path, kConfigFile);
    return text;
}

}  // namespace

std::string first_line(const std::string &text) {
    return text.substr(0, text.find('\n'));
}

std::string file_text(const std::string &path, size_t limit) {
    std::string text;
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return text;
    read_descriptor(fd, limit, text);
    close(fd);
    return text;
}

std::string packed_text(const std::string &path, size_t limit) {
    std::string text;
    const gzFile file = gzopen(path.c_str(), "rbe");
    if (!file) return text;
    char part[16384];
    while (text.size() < limit) {
        const int got = gzread(file, part, sizeof part);
        if (got <= 0) break;
        text.append(part, static_cast<size_t>(got));
    }
    gzclose(file);
    return text;
}

Facts read_facts(const std::string &root) {
    Facts facts;
    const std::string settings = root + "/proc/sys/kernel/";
    facts.release = line_of(settings + "osrelease");
    facts.build = line_of(settings + "version");
    utsname names = {};
    if (uname(&names) == 0) {
        facts.arch = names.machine;
        if (root.empty() && facts.release.empty()) facts.release = names.release;
        if (root.empty() && facts.build.empty()) facts.build = names.version;
    }
    facts.has_proc = present(root + "/proc/self");
    facts.takes_modules = !facts.has_proc || present(root + "/proc/modules");
    facts.lockdown = chosen(line_of(root + "/sys/kernel/security/lockdown"));
    facts.modules_disabled = line_of(settings + "modules_disabled") == "1";
    facts.signatures_enforced = answer(line_of(root + "/sys/module/module/parameters/sig_enforce"), "Y", "N");
    facts.secure_boot = read_secure_boot(root);
    read_rights(root, facts);
    facts.ftrace_enabled = answer(line_of(settings + "ftrace_enabled"), "1", "0");
    facts.kprobes_enabled = answer(line_of(root + "/sys/kernel/debug/kprobes/enabled"), "1", "0");
    return facts;
}

Details read_details(const Facts &facts, const std::string &root) {
    Details details;
    details.symbols_readable = read_symbols(root);
    details.has_btf = present(root + "/sys/kernel/btf/vmlinux");
    details.config = read_config(root, facts.release);
    if (root.empty()) details.keys = kernel_keys();
    return details;
}

}  // namespace tapir::machine
