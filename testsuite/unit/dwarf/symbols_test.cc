// SPDX-License-Identifier: GPL-2.0-or-later
// Functions by symbols, and by what debug information and symbols say together. `nm` says where each is.
#include <gmock/gmock.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "compiled_programs.h"
#include "dwarf/entry_frame.h"
#include "dwarf/function_names.h"

namespace tapir::dwarf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Two versions of one name, an alias, a function in assembler, and one that is chosen at start.
constexpr char kLibrary[] = R"(
int sink;
__attribute__((noinline)) int old_open(int bytes) { return sink = bytes; }
__attribute__((noinline)) int new_open(int bytes) { return sink = bytes + 1; }
__asm__(".symver old_open, opened@V1\n.symver new_open, opened@@V2");
__attribute__((noinline)) int __libc_take(long bytes) { return sink = (int)bytes; }
int take(long bytes) __attribute__((alias("__libc_take")));
static __attribute__((noinline)) int hidden(int a) { return sink = a; }
int calls(int a) { return hidden(a); }
__asm__(".text\n.globl bare\n.type bare,@function\nbare: ret\n.size bare,.-bare\n"
        ".type \"odd@name\",@function\n\"odd@name\": ret\n.size \"odd@name\",.-\"odd@name\"\n");
static int __pick_fast(int a) { return a; }
static int __pick_slow(int a) { return a + 1; }
static int (*choose(void))(int) { return sink ? __pick_fast : __pick_slow; }
int pick(int a) __attribute__((ifunc("choose")));
)";

class Symbols : public Programs {
  protected:
    void SetUp() override {
        write("library.c", kLibrary);
        write("versions", "V1 { global: *; };\nV2 { } V1;\n");
        ASSERT_TRUE(
            run("gcc -shared -fPIC -O2 -g -fcf-protection=none -Wl,--version-script=versions -Wl,--build-id "
                "-o whole.so library.c && mkdir -p debug && "
                "objcopy --only-keep-debug whole.so debug/library.so.debug && "
                "objcopy --strip-all --add-gnu-debuglink=debug/library.so.debug whole.so library.so && "
                "cp library.so bare.so && objcopy --remove-section=.gnu_debuglink bare.so"))
            << read("log");
    }

    // Name without version -> addresses, of functions in .dynsym or .symtab.
    std::multimap<std::string, uint64_t> by_nm(const std::string &options, const std::string &file) {
        EXPECT_TRUE(run("nm --defined-only " + options + " " + file + " >nm.out && cat nm.out")) << read("log");
        std::istringstream lines(read("nm.out"));
        std::multimap<std::string, uint64_t> found;
        for (std::string address, kind, name; lines >> address >> kind >> name;)
            if (std::string_view("tTwWi").find(kind) != std::string_view::npos)
                found.emplace(std::regex_replace(name, std::regex("@@?V[12]$"), ""), std::stoull(address, nullptr, 16));
        return found;
    }

    std::vector<uint64_t> places(const std::string &text, FindOptions options = {.undescribed = true}) {
        std::vector<uint64_t> found;
        for (const CodeSite &site : find_functions(*object_, index_.get(), pattern(text), options))
            found.push_back(site.pc);
        std::sort(found.begin(), found.end());
        return found;
    }
    CodeSite one(const std::string &text) {
        const auto found = find_functions(*object_, index_.get(), pattern(text), {.undescribed = true});
        if (found.size() == 1) return found[0];
        ADD_FAILURE() << text << ": " << found.size();
        return {};
    }
    void use(const std::string &file) {
        object_ = open(path(file), ":.debug:" + path("debug"));
        index_ = Index::open(*object_, "");
    }

    std::unique_ptr<Object> object_;
    std::unique_ptr<Index> index_;
};

// With debug information in a file of its own, there is all that there is without.
TEST_F(Symbols, DebugInformationTakesNothingAway) {
    for (const char *file : {"bare.so", "library.so", "whole.so"}) {
        use(file);
        ASSERT_EQ(index_ != nullptr, std::string_view(file) != "bare.so") << file;
        const auto exported = by_nm("-D", "bare.so");
        ASSERT_GT(exported.size(), 5u);
        for (const auto &[name, address] : exported) {
            if (name == "pick" || name == "_init" || name == "_fini") continue;
            EXPECT_THAT(places(name), testing::Contains(address)) << file << ": " << name;
        }
        std::vector<uint64_t> opened;
        for (auto [at, end] = exported.equal_range("opened"); at != end; ++at)
            opened.push_back(at->second);
        std::sort(opened.begin(), opened.end());
        EXPECT_EQ(opened.size(), 2u);
        EXPECT_EQ(places("opened"), opened) << file;
        const std::vector<uint64_t> all = places("*");
        for (const auto &[name, address] : exported) {
            if (name == "pick") continue;
            EXPECT_THAT(all, testing::Contains(address)) << file << ": " << name;
        }
    }
}

TEST_F(Symbols, AnAliasIsTheFunctionThatIsThere) {
    use("library.so");
    const uint64_t address = by_nm("", "whole.so").find("take")->second;
    for (const char *name : {"take", "t?ke", "take@library.c", "take@library.c:6", "__libc_take"}) {
        const CodeSite site = one(name);
        EXPECT_EQ(site.pc, address) << name;
        EXPECT_EQ(site.name, "__libc_take") << name;
        EXPECT_EQ(site.line, 6u) << name;
        std::vector<std::string> parameters;
        for (const ScopeVariable &variable : parameters_of(*object_, site))
            parameters.push_back(variable.name);
        EXPECT_THAT(parameters, ElementsAre("bytes")) << name;
    }
    EXPECT_EQ(one("take").shown, "take");
    EXPECT_EQ(one("__libc_take").shown, "__libc_take");
    EXPECT_THAT(places("take@other.c"), IsEmpty());
    EXPECT_THAT(places("take@library.c:7"), IsEmpty());
    // One place, under any of its names.
    EXPECT_EQ(places("*take").size(), 1u);
    // It is a place of statements, too.
    EXPECT_EQ(find_statements(*object_, *index_, pattern("take@library.c:6")).sites.size(), 1u);
}

TEST_F(Symbols, WhatDebugInformationDoesNotKnow) {
    for (const char *file : {"whole.so", "library.so"}) {
        use(file);
        const CodeSite bare = one("bare");
        EXPECT_EQ(bare.function, 0u);
        EXPECT_EQ(bare.pc, by_nm("-D", "bare.so").find("bare")->second);
        EXPECT_THAT(places("bare", {}), IsEmpty());
        EXPECT_THAT(places("bare@library.c"), IsEmpty());
    }
}

TEST_F(Symbols, OnlyVersionsAreCutOff) {
    use("whole.so");
    EXPECT_EQ(one("odd\\@name").pc, by_nm("", "whole.so").find("odd@name")->second);
    EXPECT_EQ(one("odd\\@name").shown, "odd\\@name");
    EXPECT_THAT(places("odd"), IsEmpty());
}

TEST_F(Symbols, WhatIsChosenAtStart) {
    use("whole.so");
    EXPECT_THAT(places("pick"), IsEmpty());
    const uint64_t chooser = by_nm("", "whole.so").find("pick")->second;
    EXPECT_EQ(one("choose").pc, chooser);
    EXPECT_EQ(object_->symbols().chosen_at(chooser), "pick");
    EXPECT_THAT(choices_of(*object_, "pick"), ElementsAre("__pick_fast", "__pick_slow"));
}

// A place with several names has the one that other files use.
TEST_F(Symbols, TheNameOfAPlace) {
    use("whole.so");
    const auto symbol = object_->symbols().symbol_at(by_nm("", "whole.so").find("take")->second + 1);
    ASSERT_TRUE(symbol);
    EXPECT_EQ(symbol->symbol, "take");
    EXPECT_EQ(symbol->offset, 1u);
}

// ---- listings: what is printed means what it was printed for

// Names that look like patterns, as Go, Rust and C++ have them, and others that assemblers take.
constexpr const char *kNames[] = {"main.(*Job).Weigh",
                                  "main.(*Job).WeighAll",
                                  "main.Job.Weigh",
                                  "main.(*Stack[go.shape.int]).Push",
                                  "main.Map[go.shape.int,go.shape.string]",
                                  "main.main.func1",
                                  "type:.eq.struct { main.a int; main.b string }",
                                  "github.com/user/pkg%2ename.(*T).F-fm",
                                  "core::ops::function::FnOnce::call_once{{vtable.shim}}",
                                  "<alloc::vec::Vec<T> as core::ops::Drop>::drop",
                                  "f",
                                  "f*",
                                  "f?",
                                  "fa",
                                  "a[bc]",
                                  "ab",
                                  "a\\b",
                                  "x@y",
                                  "x",
                                  "a::b",
                                  "b",
                                  "f.isra.0",
                                  "-[Class method:]",
                                  "op(int)",
                                  "spaced name",
                                  ("gr\xc3\xb6\xc3\x9f"
                                   "e")};

TEST_F(Programs, NamesThatLookLikePatternsAreFoundByThemselves) {
    std::string source = "int main(void) { return 0; }\n";
    for (const char *name : kNames) {
        std::string text;
        for (const char *c = name; *c; ++c)
            text += *c == '\\' ? "\\\\\\\\" : std::string(1, *c);
        source += "__asm__(\".type \\\"" + text + "\\\",@function\\n\\\"" + text + "\\\": ret\\n.size \\\"" + text +
                  "\\\",1\\n\");\n";
    }
    write("names.c", source);
    ASSERT_TRUE(run("gcc -O2 -o names names.c && nm names >nm.out && true")) << read("log");
    const auto object = open(path("names"));
    std::map<std::string, uint64_t> addresses;
    std::istringstream lines(read("nm.out"));
    for (std::string line; std::getline(lines, line);)
        if (line.size() > 19 && line[0] != ' ')
            addresses[line.substr(19)] = std::stoull(line.substr(0, 16), nullptr, 16);
    for (const CodeSite &site : find_functions(*object, nullptr, pattern("*"), {.undescribed = true})) {
        const auto again = find_functions(*object, nullptr, pattern(site.shown), {.undescribed = true});
        ASSERT_EQ(again.size(), 1u) << site.shown;
        EXPECT_EQ(again[0].pc, site.pc) << site.shown;
    }
    for (const char *name : kNames) {
        ASSERT_TRUE(addresses.count(name)) << name;
        std::string text = name;
        if (const size_t at = text.find('@'); at != std::string::npos) text.insert(at, "\\");
        const auto found = find_functions(*object, nullptr, pattern(text), {.undescribed = true});
        ASSERT_FALSE(found.empty()) << name;
        EXPECT_EQ(found[0].pc, addresses[name]) << name;
    }
    // Wildcards stay wildcards where they mean no name.
    EXPECT_EQ(find_functions(*object, nullptr, pattern("main.(*Job).*"), {.undescribed = true}).size(), 2u);
}

// Functions that only a scope, parameters or template arguments tell apart.
constexpr char kAlike[] = R"(
int sink;
#define NOINLINE __attribute__((noinline))
NOINLINE int area(int a) { return sink = a; } namespace geo { NOINLINE int area(int a) { return sink = a + 1; } }
namespace geo { inline namespace v2 {
struct Item { int weight; };
template <typename T> struct Box { T value; NOINLINE int area(int a) { return sink = a + 2; } };
struct Row { int n; NOINLINE int at(int i) { return sink = n + i; } NOINLINE int at(int i) const { return sink = n - i; } };
NOINLINE int area(long a) { return sink = (int)a + 3; }
NOINLINE int area(const char *a, unsigned b) { return sink = a[b]; }
template <typename T, unsigned long N> NOINLINE int fill(T *at) { return sink = (int)(at - (T *)0) + (int)N; }
struct Two { virtual ~Two() {} }; struct One : virtual Two { NOINLINE One() { sink = 5; } virtual int f() { return 1; } };
} }
extern "C" NOINLINE int weigh(geo::Box<geo::Item> *box) { return box->value.weight; }
NOINLINE int operator*(const geo::Item &a, int b) { return a.weight * b; }
NOINLINE int operator""_km(unsigned long long n) { return sink = (int)n; }
int main(int argc, char **argv) {
    geo::Box<unsigned long> a{1}; geo::Box<const char *> b{""}; geo::Box<geo::Item> c{{argc}}; geo::One one;
    int k = 0;
    geo::Row row{argc}; const geo::Row &same = row;
    auto lambda = [&](int x) NOINLINE { return sink = x + k; };
    return area(argc) + geo::area(argc) + geo::area(2L) + geo::area(argv[0], 0) + a.area(1) + b.area(2) + c.area(3) +
           weigh(&c) + c.value * 2 + 5_km + lambda(3) + one.f() + geo::fill<unsigned, 3>(0) + geo::fill<char, 4>(0) +
           row.at(1) + same.at(2);
}
)";

class Alike : public Programs, public testing::WithParamInterface<const char *> {
  protected:
    void SetUp() override {
        const std::string compiler = GetParam();
        write("alike.cc", kAlike);
        if (!run(compiler.substr(0, compiler.find(' ')) + " --version")) GTEST_SKIP() << "there is no " << compiler;
        ASSERT_TRUE(run(compiler + " -g -o alike alike.cc && cp alike bare && strip -g bare")) << read("log");
    }
    // "name:line" of those that a text means.
    std::vector<std::string> found(const std::string &text) {
        const auto object = open(path("alike"));
        const auto index = Index::open(*object, "");
        return names(find_functions(*object, *index, pattern(text), {}));
    }
};

TEST_P(Alike, ListingsAreFoundAgain) {
    for (const char *file : {"alike", "bare"}) {
        const auto object = open(path(file));
        const auto index = Index::open(*object, "");
        const auto find = [&](const std::string &text) {
            return find_functions(*object, index.get(), pattern(text), {.undescribed = true});
        };
        std::map<std::string, std::set<uint64_t>> listed;
        std::set<uint64_t> places;
        for (const CodeSite &site : find("*")) {
            std::string label = site.shown;
            if (site.file) label += "@" + std::string(shown_file(*index, site.file)) + ":" + std::to_string(site.line);
            listed[label].insert(site.pc);
            places.insert(site.pc);
        }
        for (const auto &[label, addresses] : listed) {
            std::set<uint64_t> again;
            for (const CodeSite &site : find(label))
                again.insert(site.pc);
            EXPECT_EQ(again, addresses) << file << ": " << label;
        }
        // Variants of one constructor, which nothing in the sources tells apart, have one line.
        EXPECT_LE(places.size(), listed.size() + 2) << file;
    }
}

TEST_P(Alike, InlineNamespacesMayBeLeftOut) {
    EXPECT_THAT(found("geo::Box::area"), testing::SizeIs(3));
    EXPECT_EQ(found("geo::v2::Box::area"), found("geo::Box::area"));
    EXPECT_EQ(found("::geo::Box::area"), found("geo::Box::area"));
    EXPECT_THAT(found("v2::area"), testing::SizeIs(2));
    EXPECT_THAT(found("::geo::area"), testing::SizeIs(1)) << "the whole name of one of them";
    const auto object = open(path("alike"));
    const auto index = Index::open(*object, "");
    const Types types(*object, *index);
    for (const char *name : {"geo::Item", "geo::v2::Item", "Item", "::geo::Item", "geo::Box<geo::Item>", "Box<Item>",
                             "geo::Box<geo::v2::Item>", "geo::Box<unsigned long>", "geo::Box<std::size_t>",
                             "geo::Box<long unsigned int>", "geo::Box<char const *>", "geo::Box<const char*>"})
        EXPECT_TRUE(types.find_type(name)) << name;
    for (const char *name : {"geo::v3::Item", "geo::Box<int>", "geo::Box<char*>", "other::Box<Item>"})
        EXPECT_FALSE(types.find_type(name)) << name;
}

TEST_P(Alike, TemplateArgumentsAsPeopleWriteThem) {
    for (const char *name : {"geo::Box<geo::Item>::area", "Box<Item>::area", "geo::v2::Box<geo::v2::Item>::area"})
        EXPECT_EQ(found(name).size(), 1u) << name;
    for (const char *name : {"Box<unsigned long>::area", "Box<unsigned long int>::area", "Box<size_t>::area",
                             "Box<const char*>::area", "Box<char const *>::area", "fill<unsigned, 3>",
                             "fill<unsigned int, 3ul>", "fill<uint32_t, 0x3>", "fill<char>", "fill<char,4>"})
        EXPECT_EQ(found(name).size(), 1u) << name;
    EXPECT_EQ(found("fill").size(), 2u);
    for (const char *name : {"Box<int>::area", "fill<unsigned, 4>", "fill<int>"})
        EXPECT_THAT(found(name), IsEmpty()) << name;
    EXPECT_EQ(found("operator\"\"_km").size(), 1u);
    EXPECT_EQ(found("operator*").size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Compilers, Alike,
                         testing::Values("g++ -O1", "g++ -O1 -gdwarf-4 -gstrict-dwarf", "clang++ -O1",
                                         "g++ -O1 -std=c++20 -D_GLIBCXX_USE_CXX11_ABI=0"),
                         [](const auto &each) { return std::to_string(each.index); });

// ---- returns

// A part that is entered by a jump, the program's beginning, and the return from signal handlers.
TEST_F(Programs, WhatHasNoReturnAddress) {
    write("cold.c",
          "#include <stdlib.h>\nint sink;\n__attribute__((noinline)) int odd(int a, int b) {\n"
          "int kept[9]; kept[a & 7] = b;\n"
          "if (__builtin_expect(a > 5, 0)) { sink = kept[b & 7]; abort(); }\nreturn a + kept[1]; }\n"
          "__asm__(\".text\\n.globl restore\\n.type restore,@function\\n.cfi_startproc\\n.cfi_signal_frame\\n"
          ".cfi_def_cfa rsp, 8\\n nop\\nrestore: mov $15,%eax\\n syscall\\n.cfi_endproc\\n.size "
          "restore,.-restore\\n\");\n"
          "int main(int argc, char **argv) { (void)argv; return odd(argc, 2); }\n");
    ASSERT_TRUE(run("gcc -O2 -o cold cold.c && nm cold >nm.out && true")) << read("log");
    const auto object = open(path("cold"));
    const auto why = [&](const char *name) {
        const auto address = object->symbol_address(name);
        EXPECT_TRUE(address) << name << "\n" << read("nm.out");
        return why_no_return_address(*object, address.value_or(0));
    };
    EXPECT_EQ(why("main"), "");
    EXPECT_EQ(why("odd"), "");
    EXPECT_EQ(why("_start"), "the program begins there: nothing calls it");
    EXPECT_EQ(why("restore"), "a signal handler returns to it: nothing calls it");
    EXPECT_NE(why("odd.cold"), "");
}

}  // namespace
}  // namespace tapir::dwarf
