// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/settings.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "../said.h"

namespace tapir::client {
namespace {

namespace fs = std::filesystem;

class Folder {
  public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "client-XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    ~Folder() { fs::remove_all(path_); }
    std::string write(const std::string &name, const std::string &text) const {
        fs::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name) << text;
        return path_ / name;
    }
    std::string path() const { return path_; }

  private:
    fs::path path_;
};

std::string url_of(const std::string &text) {
    const Outcome<std::string> url = parse_url(text);
    return url ? *url : said(url);
}

TEST(ClientSettings, Urls) {
    EXPECT_EQ(url_of("https://build.example.org"), "https://build.example.org:8443");
    EXPECT_EQ(url_of("https://build.example.org:443/"), "https://build.example.org:443");
    EXPECT_EQ(url_of("build"), "https://build:8443");
    EXPECT_EQ(url_of("10.1.2.3:9000"), "https://10.1.2.3:9000");
    EXPECT_EQ(url_of("[fe80::1%eth0]:9000"), "https://[fe80::1%eth0]:9000");
    EXPECT_EQ(url_of("[::1]"), "https://[::1]:8443");
}

TEST(ClientSettings, ServerAddressWrong) {
    EXPECT_EQ(tag_of(parse_url("")), "server-address-wrong");
    EXPECT_EQ(url_of("http://build"),
              "'http://build' is not the address of a build server: it begins with https:// or with the host's name");
    for (const char *text : {"", "https://", "-K/etc/passwd", "a b", "user@host", "host/path", "[::1", "\"x\"", "::1"})
        EXPECT_NE(url_of(text).find("is not the address of a build server"), std::string::npos) << text;
    EXPECT_EQ(url_of("host:99999"), "'host:99999' has no valid port behind the ':': it should be a number up to 65535");
    EXPECT_EQ(url_of("host:1x"), "'host:1x' has no valid port behind the ':': it should be a number up to 65535");
}

TEST(ClientSettings, AFileFillsGaps) {
    Settings settings;
    settings.authority = "mine.pem";
    EXPECT_TRUE(
        add_settings("# ours\nurl = build\nca = theirs.pem\ncertificate=c.pem\nkey=k.pem\ntoken-file=t\n"
                     "signers=s.pem\n",
                     settings));
    EXPECT_EQ(settings.signers, "s.pem");
    EXPECT_EQ(settings.url, "https://build:8443");
    EXPECT_EQ(settings.authority, "mine.pem");
    EXPECT_EQ(settings.certificate, "c.pem");
    EXPECT_EQ(settings.key, "k.pem");
    EXPECT_EQ(settings.token_file, "t");
}

TEST(ClientSettings, WhatIsForOneServerIsNotForAnother) {
    Settings settings;
    settings.url = "https://other:8443";
    EXPECT_TRUE(add_settings("url=build\ntoken-file=t\ncertificate=c\nkey=k\n", settings));
    EXPECT_EQ(settings.token_file, "");
    EXPECT_EQ(settings.certificate, "");
    // One without a URL is for all servers.
    EXPECT_TRUE(add_settings("ca=all.pem\n", settings));
    EXPECT_EQ(settings.authority, "all.pem");
}

TEST(ClientSettings, AKeyStaysWithItsCertificate) {
    Settings settings;
    settings.certificate = "mine.pem";
    settings.key = "mine.key";
    EXPECT_TRUE(add_settings("certificate=c\nkey=k\n", settings));
    EXPECT_EQ(settings.certificate, "mine.pem");
    EXPECT_EQ(settings.key, "mine.key");
}

TEST(ClientSettings, ClientSettingsWrong) {
    Settings settings;
    EXPECT_EQ(tagged(add_settings("password=x\n", settings)), "client-settings-wrong: unrecognised option 'password'");
    EXPECT_EQ(tag_of(add_settings("url=http://x\n", settings)), "server-address-wrong");
    const Folder folder;
    setenv("TAPIR_CLIENT_CONFIG", (folder.path() + "/none.conf").c_str(), 1);
    EXPECT_EQ(tagged(add_settings_of_files(settings)),
              "file-unreadable: " + folder.path() + "/none.conf: No such file or directory");
    setenv("TAPIR_CLIENT_CONFIG", folder.write("bad.conf", "x=1\n").c_str(), 1);
    EXPECT_EQ(tagged(add_settings_of_files(settings)),
              "client-settings-wrong: " + folder.path() + "/bad.conf: unrecognised option 'x'");
    unsetenv("TAPIR_CLIENT_CONFIG");
}

TEST(ClientSettings, TheUsersFile) {
    const Folder folder;
    folder.write("tapir/client.conf", "url=mine\n");
    setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);
    Settings settings;
    EXPECT_TRUE(add_settings_of_files(settings));
    EXPECT_EQ(settings.url, "https://mine:8443");
    unsetenv("XDG_CONFIG_HOME");
}

TEST(ClientSettings, Tokens) {
    const Folder folder;
    const Outcome<std::string> token = read_token(folder.write("good", "  abc.DEF-1\n"));
    ASSERT_TRUE(token) << said(token);
    EXPECT_EQ(*token, "abc.DEF-1");
}

TEST(ClientSettings, TokenUnusable) {
    const Folder folder;
    EXPECT_EQ(tagged(read_token(folder.path() + "/none")),
              "token-unusable: Cannot read the token in " + folder.path() + "/none: No such file or directory");
    EXPECT_EQ(said(read_token(folder.write("empty", "\n"))), "There is no token in " + folder.path() + "/empty");
    EXPECT_EQ(said(read_token(folder.write("two", "a\r\nX-Header: b\n"))),
              "What is in " + folder.path() + "/two is not a token: it should be one word");
}

}  // namespace
}  // namespace tapir::client
