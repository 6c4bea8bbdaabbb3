// SPDX-License-Identifier: GPL-2.0-or-later
// The same program in every shape that debug information comes in, and damaged ones.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <random>

#include "compiled_programs.h"
#include "dwarf/index_format.h"
#include "walk_object.h"

namespace tapir::dwarf {
namespace {

using testing::Contains;
using testing::ElementsAre;

// Reads everything of a file of any kind.
void read_all(const std::string &file, const std::string &debug_path = ":.debug:/usr/lib/debug") {
    std::string error;
    const auto object = Object::open(file, error, debug_path);
    if (!object) return;
    const auto index = Index::open(*object, "");
    if (index) walk_all(*object, *index);
}

// In a child, so that a crash is a failure with a name.
bool survives(const std::function<void()> &what) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        what();
        _exit(0);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class Shapes : public Programs {
  protected:
    // The values that every shape of the program must give.
    void expect_program(const std::string &file, const std::string &debug_path = ":.debug:/usr/lib/debug") {
        const auto object = open(file, debug_path);
        ASSERT_TRUE(object);
        ASSERT_TRUE(object->dwarf());
        const auto index = Index::open(*object, "");
        ASSERT_TRUE(index);
        const auto find = [&](const char *text, FindOptions options) {
            return names(find_functions(*object, *index, pattern(text), options));
        };
        EXPECT_THAT(find("*", {true, false, false}), ElementsAre("helper:8", "main:21", "outer:12"));
        EXPECT_THAT(find("*", {true, false, true}), ElementsAre("main:21", "outer:12"));
        EXPECT_THAT(find("twice", {false, true, false}), ElementsAre("twice:4"));
        EXPECT_THAT(find("o*@source/program.c", {true, false, false}), ElementsAre("outer:12"));
        EXPECT_THAT(find("outer@other.c", {true, true, false}), ElementsAre());
        EXPECT_EQ(index->types("point").size(), 1u);
        EXPECT_EQ(index->types("point_t").size(), 1u);
        EXPECT_EQ(index->variables("sink").size(), 1u);
        ASSERT_EQ(index->enumerators("GREEN").size(), 1u);
        EXPECT_EQ(index->enumerators("GREEN")[0].value, -2);
        const FunctionEntry &outer = index->functions("outer")[0];
        ASSERT_TRUE(index->function_at(outer.entry + 1));
        EXPECT_EQ(index->text(index->function_at(outer.entry + 1)->name), "outer");
        const auto symbol = object->symbols().symbol_at(outer.entry + 1);
        ASSERT_TRUE(symbol);
        EXPECT_EQ(symbol->symbol, "outer");
        EXPECT_EQ(symbol->offset, 1u);
        std::vector<std::string> parameters;
        for (const ScopeVariable &p : parameters_of(*object, find_functions(*object, *index, pattern("outer"), {})[0]))
            parameters.push_back(p.name);
        EXPECT_THAT(parameters, ElementsAre("count", "p"));
    }
};

TEST_F(Shapes, Dwarf4) {
    expect_program(compile("-g -gdwarf-4 -O2"));
}
TEST_F(Shapes, Dwarf5) {
    expect_program(compile("-g -gdwarf-5 -O2"));
}
TEST_F(Shapes, Unoptimized) {
    expect_program(compile("-g -O0"));
}
TEST_F(Shapes, CompressedSections) {
    expect_program(compile("-g -gz=zlib -O2"));
}

// Offsets of .debug_types and of .debug_info overlap.
TEST_F(Shapes, TypeUnits) {
    expect_program(compile("-g -gdwarf-4 -fdebug-types-section -O2"));
    const auto object = open(path("program"));
    const auto index = Index::open(*object, "");
    const Types types(*object, *index);
    const auto type = types.find_type("struct point");
    ASSERT_TRUE(type);
    EXPECT_EQ(ctypes::type_size({&types, *type}), 8u);
    EXPECT_THAT(ctypes::member_names({&types, *type}), ElementsAre("x", "y"));
}

TEST_F(Shapes, SeparateFileByLink) {
    compile("-g -O2 -Wl,--build-id=none");
    ASSERT_TRUE(
        run("mkdir .debug && objcopy --only-keep-debug program .debug/program.debug && "
            "objcopy --strip-debug --add-gnu-debuglink=.debug/program.debug program"))
        << read("log");
    expect_program(path("program"));
    // One of another build is not taken.
    compile("-g -O0 -Wl,--build-id=none", "other");
    ASSERT_TRUE(run("objcopy --only-keep-debug other .debug/program.debug"));
    EXPECT_FALSE(open(path("program"))->dwarf());
}

TEST_F(Shapes, DebugFileOfAnotherBuildIsNotTaken) {
    compile("-g -O2 -Wl,--build-id=none");
    ASSERT_TRUE(
        run("mkdir .debug && objcopy --only-keep-debug program .debug/program.debug && "
            "objcopy --strip-debug --add-gnu-debuglink=.debug/program.debug program"))
        << read("log");
    EXPECT_TRUE(open(path("program"))->dwarf());
    write(".debug/program.debug", read(".debug/program.debug") + "x");
    EXPECT_FALSE(open(path("program"))->dwarf()) << "its checksum is another";
}

TEST_F(Shapes, TruncatedDebugFile) {
    compile("-g -O2 -Wl,--build-id=0x0123456789abcdef");
    ASSERT_TRUE(
        run("mkdir -p lib/.build-id/01 && objcopy --only-keep-debug program lib/.build-id/01/23456789abcdef.debug && "
            "strip --strip-debug program"))
        << read("log");
    const std::string whole = read("lib/.build-id/01/23456789abcdef.debug");
    for (size_t part = 0; part < 20; ++part) {
        write("lib/.build-id/01/23456789abcdef.debug", whole.substr(0, whole.size() * part / 20));
        EXPECT_TRUE(survives([&] { read_all(path("program"), ":.debug:" + path("lib")); })) << part << "/20";
    }
}

TEST_F(Shapes, SeparateFileByBuildId) {
    compile("-g -O2 -Wl,--build-id=0x0123456789abcdef");
    ASSERT_TRUE(
        run("mkdir -p lib/.build-id/01 && objcopy --only-keep-debug program lib/.build-id/01/23456789abcdef.debug && "
            "strip --strip-debug program"))
        << read("log");
    EXPECT_EQ(open(path("program"))->build_id(), "0123456789abcdef");
    expect_program(path("program"), ":.debug:" + path("lib"));
}

TEST_F(Shapes, WithoutDebugInformation) {
    const auto object = open(compile("-O2"));
    EXPECT_FALSE(object->dwarf());
    EXPECT_FALSE(Index::open(*object, directory_));
}

TEST_F(Shapes, NotAnObject) {
    std::string error;
    EXPECT_FALSE(Object::open(path("missing"), error));
    EXPECT_EQ(error, path("missing") + ": cannot be opened");
    ASSERT_EQ(0, mkfifo(path("pipe").c_str(), 0600));
    for (const std::string &name : {path("pipe"), std::string("/dev/zero")}) {
        EXPECT_FALSE(Object::open(name, error));
        EXPECT_EQ(error, name + ": cannot be opened: it is not a regular file");
    }
    write("text", "hello");
    error.clear();
    Object::open(path("text"), error);
    EXPECT_NE(error, "");
}

TEST_F(Shapes, TruncatedFiles) {
    compile("-g -O2");
    const std::string whole = read("program");
    for (size_t size = 0; size < whole.size(); size += whole.size() / 60) {
        write("cut", whole.substr(0, size));
        EXPECT_TRUE(survives([&] { read_all(path("cut")); })) << size << " bytes of " << whole.size();
    }
}

TEST_F(Shapes, DamagedFiles) {
    compile("-g -O2");
    const std::string whole = read("program");
    std::mt19937 random(1);
    for (int round = 0; round < 150; ++round) {
        std::string damaged = whole;
        for (int change = 0; change < 20; ++change)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        write("damaged", damaged);
        EXPECT_TRUE(survives([&] { read_all(path("damaged")); })) << "round " << round;
    }
}

TEST_F(Shapes, IndexIsKeptAndMadeAgainWhenItDoesNotFit) {
    const auto object = open(compile("-g -O2"));
    const std::string kept = path("index"), file = kept + "/" + index_name(*object);
    EXPECT_TRUE(Index::open(*object, kept)->built());
    EXPECT_FALSE(Index::open(*object, kept)->built());
    EXPECT_EQ(Index::map(file, "another"), nullptr);
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
    EXPECT_TRUE(Index::open(*object, kept)->built());
    EXPECT_FALSE(Index::open(*object, kept)->built());
    // An index of another version of the format, or of the program.
    std::string other = read("index/" + index_name(*object));
    other[offsetof(IndexHeader, version)]++;
    write("index/" + index_name(*object), other);
    EXPECT_TRUE(Index::open(*object, kept)->built());
    EXPECT_FALSE(Index::open(*object, kept)->built());
    other[offsetof(IndexHeader, version)]--;
    other[offsetof(IndexHeader, identity) + 12] ^= 1;
    write("index/" + index_name(*object), other);
    EXPECT_TRUE(Index::open(*object, kept)->built());
    EXPECT_FALSE(Index::open(*object, kept)->built());
    std::ofstream(file) << "nonsense";
    EXPECT_TRUE(Index::open(*object, kept)->built());
    EXPECT_TRUE(Index::open(*object, "/proc/no/such/place")->built());
}

TEST_F(Shapes, IndexIsTheSameHoweverItIsMade) {
    std::string sources;
    for (int i = 0; i < 9; ++i) {
        // Some names are of one unit, some of several, some types differ from unit to unit.
        const std::string n = std::to_string(i), name = "source/more" + n + ".c";
        write(name, "enum shade { LIGHT = " + n + ", DARK = 7 }; struct size { char bytes[" +
                        std::to_string(i % 3 + 1) + "]; } size" + n +
                        "; static inline __attribute__((always_inline)) int thrice(int v) { return v * 3; }" +
                        " enum shade more" + n + "(int v) { return thrice(v) + sizeof size" + n + "; }\n");
        sources += " " + name;
    }
    for (const char *format : {"-gdwarf-4", "-gdwarf-5", "-gdwarf-4 -fdebug-types-section"}) {
        const auto object = open(compile(std::string("-g -O2 ") + format + sources));
        const std::string whole = build_index(*object, "", {1, UINT64_MAX});
        EXPECT_EQ(whole, build_index(*object, "", {1, 1})) << format;
        EXPECT_EQ(whole, build_index(*object, "", {4, 1})) << format;
        EXPECT_EQ(whole, build_index(*object, "", {3, 1000})) << format;
        write("whole.idx", whole);
        const auto index = Index::map(path("whole.idx"), "");
        ASSERT_TRUE(index);
        EXPECT_EQ(index->enumerators("LIGHT").size(), 9u);
        EXPECT_EQ(index->enumerators("DARK").size(), 1u);
        EXPECT_EQ(index->types("size").size(), 3u);
        EXPECT_EQ(index->functions("thrice").size(), 9u);
        EXPECT_EQ(index->functions("more8").size(), 1u);
    }
}

TEST_F(Shapes, DebugInformationFromElsewhere) {
    compile("-g -O2 -Wl,--build-id=0x00112233445566778899aabb");
    ASSERT_TRUE(run("objcopy --only-keep-debug program kept && strip -o bare program && rm program")) << read("log");
    std::vector<std::string> asked;
    std::string error;
    const FindBuild kept = [&](const std::string &build_id) {
        asked.push_back(build_id);
        return path("kept");
    };
    setenv("DEBUGINFOD_URLS", "http://127.0.0.1:9/", 1);
    auto object = Object::open(path("bare"), error, ":.debug", kept);
    ASSERT_TRUE(object) << error;
    ASSERT_TRUE(object->dwarf()) << object->debug_problem();
    // libdw would ask without a deadline.
    EXPECT_EQ(getenv("DEBUGINFOD_URLS"), nullptr);
    EXPECT_EQ(object->debug_file(), path("kept"));
    const auto index = Index::open(*object, "");
    ASSERT_TRUE(index);
    EXPECT_THAT(names(find_functions(*object, *index, pattern("*"), {true, false, false})),
                ElementsAre("helper:8", "main:21", "outer:12"));
    EXPECT_TRUE(object->symbol_address("helper"));
    const auto again = object->again();
    ASSERT_TRUE(again && again->dwarf());
    EXPECT_THAT(asked, ElementsAre("00112233445566778899aabb", "00112233445566778899aabb"));
    // There is none, or it is no such file.
    for (const std::string &found : {std::string(), path("source/program.c"), path("bare"), path("nothing")}) {
        object = Object::open(path("bare"), error, ":.debug", [&](const std::string &) { return found; });
        ASSERT_TRUE(object);
        EXPECT_FALSE(object->dwarf()) << found;
        EXPECT_FALSE(object->symbol_address("helper")) << found;
    }
    // A file that has its own needs none.
    asked.clear();
    ASSERT_TRUE(Object::open(compile("-g -O2"), error, ":.debug", kept)->dwarf());
    EXPECT_TRUE(asked.empty());
}

TEST_F(Shapes, DamagedIndexesAreReadWithoutACrash) {
    const auto object = open(compile("-g -O2"));
    Index::open(*object, path("index"));
    const std::string name = "index/" + index_name(*object), whole = read(name);
    std::mt19937 random(2);
    for (int round = 0; round < 150; ++round) {
        std::string damaged = whole;
        for (int change = 0; change < 200; ++change)
            damaged[300 + random() % (damaged.size() - 300)] = static_cast<char>(random());
        write(name, damaged);
        EXPECT_TRUE(survives([&] {
            const auto again = open(path("program"));
            const auto index = Index::open(*again, path("index"));
            if (index) walk_all(*again, *index);
        })) << "round "
            << round;
    }
}

TEST_F(Shapes, ManyProcessesMakeOneIndex) {
    compile("-g -O2");
    std::vector<pid_t> children;
    for (int i = 0; i < 8; ++i) {
        children.push_back(fork());
        if (children.back() != 0) continue;
        std::string error;
        const auto object = Object::open(path("program"), error);
        for (int round = 0; round < 20; ++round) {
            const auto index = Index::open(*object, path("index"));
            if (!index || index->functions("outer").size() != 1) _exit(1);
            if (round % 5 == 4) std::filesystem::remove(path("index/" + index_name(*object)));
        }
        _exit(0);
    }
    for (pid_t child : children) {
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    for (const auto &entry : std::filesystem::directory_iterator(path("index")))
        EXPECT_EQ(entry.path().extension(), ".idx") << "left behind";
}

}  // namespace
}  // namespace tapir::dwarf
