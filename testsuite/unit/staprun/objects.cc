// SPDX-License-Identifier: GPL-2.0-or-later
#include "objects.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "../said.h"
#include "common/build_id.h"
#include "fake.h"

namespace tapir::staprun {

namespace {

std::string note(uint32_t type, std::string name, std::string content) {
    const Elf64_Nhdr header = {static_cast<Elf64_Word>(name.size() + 1), static_cast<Elf64_Word>(content.size()), type};
    name.resize((name.size() + 4) & ~size_t{3});
    content.resize((content.size() + 3) & ~size_t{3});
    return std::string(reinterpret_cast<const char *>(&header), sizeof header) + name + content;
}

const std::string kId = "\x01\x23\x45\xab\xff";

class Objects : public testing::Test {
  protected:
    Objects() {
        std::string pattern = testing::TempDir() + "tapir-objects-XXXXXX";
        directory_ = mkdtemp(pattern.data());
        put("kernel/notes", note(6, "Xen", "anything") + note(NT_GNU_BUILD_ID, "GNU", kId));
        put("module/ext4/initstate", "live\n");
        put("module/ext4/notes/.note.gnu.build-id", note(NT_GNU_BUILD_ID, "GNU", "\x0f"));
        put("module/printk/parameters/time", "Y\n");
    }
    ~Objects() override { std::filesystem::remove_all(directory_); }

    void put(const std::string &path, const std::string &content) {
        const auto whole = std::filesystem::path(directory_) / path;
        std::filesystem::create_directories(whole.parent_path());
        std::ofstream(whole) << content;
    }
    void expect(const char *module, const char *build_id) {
        tapir_ioc_object object = {};
        object.index = static_cast<u32>(control_.objects.size());
        strcpy(object.module, module);
        strcpy(object.build_id, build_id);
        control_.objects.push_back(object);
    }
    std::string check() {
        return said(check_objects(control_, static_cast<uint32_t>(control_.objects.size()), directory_));
    }

    std::string directory_;
    FakeControl control_;
};

TEST_F(Objects, FitAllThatAreThere) {
    expect("", "012345abff");
    expect("ext4", "0f");
    expect("dummy", "00");   // not loaded
    expect("printk", "00");  // built in
    EXPECT_EQ(check(), "");
}

TEST_F(Objects, BuildMismatch) {
    expect("", "012345abfe");
    EXPECT_EQ(
        check(),
        "the script was translated by debug information for a build of the kernel with build-id 012345abfe, but the "
        "one that is running has build-id 012345abff; their addresses differ, so its probes would be put in wrong "
        "places. Translate the script again with debug information of this build");
}

TEST_F(Objects, AnotherModuleIsRefused) {
    expect("", "012345abff");
    expect("ext4", "0e");
    EXPECT_EQ(
        check(),
        "the script was translated by debug information for a build of module 'ext4' with build-id 0e, but the one "
        "that is running has build-id 0f; their addresses differ, so its probes would be put in wrong places. "
        "Translate the script again with debug information of this build");
}

TEST_F(Objects, UnknownIsRefused) {
    std::filesystem::remove(directory_ + "/kernel/notes");
    expect("", "012345abff");
    EXPECT_EQ(
        check(),
        "the script was translated by debug information for a build of the kernel with build-id 012345abff, but the "
        "one that is running does not tell its build-id; their addresses differ, so its probes would be put in "
        "wrong places. Translate the script again with debug information of this build");
}

TEST_F(Objects, ControlFailed) {
    EXPECT_EQ(tagged(check_objects(control_, 1, directory_)),
              "control-failed: Couldn't ask the module what it was translated for: Invalid argument");
}

TEST(BuildIdOfNotes, DamagedNotesHaveNone) {
    const std::string whole = note(NT_GNU_BUILD_ID, "GNU", kId);
    EXPECT_EQ(build_id_of_notes(whole), "012345abff");
    for (size_t size = 0; size < sizeof(Elf64_Nhdr) + 4 + kId.size(); size++)
        EXPECT_EQ(build_id_of_notes(std::string_view(whole).substr(0, size)), "") << size;
    std::string huge = whole;
    huge[0] = huge[1] = huge[2] = huge[3] = '\xff';
    EXPECT_EQ(build_id_of_notes(huge), "");
    EXPECT_EQ(build_id_of_notes(note(NT_GNU_BUILD_ID, "XYZ", kId)), "");
}

}  // namespace

}  // namespace tapir::staprun
