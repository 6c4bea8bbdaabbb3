// SPDX-License-Identifier: GPL-2.0-or-later
// The certificates by which the running kernel judges signatures of modules.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tapir::machine {

struct KernelKey {
    std::string name;  // its subject, "Debian Secure Boot CA"
    std::string id;    // lower case hexadecimal, see trust::kernel_key_id()
    // True if every kernel takes modules that it signed: it was built in, or the machine's owner enrolled it and the
    // kernel trusts the owner. Otherwise the firmware has it, and kernels of Debian, Ubuntu and Fedora take it, others
    // do not.
    bool certain = false;
};

// Numbers of the keys that a keyring links, by its own number; none if it cannot be read.
using ReadKeyring = std::function<std::vector<uint32_t>(uint32_t keyring)>;

// From the text of /proc/keys, as far as the caller may see keys (root sees these). A key on a ring of other purposes,
// such as .ima and .blacklist, is left out.
std::vector<KernelKey> kernel_keys(const std::string &proc_keys, const ReadKeyring &read);

// Reads those of the running kernel. Empty if it has none, or hides them from the caller.
std::vector<KernelKey> kernel_keys();

}  // namespace tapir::machine
