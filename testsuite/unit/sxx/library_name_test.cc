// SPDX-License-Identifier: GPL-2.0-or-later
#include "sxx/library_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tapir::sxx {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Mapped> files(const std::vector<std::string> &paths) {
    std::vector<Mapped> mapped;
    for (const std::string &path : paths)
        mapped.push_back({path, path});
    return mapped;
}

std::string found(std::string_view name, const std::vector<std::string> &paths) {
    return find_library(name, files(paths)).path;
}

TEST(LibraryName, ExactMatchesHaveVersionsOnly) {
    const std::vector<std::string> all = {"/l/libc.so.6", "/l/libcrypt.so.1", "/l/libcap-2.44.so",
                                          "/l/libcap-ng.so.0.0.0"};
    EXPECT_EQ(found("libc", all), "/l/libc.so.6");
    EXPECT_EQ(found("libcap", all), "/l/libcap-2.44.so");
    EXPECT_EQ(found("libcap-ng", all), "/l/libcap-ng.so.0.0.0");
    EXPECT_EQ(found("libpcre", {"/l/libpcre2-8.so.0"}), "/l/libpcre2-8.so.0");
    EXPECT_EQ(found("libx", {"/l/other-libx.so"}), "/l/other-libx.so");
}

// An exact match counts more than one that comes before it.
TEST(LibraryName, OtherMatchesBeginWithTheName) {
    EXPECT_EQ(found("libcr", {"/l/libc.so.6", "/l/libcrypt.so.1"}), "/l/libcrypt.so.1");
    EXPECT_EQ(found("liblua", {"/l/liblua-x.so", "/l/liblua.so.5", "/l/liblua51.so"}), "/l/liblua.so.5");
    EXPECT_EQ(found("libssl", {"/m/ssl_module.so"}), "/m/ssl_module.so");
    EXPECT_EQ(found("libssl", {"/m/ngx-ssl_module.so"}), "/m/ngx-ssl_module.so");
    EXPECT_EQ(found("libssl", {"/m/ngx_ssl_module.so", "/l/mylibssl.so"}), "");
    const FoundLibrary first = find_library("liblua", files({"/l/liblua-z.so", "/l/liblua-a.so", "/l/luac.so"}));
    EXPECT_EQ(first.path, "/l/liblua-a.so");
    EXPECT_THAT(first.others, ElementsAre("/l/liblua-z.so", "/l/luac.so"));
    EXPECT_THAT(find_library("libc", files({"/l/libc.so.6", "/l/libcx.so"})).others, IsEmpty());
}

TEST(LibraryName, OnlyFilesOfLibraries) {
    EXPECT_EQ(found("libx", {"/l/libx.so.1 (deleted)", "/l/libx.a", "/l/libx.so.1a", "/l/libx.so.", "/l/libx/y.so",
                             "/libx.so/z"}),
              "");
    EXPECT_EQ(found("libx", {"/l/libx so.so"}), "");
    EXPECT_EQ(found("libx", {"/l/libx.so.1.22.333"}), "/l/libx.so.1.22.333");
    EXPECT_EQ(found("libx", {"/l/libx.so.1.so"}), "/l/libx.so.1.so");
    EXPECT_EQ(found("libx", {}), "");
}

// The file is named by a path that is good here, and looked for by the process's.
TEST(LibraryName, PathsOfOtherRoots) {
    const FoundLibrary library =
        find_library("liba", {{"/proc/7/root/l/liba.so", "/l/liba.so"}, {"/proc/7/map_files/1-2", "/l/libb.so"}});
    EXPECT_EQ(library.path, "/proc/7/root/l/liba.so");
    EXPECT_EQ(find_library("libb", {{"/proc/7/map_files/1-2", "/l/libb.so"}}).path, "/proc/7/map_files/1-2");
}

TEST(LibraryName, NamesForNearOnes) {
    EXPECT_THAT(library_names(files({"/l/libz.so.1", "/l/libb-2.so", "/k/libz.so.1", "/usr/bin/x"})),
                ElementsAre("libb", "libz"));
}

}  // namespace
}  // namespace tapir::sxx
