// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/kernel_symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "btf_writer.h"
#include "target/symbol_readers.h"

namespace tapir::target {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class SymbolsTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = fs::temp_directory_path() / "tapir-symbols-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        root_ = pattern;
        sources_.root = root_;
        sources_.release = "1.2.3";
        sources_.cache_dir = root_ / "cache";
    }
    void TearDown() override { fs::remove_all(root_); }

    void write(const std::string &name, const std::string &text) const {
        fs::create_directories((root_ / name).parent_path());
        std::ofstream(root_ / name) << text;
    }

    fs::path root_;
    SymbolSources sources_;
};

constexpr char kList[] =
    "ffffffff81000000 T vfs_read\n"
    "ffffffff81000010 t vfs_open\n"
    "ffffffff81000020 W vfs_weak\n"
    "ffffffff81000030 D vfs_data\n"
    "ffffffff81000040 t vfs_read.cold\n"
    "ffffffff81000050 t __pfx_vfs_read\n"
    "ffffffff81000060 T vfs_read\n"
    "ffffffff81000070 t in_module\t[ext4]\n";

TEST_F(SymbolsTest, TakesFunctionsOnceAndSorted) {
    write("boot/System.map-1.2.3", kList);
    Symbols symbols(sources_);
    EXPECT_THAT(symbols.names(), ElementsAre("vfs_open", "vfs_read", "vfs_weak"));
    EXPECT_EQ(symbols.source(), (root_ / "boot/System.map-1.2.3").string());
    EXPECT_TRUE(symbols.has("vfs_read"));
    EXPECT_FALSE(symbols.has("vfs_rea"));
    EXPECT_THAT(symbols.match("vfs_*"), ElementsAre("vfs_open", "vfs_read", "vfs_weak"));
    EXPECT_THAT(symbols.match("*_[or]*"), ElementsAre("vfs_open", "vfs_read"));
    EXPECT_THAT(symbols.similar("vfs_raed"), ElementsAre("vfs_read"));
}

TEST_F(SymbolsTest, TheRunningKernelIsAskedFirst) {
    write("proc/kallsyms", "0000000000000000 T from_kallsyms\n");
    write("boot/System.map-1.2.3", kList);
    EXPECT_FALSE(Symbols(sources_).has("from_kallsyms"));
    sources_.running = true;
    EXPECT_TRUE(Symbols(sources_).has("from_kallsyms"));
}

TEST_F(SymbolsTest, KallsymsOfModules) {
    write("proc/kallsyms",
          "0000000000000000 T of_kernel\n0000000000000000 t first\t[mine]\n0000000000000000 d data\t[mine]\n"
          "0000000000000000 t other\t[mine_too]\n0000000000000000 t bpf_prog\t[bpf]\n");
    EXPECT_THAT(read_module_symbol_lines(root_ / "proc/kallsyms", "mine"), ElementsAre("first"));
    EXPECT_THAT(read_symbol_lines(root_ / "proc/kallsyms"), ElementsAre("of_kernel"));
}

TEST_F(SymbolsTest, AStubOfASystemMapIsPassedOver) {
    write("boot/System.map-1.2.3", "ffffffffffffffff B The real System.map is in the linux-image-dbg package\n");
    sources_.build_dir = root_ / "build";
    write("build/System.map", kList);
    Symbols symbols(sources_);
    EXPECT_EQ(symbols.source(), (root_ / "build/System.map").string());
}

TEST_F(SymbolsTest, WithoutSourcesNamesAreNotKnown) {
    write("boot/System.map-1.2.3", "ffffffffffffffff B The real System.map is in the linux-image-dbg package\n");
    write("boot/vmlinuz-1.2.3", "not an image");
    Symbols symbols(sources_);
    EXPECT_FALSE(symbols.known());
    EXPECT_THAT(symbols.tried(), Contains((root_ / "boot/vmlinuz-1.2.3").string()));
    EXPECT_THAT(symbols.match("*"), IsEmpty());
    EXPECT_FALSE(Symbols().known());
}

TEST_F(SymbolsTest, AKeptListIsUsedUntilItsSourceChanges) {
    write("boot/System.map-1.2.3", kList);
    EXPECT_TRUE(Symbols(sources_).known());
    for (const auto &entry : fs::directory_iterator(root_ / "cache")) {
        std::ofstream(entry.path()) << "tapir kernel functions 2\nkept\n";
    }
    EXPECT_THAT(Symbols(sources_).names(), ElementsAre("kept"));
    write("boot/System.map-1.2.3", std::string(kList) + "ffffffff81000080 T added\n");
    EXPECT_TRUE(Symbols(sources_).has("added"));
}

TEST_F(SymbolsTest, AnElfFileGivesItsSymbolTable) {
    EXPECT_THAT(read_kernel_file("/proc/self/exe"), Contains("main"));
    EXPECT_THAT(read_kernel_file("/nonexistent"), IsEmpty());
}

// Debian's headers of 6.12 come with a vmlinux that has BTF and no symbols of functions, while the boot image has all
// of them.
TEST_F(SymbolsTest, SymbolsOfTheImageComeBeforeTheBtfOfTheHeaders) {
    BtfWriter btf;
    btf.sample();
    write("btf", btf.blob());
    fs::create_directories(root_ / "build");
    const std::string command = "objcopy --strip-all --add-section .BTF=" + (root_ / "btf").string() + " " +
                                fs::read_symlink("/proc/self/exe").string() + " " + (root_ / "build/vmlinux").string();
    ASSERT_EQ(std::system(command.c_str()), 0);
    sources_.build_dir = root_ / "build";
    for (int run = 0; run < 2; run++) {  // the second time from what was kept
        Symbols fewer(sources_);
        EXPECT_TRUE(fewer.has("vfs_read"));
        EXPECT_EQ(fewer.source(), (root_ / "build/vmlinux").string());
        SymbolSources more = sources_;
        more.image = fs::read_symlink("/proc/self/exe");
        EXPECT_TRUE(Symbols(more).has("main"));
        EXPECT_FALSE(Symbols(more).has("vfs_read"));
    }
}

// Writes the tables as scripts/kallsyms.c lays them out, with the tokens of single characters only.
class TableBuilder {
  public:
    explicit TableBuilder(size_t align = 8) : align_(align) {}
    std::string build(const std::vector<std::string> &symbols, const std::string &gap) {
        image_ = "rubbish.";
        put(static_cast<uint32_t>(symbols.size()));
        align();
        size_t start = image_.size();
        std::vector<uint32_t> markers;
        for (size_t i = 0; i < symbols.size(); ++i) {
            if (i % 256 == 0) markers.push_back(static_cast<uint32_t>(image_.size() - start));
            if (symbols[i].size() < 128) {
                image_ += static_cast<char>(symbols[i].size());
            } else {
                image_ += static_cast<char>((symbols[i].size() & 0x7f) | 0x80);
                image_ += static_cast<char>(symbols[i].size() >> 7);
            }
            image_ += symbols[i];
        }
        align();
        for (uint32_t marker : markers)
            put(marker);
        align();
        image_ += gap;
        align();
        size_t tokens = image_.size();
        std::vector<uint16_t> offsets;
        for (int c = 0; c < 256; ++c) {
            offsets.push_back(static_cast<uint16_t>(image_.size() - tokens));
            if (c > ' ' && c < 127) image_ += static_cast<char>(c);
            image_ += '\0';
        }
        align();
        for (uint16_t offset : offsets)
            put(offset);
        return image_ + "more rubbish";
    }

  private:
    template <class T>
    void put(T value) {
        image_.append(reinterpret_cast<const char *>(&value), sizeof value);
    }
    void align() { image_.resize((image_.size() + align_ - 1) / align_ * align_); }

    size_t align_;
    std::string image_;
};

TEST(KallsymsTables, NamesOfFunctionsComeOut) {
    std::vector<std::string> symbols;
    for (int i = 0; i < 700; ++i)
        symbols.push_back((i % 7 == 0 ? "d" : "T") + std::string("name_") + std::to_string(i));
    symbols.push_back("t" + std::string(300, 'x'));
    symbols.push_back("?__nosave_begin");
    for (const std::string &gap : {std::string(), std::string(3 * 702, '\x05')}) {
        for (size_t align : {8, 4}) {  // since 6.12
            std::vector<std::string> names = read_kallsyms_tables(TableBuilder(align).build(symbols, gap));
            EXPECT_EQ(names.size(), 601u);
            EXPECT_THAT(names, Contains("name_1"));
            EXPECT_THAT(names, Contains(std::string(300, 'x')));
            EXPECT_THAT(names, testing::Not(Contains("name_7")));
        }
    }
}

TEST(KallsymsTables, DamagedTablesAreNotBelieved) {
    std::vector<std::string> symbols(600, "Tname");
    const std::string image = TableBuilder().build(symbols, "");
    std::string wrong_name = image;
    wrong_name[16 + 6 * 300] = 90;  // a length
    EXPECT_THAT(read_kallsyms_tables(wrong_name), IsEmpty());
    EXPECT_THAT(read_kallsyms_tables(image.substr(0, image.size() / 2)), IsEmpty());
    EXPECT_THAT(read_kallsyms_tables(""), IsEmpty());
    EXPECT_THAT(read_kallsyms_tables(image), testing::SizeIs(600));
}

}  // namespace
}  // namespace tapir::target
