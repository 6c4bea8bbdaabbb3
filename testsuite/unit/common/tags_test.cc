// SPDX-License-Identifier: GPL-2.0-or-later
// That no tag of a fault is left without a test.
#include "common/tag.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "common/files.h"
#include "testsuite/trees.h"

namespace tapir {
namespace {

namespace fs = std::filesystem;

void collect(const std::string &text, const std::regex &pattern, std::set<std::string> &out) {
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), last; it != last; ++it)
        out.insert((*it)[1]);
}

// A test that compares the whole text of a message carries the name of its tag: TEST(Anything, Tag). One that has
// several, and the scripts of guests and of the server's suite, have a comment "Tags: Tag, Tag." before it.
TEST(Tags, EachHasATest) {
    std::set<std::string> tested;
    const fs::path root = fs::path(tapir::source_dir()) / "testsuite";
    const std::regex name(R"(TEST(?:_F|_P)?\(\s*\w+,\s*(\w+)\))"), comment(R"((?://|#) Tags: ([\w, ]+)\.)"),
        word(R"((\w+))");
    for (const char *part : {"unit", "vm", "server"})
        for (const auto &entry : fs::recursive_directory_iterator(root / part)) {
            const fs::path kind = entry.path().extension();
            if (kind != ".cc" && kind != ".sh") continue;
            const std::string text = *read_file(entry.path());
            collect(text, name, tested);
            std::set<std::string> lists;
            collect(text, comment, lists);
            for (const std::string &list : lists)
                collect(list, word, tested);
        }
    std::string missing;
    for (const char *tag : {
#define TAPIR_TAG(name, ...) #name,
#include "common/tags/build.def"
#include "common/tags/client.def"
#include "common/tags/common.def"
#include "common/tags/remote.def"
#include "common/tags/report.def"
#include "common/tags/server.def"
#include "common/tags/staprun.def"
#include "common/tags/trust.def"
#include "common/tags/vm.def"
#undef TAPIR_TAG
         })
        if (!tested.count(tag)) missing += std::string(" ") + tag;
    EXPECT_EQ(missing, "") << "these tags have no test that carries their name";
}

// Programs tell faults apart by them.
template <size_t n>
void expect_different(const char *const (&words)[n]) {
    std::set<std::string> seen;
    for (const char *word : words) {
        EXPECT_TRUE(std::regex_match(word, std::regex("[a-z]+(-[a-z]+)*"))) << word;
        EXPECT_TRUE(seen.insert(word).second) << word << " is there twice";
    }
}

TEST(Tags, WordsOfAListAreDifferent) {
#define TAPIR_TAG(name, word, ...) word,
    const char *const build[] = {
#include "common/tags/build.def"
    };
    const char *const client[] = {
#include "common/tags/client.def"
    };
    const char *const common[] = {
#include "common/tags/common.def"
    };
    const char *const remote[] = {
#include "common/tags/remote.def"
    };
    const char *const report[] = {
#include "common/tags/report.def"
    };
    const char *const server[] = {
#include "common/tags/server.def"
    };
    const char *const staprun[] = {
#include "common/tags/staprun.def"
    };
    const char *const trust[] = {
#include "common/tags/trust.def"
    };
    const char *const vm[] = {
#include "common/tags/vm.def"
    };
#undef TAPIR_TAG
    expect_different(build);
    expect_different(client);
    expect_different(common);
    expect_different(remote);
    expect_different(report);
    expect_different(server);
    expect_different(staprun);
    expect_different(trust);
    expect_different(vm);
}

TEST(Tags, HaveTheirWords) {
    EXPECT_EQ(tag_word(FaultTag::Misuse), "usage");
    EXPECT_EQ(tag_word(FaultTag::SignerExpired), "signer-expired");
    EXPECT_EQ(tag_word(FaultTag::SymbolsHidden), "symbols-hidden");
    EXPECT_EQ(tag_word(FaultTag::StateUnwritable), "state-unwritable");
}

}  // namespace
}  // namespace tapir
