// SPDX-License-Identifier: GPL-2.0-or-later
// Which package has the names of a file without names, against what dpkg-query and readelf say of an installed program
// that is started through links.
#include "report/nameless_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "capture/capture_writer.h"
#include "common/files.h"
#include "common/run_program.h"
#include "trees.h"

namespace tapir::report {
namespace {

namespace fs = std::filesystem;

std::string build_id_by_readelf(const std::string &path) {
    constexpr std::string_view kLabel = "Build ID: ";
    const Outcome<std::string> notes = output_of({"readelf", "-n", path});
    const size_t at = notes ? notes->find(kLabel) : std::string::npos;
    return at == std::string::npos ? "" : notes->substr(at + kLabel.size(), notes->find('\n', at) - at - kLabel.size());
}

// awk is a link to a link to the program of a package, as php, editor and many others are.
class NamelessFiles : public ::testing::Test {
  protected:
    void SetUp() override {
        const Outcome<std::string> real = output_of({"readlink", "-f", link_});
        if (!real) GTEST_SKIP() << "there is no " << link_;
        real_ = real->substr(0, real->find('\n'));
        const Outcome<std::string> owner = output_of({"dpkg-query", "-S", real_});
        if (!owner) GTEST_SKIP() << "no package of dpkg has " << real_;
        package_ = owner->substr(0, owner->find(':'));
        build_id_ = build_id_by_readelf(real_);
        if (build_id_.empty()) GTEST_SKIP() << real_ << " has no build-id";
        if (is_file("/usr/lib/debug/.build-id/" + build_id_.substr(0, 2) + "/" + build_id_.substr(2) + ".debug"))
            GTEST_SKIP() << real_ << " has its debug information here";
    }
    static std::string notice_of(const std::string &path, const std::string &build_id) {
        const auto notices = nameless_notices(nameless_line({50, "in " + path, path, build_id}));
        EXPECT_EQ(notices.size(), 1u);
        return notices.empty() ? "" : notices[0];
    }
    bool names_package(const std::string &text) const {
        return text.find(": package " + package_ + "-db") != std::string::npos && text.ends_with(" has them");
    }

    std::string link_ = "/usr/bin/awk", real_, package_, build_id_;
    TemporaryDirectory directory_{*make_directory(temporary_root(), "tapir-report")};
};

TEST_F(NamelessFiles, PackageIsNamedThroughLinks) {
    ASSERT_NE(link_, real_);
    const std::string own_link = directory_.path() + "/started";
    fs::create_symlink(link_, own_link);
    for (const std::string &path : {real_, link_, own_link})
        EXPECT_TRUE(names_package(notice_of(path, build_id_))) << notice_of(path, build_id_);
}

TEST_F(NamelessFiles, OnlyFilesOfNoPackageAreNotToBeStripped) {
    const std::string copy = directory_.path() + "/program";
    fs::copy_file(real_, copy);
    const std::string advice = "or do not strip it";
    EXPECT_TRUE(notice_of(copy, build_id_).ends_with(": install its debug symbols, " + advice));
    // Another build than the one that was traced: nothing is known of its package.
    EXPECT_TRUE(notice_of(real_, std::string(40, '0')).ends_with(": install its debug symbols"));
    EXPECT_TRUE(notice_of(real_, "").ends_with(": install its debug symbols"));
    EXPECT_TRUE(notice_of(copy, "").ends_with(": install its debug symbols"));
    // Not all linkers write a build-id.
    const std::string without = directory_.path() + "/without";
    ASSERT_TRUE(output_of({"objcopy", "--remove-section=.note.gnu.build-id", copy, without}));
    ASSERT_EQ(build_id_by_readelf(without), "");
    EXPECT_TRUE(notice_of(without, "").ends_with(": install its debug symbols, " + advice));
    EXPECT_TRUE(notice_of(without, build_id_).ends_with(": install its debug symbols"));
    EXPECT_TRUE(notice_of(directory_.path() + "/gone", "").ends_with(": install its debug symbols"));
}

// A capture has a file once for each process where it was read, and not all of them have its build-id.
TEST_F(NamelessFiles, ProgramTellsThePackageOfAFileThatIsThereTwice) {
    for (const bool known_first : {true, false}) {
        std::string bytes;
        capture::Writer writer([&bytes](std::string_view part) {
            bytes += part;
            return true;
        });
        writer.object({1, real_, known_first ? build_id_ : "", 0, link_});
        writer.object({2, real_, known_first ? "" : build_id_, 0, link_});
        for (uint32_t id : {1u, 2u}) {
            writer.stack(
                {id, capture::End::None, capture::End::Complete, {{capture::FrameKind::File, 0, id, 0x1000, ""}}});
            writer.sample({id, 0, 1, 1, 0, {}});
        }
        ASSERT_TRUE(writer.finish("finished"));
        const std::string path = directory_.path() + "/run.tapir";
        ASSERT_TRUE(write_file(path, bytes));
        Collected output, errors;
        Program program{{build_dir() + "/bin/stap-report", path, "--format=folded"}};
        program.output = Stream::collected(output);
        program.errors = Stream::collected(errors);
        ASSERT_TRUE(run_program(program));
        const size_t at = errors.text.find("notice: ");
        ASSERT_NE(at, std::string::npos) << errors.text;
        const std::string notice = errors.text.substr(at, errors.text.find('\n', at) - at);
        EXPECT_NE(notice.find(" in " + link_ + ": "), std::string::npos) << notice;
        EXPECT_TRUE(names_package(notice)) << notice;
    }
}

}  // namespace
}  // namespace tapir::report
