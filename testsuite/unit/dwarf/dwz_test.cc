// SPDX-License-Identifier: GPL-2.0-or-later
// Programs whose common debug information `dwz -m` has moved to a supplement.
#include <elfutils/libdwelf.h>
#include <gmock/gmock.h>

#include "common/hash.h"
#include "compiled_programs.h"
#include "walk_object.h"

namespace tapir::dwarf {
namespace {

using testing::ElementsAre;

// Lines matter: tests name them.
constexpr const char *kCommon =
    "typedef struct record { int id; long values[8]; struct record *next; } record_t;\n"               // 1
    "union either { int number; char text[4]; };\n"                                                    // 2
    "enum shade { LIGHT = 5, DARK = -7 };\n"                                                           // 3
    "extern volatile int sink;\n"                                                                      // 4
    "static inline __attribute__((always_inline)) int blend(const record_t *from, enum shade to) {\n"  // 5
    "    int mixed = from->id;\n"                                                                      // 6
    "    sink = mixed;\n"                                                                              // 7
    "    return mixed * (int)to;\n"                                                                    // 8
    "}\n"                                                                                              // 9
    "static __attribute__((noinline)) int measure(record_t *of, union either *by) {\n"                 // 10
    "    sink = of->id + by->number;\n"                                                                // 11
    "    return sink;\n"                                                                               // 12
    "}\n";                                                                                             // 13

constexpr const char *kOne =
    "#include \"common.h\"\n"
    "volatile int sink;\n"
    "__attribute__((noinline)) int first(record_t *r, union either *e) {\n"  // 3
    "    sink = blend(r, LIGHT);\n"
    "    return measure(r, e) + 1;\n"
    "}\n"
    "int main(int argc, char **argv) {\n"  // 7
    "    record_t r = {argc, {1}, 0};\n"
    "    union either e = {argc};\n"
    "    return first(&r, &e) + blend(&r, DARK) + argv[0][0];\n"
    "}\n";

constexpr const char *kTwo =
    "#include \"common.h\"\n"
    "struct shared { int a, b, c, d; } unshared;\n"
    "volatile int sink;\n"
    "int main(int argc, char **argv) {\n"
    "    record_t r = {argc, {1}, 0};\n"
    "    union either e = {argc};\n"
    "    sink = blend(&r, DARK);\n"
    "    return measure(&r, &e) + argv[0][0];\n"
    "}\n";

class Dwz : public Programs {
  protected:
    void SetUp() override {
        if (system("dwz --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "dwz is not installed";
    }

    // Makes "one", with its supplement "common". What "two" and "three" alone have in common is there too.
    void make(const std::string &options = "-gdwarf-5") {
        write("source/common.h", kCommon);
        write("source/one.c", kOne);
        write("source/two.c", kTwo);
        // In DWARF 5 with relative paths dwz 0.15 moves strings only.
        for (const auto &[program, source] : {std::pair("one", "one.c"), {"two", "two.c"}, {"three", "two.c"}})
            ASSERT_TRUE(run("gcc -g -O2 -fcf-protection=none -no-pie " + options + " -o " + program + " " +
                            path("source/") + source))
                << read("log");
        ASSERT_TRUE(run("dwz -m common one two three")) << read("log");
    }

    void load() {
        object_ = open(path("one"));
        ASSERT_TRUE(object_->supplement()) << object_->debug_problem();
        index_ = Index::open(*object_, "");
        ASSERT_TRUE(index_);
        types_ = std::make_unique<Types>(*object_, *index_);
    }

    CodeSite function(const std::string &name, FindOptions options = {}) {
        const auto found = find_functions(*object_, *index_, pattern(name), options);
        EXPECT_FALSE(found.empty()) << name;
        return found.empty() ? CodeSite{} : found[0];
    }
    // The type that a variable of the function points to.
    ctypes::Type target(const CodeSite &site, const std::string &name) {
        const auto variable = find_variable(*object_, *index_, site, name);
        if (!variable) return {};
        const ctypes::Type pointer = type_of_variable(*object_, *types_, *variable).stripped();
        return pointer.with(pointer.info().target).stripped();
    }

    void expect_functions() {
        EXPECT_THAT(names(find_functions(*object_, *index_, pattern("*"), {})),
                    ElementsAre("first:3", "main:7", "measure:10"));
        EXPECT_THAT(names(find_functions(*object_, *index_, pattern("*@source/common.h"), {})),
                    ElementsAre("measure:10"));
        EXPECT_EQ(index_->file(function("measure").file), path("source/common.h"));
        EXPECT_THAT(names(find_callees(*object_, *index_, {function("first")}, "*", 1)),
                    ElementsAre("blend:5", "measure:10"));
    }

    void expect_inlines() {
        ASSERT_EQ(index_->functions("blend").size(), 1u);
        EXPECT_TRUE(index_->functions("blend")[0].die & kInSupplement);
        const auto sites = find_functions(*object_, *index_, pattern("blend@source/common.h"), {false, true, false});
        ASSERT_THAT(names(sites), ElementsAre("blend:5", "blend:5"));
        for (const CodeSite &site : sites) {
            EXPECT_EQ(index_->file(site.file), path("source/common.h"));
            EXPECT_EQ(ctypes::type_name(target(site, "from")), "struct record");
        }
        EXPECT_THAT(names(find_statements(*object_, *index_, pattern("blend@common.h:7")).sites),
                    ElementsAre("blend:7", "blend:7"));
    }

    void expect_types() {
        const CodeSite first = function("first");
        const ctypes::Type record = target(first, "r");
        EXPECT_EQ(ctypes::type_name(record), "struct record");
        EXPECT_EQ(ctypes::type_size(record), 80u);
        EXPECT_THAT(ctypes::member_names(record), ElementsAre("id", "values", "next"));
        Dwarf_Die unit;
        ASSERT_TRUE(object_->die_at(index_->units()[first.unit].die, unit));
        for (const char *name : {"struct record", "record_t", "union either", "enum shade"}) {
            const auto type = types_->find_type(name);
            ASSERT_TRUE(type) << name;
            EXPECT_TRUE(*type & kInSupplement) << name;
            EXPECT_EQ(types_->find_type(name, unit), type) << name;
        }
        EXPECT_EQ(record.id, types_->find_type("struct record"));
        EXPECT_EQ(ctypes::type_size({types_.get(), *types_->find_type("union either")}), 4u);
        // Types of other programs are in the supplement as well.
        EXPECT_FALSE(types_->find_type("struct shared"));
        const auto dark = index_->enumerators("DARK");
        ASSERT_EQ(dark.size(), 1u);
        EXPECT_EQ(dark[0].value, -7);
        const auto sinks = index_->variables("sink");
        EXPECT_EQ(std::count_if(sinks.begin(), sinks.end(),
                                [](const VariableEntry &entry) { return !(entry.flags & kVariableDeclared); }),
                  1);
        EXPECT_TRUE(find_variable(*object_, *index_, first, "sink"));
    }

    std::unique_ptr<Object> object_;
    std::unique_ptr<Index> index_;
    std::unique_ptr<Types> types_;
};

TEST_F(Dwz, WhatMovedIsFound) {
    for (const char *format : {"-gdwarf-4", "-gdwarf-5"}) {
        SCOPED_TRACE(format);
        make(format);
        load();
        expect_functions();
        expect_inlines();
        expect_types();
        walk_all(*object_, *index_);
    }
}

TEST_F(Dwz, IndexIsTheSameHoweverItIsMade) {
    make();
    load();
    const std::string whole = build_index(*object_, "", {1, UINT64_MAX});
    EXPECT_EQ(whole, build_index(*object_, "", {1, 1}));
    EXPECT_EQ(whole, build_index(*object_, "", {4, 1}));
}

TEST_F(Dwz, KeptIndexIsNotUsedWithoutTheSupplement) {
    make();
    load();
    const std::string kept = path("index");
    EXPECT_TRUE(Index::open(*object_, kept)->built());
    EXPECT_FALSE(Index::open(*open(path("one")), kept)->built());
    ASSERT_TRUE(run("mv common gone"));
    EXPECT_FALSE(Index::open(*open(path("one")), kept));
    ASSERT_TRUE(run("mv gone common"));
    EXPECT_FALSE(Index::open(*open(path("one")), kept)->built());
}

TEST_F(Dwz, SupplementThatIsMissingOrAnother) {
    make();
    load();
    const void *id = nullptr;
    const ssize_t length = dwelf_elf_gnu_build_id(dwarf_getelf(object_->supplement()), &id);
    const std::string needed = "the debug information of " + path("one") +
                               " is only complete with the supplement common (build-id " +
                               to_hex(static_cast<const unsigned char *>(id), static_cast<size_t>(length)) + ")";
    ASSERT_TRUE(run("mv common gone"));
    const auto without = open(path("one"));
    EXPECT_FALSE(Index::open(*without, ""));
    EXPECT_EQ(without->debug_problem(), needed + ", which is missing");
    ASSERT_TRUE(run("gcc -g -O1 -o two source/two.c && cp two three && dwz -m other two three && cp other common"))
        << read("log");
    const auto wrong = open(path("one"));
    EXPECT_FALSE(Index::open(*wrong, ""));
    EXPECT_EQ(wrong->debug_problem(), needed + ", and the file of this name is another");
    write("common", "not an object");
    EXPECT_EQ(open(path("one"))->debug_problem(), needed + ", which is missing");
}

TEST_F(Dwz, SupplementFromElsewhere) {
    make();
    ASSERT_TRUE(run("objcopy --only-keep-debug one kept && strip one && mv common moved")) << read("log");
    std::string error;
    std::vector<std::string> asked;
    object_ = Object::open(path("one"), error, ":.debug", [&](const std::string &build_id) {
        asked.push_back(build_id);
        return path(asked.size() == 1 ? "kept" : "moved");
    });
    ASSERT_TRUE(object_ && object_->supplement()) << object_->debug_problem();
    EXPECT_EQ(asked.size(), 2u);
    index_ = Index::open(*object_, "");
    ASSERT_TRUE(index_);
    types_ = std::make_unique<Types>(*object_, *index_);
    expect_inlines();
    object_ = Object::open(path("one"), error, ":.debug", [&](const std::string &) { return path("kept"); });
    EXPECT_FALSE(object_->supplement());
    EXPECT_TRUE(object_->debug_problem().ends_with(", and the file of this name is another"))
        << object_->debug_problem();
}

TEST_F(Dwz, DamagedSupplement) {
    make();
    const std::string whole = read("common");
    for (size_t part = 0; part < 20; ++part) {
        write("common", whole.substr(0, whole.size() * part / 20));
        const auto object = open(path("one"));
        const auto index = Index::open(*object, "");
        EXPECT_TRUE(index || !object->debug_problem().empty()) << part << "/20";
        if (index) walk_all(*object, *index);
    }
}

}  // namespace
}  // namespace tapir::dwarf
