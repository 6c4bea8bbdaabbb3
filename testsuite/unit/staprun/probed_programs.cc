// SPDX-License-Identifier: GPL-2.0-or-later
#include "probed_programs.h"

#include "common/build_id.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "../said.h"
#include "fake.h"

namespace tapir::staprun {

namespace {

class ProgramsTest : public testing::Test {
  protected:
    ProgramsTest() {
        std::string pattern = testing::TempDir() + "tapir-programs-XXXXXX";
        directory_ = mkdtemp(pattern.data());
        std::ofstream(directory_ + "/source.c") << "int main(void) { return 0; }\n";
        EXPECT_EQ(
            system(
                ("cd " + directory_ +
                 " && gcc -Wl,--build-id=0x0123abcd -o program source.c && gcc -Wl,--build-id=none -o plain source.c")
                    .c_str()),
            0);
    }
    ~ProgramsTest() override { std::filesystem::remove_all(directory_); }

    void expect(const std::string &file, const char *build_id, uint64_t size = 1) {
        tapir_ioc_program program = {};
        program.index = static_cast<u32>(control_.programs.size());
        strcpy(program.path, (directory_ + "/" + file).c_str());
        strcpy(program.build_id, build_id);
        program.size = size;
        control_.programs.push_back(program);
    }
    std::string go() { return said(programs_.open(control_, static_cast<uint32_t>(control_.programs.size()))); }

    std::string directory_;
    FakeControl control_;
    Programs programs_;
};

TEST_F(ProgramsTest, AreHandedOverOpen) {
    expect("program", "0123abcd");
    expect("none", "00");
    expect("plain", "", std::filesystem::file_size(directory_ + "/plain"));
    EXPECT_EQ(go(), "");
    EXPECT_EQ(control_.programs_set, (std::vector<u32>{0, 2}));
}

TEST_F(ProgramsTest, AnotherBuildIsRefused) {
    expect("program", "0123abce");
    EXPECT_EQ(go(), "the script was translated for a '" + directory_ +
                        "/program' with build-id 0123abce, but the file there now has build-id 0123abcd; its probes "
                        "would be put in wrong places. Translate the script again");
    EXPECT_TRUE(control_.programs_set.empty());
}

// Only the processes of such a program are probed.
TEST_F(ProgramsTest, AnyBuildIsTakenOfAProgramWithoutPlaces) {
    expect("program", "", 0);
    EXPECT_EQ(go(), "");
    EXPECT_EQ(control_.programs_set, std::vector<u32>{0});
}

TEST_F(ProgramsTest, WithoutABuildIdTheSizeCounts) {
    expect("plain", "", 5);
    const std::string size = std::to_string(std::filesystem::file_size(directory_ + "/plain"));
    EXPECT_EQ(go(), "the script was translated for a '" + directory_ +
                        "/plain' with 5 bytes, but the file there now has " + size +
                        " bytes and no build-id; its probes would be put in wrong places. Translate the script again");
}

TEST_F(ProgramsTest, WhatTheModuleRefusesEndsTheRun) {
    expect("program", "0123abcd");
    control_.program_error = EINVAL;
    EXPECT_EQ(go(), "the module refuses '" + directory_ + "/program': Invalid argument");
}

TEST_F(ProgramsTest, WhatHappensToTheirFilesIsToldOnce) {
    using testing::ElementsAre;
    using testing::IsEmpty;
    expect("program", "0123abcd");
    expect("plain", "", std::filesystem::file_size(directory_ + "/plain"));
    expect("none", "00");
    EXPECT_EQ(go(), "");
    EXPECT_THAT(programs_.changes(), IsEmpty());
    std::filesystem::copy_file(directory_ + "/program", directory_ + "/new");
    std::filesystem::rename(directory_ + "/new", directory_ + "/program");
    EXPECT_THAT(programs_.changes(),
                ElementsAre("'" + directory_ +
                            "/program' was replaced while the script runs: processes that run the former file stay "
                            "probed, those that run the new one are not. Start the script again for these"));
    EXPECT_THAT(programs_.changes(), IsEmpty());
    std::ofstream(directory_ + "/plain", std::ios::app) << "more";
    EXPECT_THAT(programs_.changes(),
                ElementsAre("'" + directory_ +
                            "/plain' was written to while the script runs: its probes may be in wrong places. Start "
                            "the script again"));
    std::filesystem::remove(directory_ + "/plain");
    EXPECT_THAT(
        programs_.changes(),
        ElementsAre("'" + directory_ + "/plain' was removed while the script runs: processes that run it stay probed"));
}

// touch(1), a restored backup, a package that is installed again in place: the code is the same.
TEST_F(ProgramsTest, AnotherTimeAloneIsNoChange) {
    using testing::ElementsAre;
    using testing::IsEmpty;
    expect("program", "0123abcd");
    expect("plain", "", std::filesystem::file_size(directory_ + "/plain"));
    EXPECT_EQ(go(), "");
    ASSERT_EQ(system(("touch -d 2001-02-03 " + directory_ + "/program " + directory_ + "/plain").c_str()), 0);
    EXPECT_THAT(programs_.changes(), IsEmpty());
    // Other bytes in a file of the same size.
    {
        std::fstream file(directory_ + "/plain", std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(-1, std::ios::end).put('!');
    }
    EXPECT_THAT(programs_.changes(),
                ElementsAre("'" + directory_ +
                            "/plain' was written to while the script runs: its probes may be in wrong places. Start "
                            "the script again"));
    EXPECT_THAT(programs_.changes(), IsEmpty());
    ASSERT_EQ(
        system(
            ("cd " + directory_ + " && gcc -Wl,--build-id=0x0123abce -o other source.c && cat other >program").c_str()),
        0);
    EXPECT_THAT(programs_.changes(),
                ElementsAre("'" + directory_ +
                            "/program' was written to while the script runs: its probes may be in wrong places. Start "
                            "the script again"));
    ASSERT_EQ(system(("touch " + directory_ + "/program").c_str()), 0);
    EXPECT_THAT(programs_.changes(), IsEmpty());
}

TEST(BuildIdOfFile, NoElfFileHasNone) {
    const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    EXPECT_EQ(build_id_of_file(fd), "");
    close(fd);
}

}  // namespace

}  // namespace tapir::staprun
