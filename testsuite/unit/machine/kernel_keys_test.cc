// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/kernel_keys.h"

#include <gtest/gtest.h>

#include <map>

namespace tapir::machine {
namespace {

// In the form of proc_keys_show() and of the describe() functions of keyrings, asymmetric keys and black lists.
constexpr char kKeys[] =
    "01 I------     1 perm 1f0b0000     0     0 keyring   .builtin_trusted_keys: 2\n"
    "02 I------     2 perm 1f0b0000     0     0 keyring   .secondary_trusted_keys: 2\n"
    "03 I------     1 perm 1f0f0000     0     0 keyring   .machine: 1\n"
    "04 I------     1 perm 1f0b0000     0     0 keyring   .platform: 3\n"
    "05 I------     1 perm 1f0b0000     0     0 keyring   .ima: 1\n"
    "06 I--Q---     4 perm 3f030000     0 65534 keyring   _uid.0: empty\n"
    "11 I------     1 perm 1f030000     0     0 asymmetri Debian Secure Boot CA: 6ccece7e4c6c0d1f: X509.rsa 4c6c0d1f "
    "[]\n"
    "12 I------     1 perm 1f030000     0     0 asymmetri Build: day 7: 0099: X509.rsa 0099 []\n"
    "13 I------     1 perm 1f030000     0     0 asymmetri Owner: aa13: X509.ecdsa aa13 []\n"
    "14 I------     1 perm 1f030000     0     0 asymmetri Microsoft: aa14: X509.rsa aa14 []\n"
    "15 I------     1 perm 1f030000     0     0 asymmetri Of IMA: aa15: X509.rsa aa15 []\n"
    "16 I------     1 perm 1f030000     0     0 asymmetri no certificate\n"
    "17 I------     1 perm 1f030000     0     0 blacklist bin:80b4d96931bf0d02\n"
    "rubbish\n\n";

std::string shown(const std::map<uint32_t, std::vector<uint32_t>> &rings) {
    std::string out;
    for (const KernelKey &key : kernel_keys(kKeys, [&rings](uint32_t ring) {
             const auto found = rings.find(ring);
             return found == rings.end() ? std::vector<uint32_t>() : found->second;
         }))
        out += key.name + "=" + key.id + (key.certain ? "" : "?") + "\n";
    return out;
}

TEST(KernelKeys, WhichRingHasThem) {
    EXPECT_EQ(shown({{1, {0x11, 0x12}}, {2, {1, 3}}, {3, {0x13}}, {4, {0x13, 0x14, 0x16}}, {5, {0x15}}}),
              "Debian Secure Boot CA=6ccece7e4c6c0d1f\nBuild: day 7=0099\nOwner=aa13\nMicrosoft=aa14?\n");
    EXPECT_EQ(shown({{1, {0x11}}, {2, {1}}, {3, {0x13}}, {4, {0x13}}}),
              "Debian Secure Boot CA=6ccece7e4c6c0d1f\nOwner=aa13?\n")
        << "the owner's ring is not linked to the one that modules are judged by";
    EXPECT_EQ(shown({}), "") << "rings that only root may read";
}

TEST(KernelKeys, Damaged) {
    const auto all = [](uint32_t) { return std::vector<uint32_t>{0x11, 0xffffffff}; };
    EXPECT_TRUE(kernel_keys("", all).empty());
    EXPECT_TRUE(kernel_keys("1\n2 a b c d e f\n: X509.\n", all).empty());
}

}  // namespace
}  // namespace tapir::machine
