// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/kernel_keys.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "machine/facts.h"

namespace tapir::machine {

namespace {

constexpr int kKeyctlRead = 11;  // KEYCTL_READ of <linux/keyctl.h>, keyctl_read(3)

struct Row {
    uint32_t serial = 0;
    std::string type, description;
};

// "0f8b6d4a I------     1 perm 1f030000     0     0 asymmetri Debian CA: 6ccece7e: X509.rsa 7dce7fcc []"
// (Documentation/filesystems/proc: the type is cut to nine characters, the description is all that follows.)
bool parse_row(const std::string &line, Row &row) {
    std::istringstream in(line);
    std::string serial, skipped;
    in >> serial;
    for (int i = 0; i < 6; ++i)
        in >> skipped;
    if (!(in >> row.type)) return false;
    std::getline(in >> std::ws, row.description);
    row.serial = static_cast<uint32_t>(std::strtoul(serial.c_str(), nullptr, 16));
    return row.serial != 0;
}

// "SUBJECT: ID: X509.rsa ..."; the subject may have colons.
bool parse_certificate(const std::string &description, KernelKey &key) {
    const size_t end = description.rfind(": X509.");
    const size_t colon = end == std::string::npos || end == 0 ? end : description.rfind(": ", end - 1);
    if (end == std::string::npos || colon == std::string::npos) return false;
    key.name = description.substr(0, colon);
    key.id = description.substr(colon + 2, end - colon - 2);
    return true;
}

std::vector<uint32_t> read_keyring(uint32_t keyring) {
    std::vector<uint32_t> keys(4096);
    const long bytes = syscall(SYS_keyctl, kKeyctlRead, keyring, keys.data(), keys.size() * sizeof(uint32_t));
    keys.resize(bytes < 0 ? 0 : std::min(keys.size(), static_cast<size_t>(bytes) / sizeof(uint32_t)));
    return keys;
}

}  // namespace

std::vector<KernelKey> kernel_keys(const std::string &proc_keys, const ReadKeyring &read) {
    std::map<uint32_t, KernelKey> certificates;
    std::map<std::string, uint32_t> rings;
    std::istringstream in(proc_keys);
    for (std::string line; std::getline(in, line);) {
        Row row;
        KernelKey key;
        if (!parse_row(line, row)) continue;
        if (row.type == "keyring") rings[row.description.substr(0, row.description.find(':'))] = row.serial;
        if (row.type == "asymmetri" && parse_certificate(row.description, key)) certificates[row.serial] = key;
    }
    // The first ring that has a key says how far it is trusted. The owner's ring counts where the kernel links it.
    std::vector<KernelKey> out;
    const auto take = [&](uint32_t ring, bool certain) {
        for (const uint32_t serial : read(ring)) {
            const auto found = certificates.find(serial);
            if (found == certificates.end()) continue;
            found->second.certain = certain;
            out.push_back(found->second);
            certificates.erase(found);
        }
    };
    const auto secondary = rings.find(".secondary_trusted_keys"), owner = rings.find(".machine");
    if (const auto built_in = rings.find(".builtin_trusted_keys"); built_in != rings.end())
        take(built_in->second, true);
    if (secondary != rings.end()) {
        const std::vector<uint32_t> linked = read(secondary->second);
        if (owner != rings.end() && std::find(linked.begin(), linked.end(), owner->second) != linked.end())
            take(owner->second, true);
        take(secondary->second, true);
    }
    if (const auto firmware = rings.find(".platform"); firmware != rings.end()) take(firmware->second, false);
    return out;
}

std::vector<KernelKey> kernel_keys() {
    return kernel_keys(file_text("/proc/keys", 1u << 20), read_keyring);
}

}  // namespace tapir::machine
