// SPDX-License-Identifier: GPL-2.0-or-later
// Places and sizes in debug information, in every form that compilers have for them. The numbers that are
// expected are the compiler's own: offsetof and sizeof, written into the program as text.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>

#include "compiled_programs.h"

namespace tapir::dwarf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char *kSource = R"(
#include <stddef.h>
volatile long sink;
struct pair { int a, b; unsigned low : 3, mid : 7; long c; union { char text[4]; int number; }; short tail; };
struct big { char fill[70000]; int after; } bigs;
enum flags { LOW = 1, HIGH = 200, TOP = 0x80000000u };
enum signs { MINUS = -1, PLUS = 200 };
int table[3][4], none[0];
enum flags flags;
enum signs signs;
struct pair pair;
__attribute__((noinline)) long sum(int n, int m, int (*rows)[m], struct pair *p) {
    int local[n][m];
    char name[n];
    name[0] = (char)m;
    local[n - 1][m - 1] = rows[1][2];
    sink = (long)name + (long)local;
    return local[n - 1][m - 1] + p->b + name[0];
}
int main(int argc, char **argv) {
    (void)argv;
    const unsigned char constant = 200;
    sink = constant;
    return (int)sum(argc + 2, argc + 3, table, &pair) + bigs.after + (int)flags + signs;
}
)";

class Values : public Programs {
  protected:
    // Compiles the source; false, and the test is skipped, when the compiler is not there.
    bool make(const std::string &command, const std::string &source = kSource) {
        write("source/values.c", source);
        if (!run(command + " -o values source/values.c")) {
            ADD_FAILURE() << command << "\n" << read("log");
            return false;
        }
        load("values");
        return index_ != nullptr;
    }
    void load(const std::string &name) {
        types_.reset();
        index_.reset();
        object_ = open(path(name));
        index_ = object_ ? Index::open(*object_, "") : nullptr;
        EXPECT_TRUE(index_) << object_->debug_problem();
        if (index_) types_ = std::make_unique<Types>(*object_, *index_);
    }
    ctypes::Type type(const std::string &name) const {
        const auto found = types_->find_type(name);
        EXPECT_TRUE(found) << name;
        return {types_.get(), found.value_or(0)};
    }
    // "BYTES", "BYTES.BIT:BITS", or why not.
    std::string place(const std::string &structure, const std::string &member) const {
        const auto found = ctypes::find_member(type(structure), member);
        if (!found) return "none";
        if (!found->unplaced.empty()) return found->unplaced;
        std::string text;
        for (const ctypes::ComputedPart &part : found->computed)
            text += (part.address ? ctypes::term_text(*part.address) : "asked") + " + ";
        text += std::to_string(found->bit_offset / 8);
        if (found->bit_size)
            text += "." + std::to_string(found->bit_offset % 8) + ":" + std::to_string(found->bit_size);
        return text;
    }
    CodeSite function(const std::string &name) {
        const auto found = find_functions(*object_, *index_, pattern(name), {});
        EXPECT_FALSE(found.empty()) << name;
        return found.empty() ? CodeSite{} : found[0];
    }
    CodeSite line(const std::string &text) {
        const auto found = find_statements(*object_, *index_, pattern(text)).sites;
        EXPECT_FALSE(found.empty()) << text;
        return found.empty() ? CodeSite{} : found[0];
    }
    ctypes::Type type_at(const CodeSite &site, const std::string &name) {
        const auto variable = find_variable(*object_, *index_, site, name);
        EXPECT_TRUE(variable) << name;
        return variable ? type_of_variable(*object_, *types_, *variable).stripped() : ctypes::Type{};
    }
    std::string computed(const CodeSite &site, const ctypes::Type &of) const {
        const ctypes::Place found = measure_at(*object_, *index_, *types_, site, of.id);
        return found.kind == ctypes::Place::Kind::Absent ? found.why : ctypes::term_text(*found.term);
    }
    std::string location(const CodeSite &site, const std::string &name) {
        const auto variable = find_variable(*object_, *index_, site, name);
        if (!variable) return "none";
        const ctypes::Place found = place_of_variable(*object_, *index_, site, *variable);
        if (found.kind == ctypes::Place::Kind::Absent) return found.why;
        return (found.kind == ctypes::Place::Kind::Memory ? "at " : "") + ctypes::term_text(*found.term);
    }
    std::vector<int64_t> enumerators(const std::string &name) const {
        std::vector<int64_t> values;
        for (const ctypes::Enumerator &one : types_->enumerators(type(name).id))
            values.push_back(one.value);
        return values;
    }

    std::unique_ptr<Object> object_;
    std::unique_ptr<Index> index_;
    std::unique_ptr<Types> types_;
};

class Forms : public Values, public testing::WithParamInterface<const char *> {};

TEST_P(Forms, MembersAreWhereTheCompilerHasThem) {
    const std::string command = GetParam();
    if (!run(command.substr(0, command.find(' ')) + " --version")) GTEST_SKIP() << command << " is not installed";
    ASSERT_TRUE(make(command));
    EXPECT_EQ(place("struct pair", "a"), "0");
    EXPECT_EQ(place("struct pair", "b"), "4");
    EXPECT_EQ(place("struct pair", "low"), "8.0:3");
    EXPECT_EQ(place("struct pair", "mid"), "8.3:7");
    EXPECT_EQ(place("struct pair", "c"), "16");
    EXPECT_EQ(place("struct pair", "number"), "24");
    EXPECT_EQ(place("struct pair", "tail"), "28");
    EXPECT_EQ(place("struct big", "after"), "70000");
    EXPECT_EQ(ctypes::type_size(type("struct big")), 70004u);
    EXPECT_EQ(ctypes::type_size(type("struct pair")), 32u);
}

TEST_P(Forms, EnumeratorsHaveTheirSigns) {
    const std::string command = GetParam();
    if (!run(command.substr(0, command.find(' ')) + " --version")) GTEST_SKIP() << command << " is not installed";
    ASSERT_TRUE(make(command));
    EXPECT_THAT(enumerators("enum flags"), ElementsAre(1, 200, 0x80000000));
    EXPECT_THAT(enumerators("enum signs"), ElementsAre(-1, 200));
    EXPECT_EQ(type("enum flags").info().encoding, ctypes::Encoding::Unsigned);
    EXPECT_EQ(type("enum signs").info().encoding, ctypes::Encoding::Signed);
    for (const auto &[name, value] :
         {std::pair<const char *, int64_t>("HIGH", 200), {"TOP", 0x80000000}, {"MINUS", -1}}) {
        ASSERT_EQ(index_->enumerators(name).size(), 1u) << name;
        EXPECT_EQ(index_->enumerators(name)[0].value, value) << name;
    }
}

TEST_P(Forms, BoundsOfArrays) {
    const std::string command = GetParam();
    if (!run(command.substr(0, command.find(' ')) + " --version")) GTEST_SKIP() << command << " is not installed";
    ASSERT_TRUE(make(command));
    const CodeSite main = function("main");
    const ctypes::Type table = type_at(main, "table"), row = table.with(table.info().target);
    EXPECT_EQ(table.info().count, 3u);
    EXPECT_EQ(row.info().count, 4u);
    EXPECT_EQ(ctypes::type_size(table), 48u);
    EXPECT_EQ(type_at(main, "none").info().count, 0u);
    // For arrays of variable length the compiler has numbers only when the program runs. clang has none for parameters.
    const ctypes::Type rows = type_at(line("sum@values.c:18"), "rows");
    const ctypes::TypeInfo of_rows = rows.with(rows.info().target).info();
    EXPECT_EQ(of_rows.count, 0u);
    EXPECT_EQ(of_rows.computed, command.starts_with("gcc"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, Forms,
                         testing::Values("gcc -g -gdwarf-2 -gstrict-dwarf -O0", "gcc -g -gdwarf-2 -gstrict-dwarf -O2",
                                         "gcc -g -gdwarf-3 -O0", "gcc -g -gdwarf-4 -gstrict-dwarf -O2",
                                         "gcc -g -gdwarf-5 -O2", "clang -g -gdwarf-2 -O0", "clang -g -gdwarf-4 -O2",
                                         "clang -g -gdwarf-5 -O0"));

// A structure with an array of any length has what comes after it at a place that is computed, or that debug
// information does not have.
TEST_F(Values, MembersBehindAnArrayOfAnyLength) {
    const std::string source =
        "volatile int sink;\n"
        "__attribute__((noinline)) int with(int n) {\n"
        "    struct whole { int n; char text[n]; int after; } of;\n"
        "    of.n = n;\n"
        "    of.after = 5;\n"
        "    sink = of.after;\n"
        "    return of.after + of.n;\n"
        "}\n"
        "int main(int argc, char **argv) { (void)argv; return with(argc + 2); }\n";
    ASSERT_TRUE(make("gcc -g -O0", source));
    const CodeSite site = line("with@values.c:6");
    const ctypes::Type whole = type_at(site, "of");
    EXPECT_FALSE(ctypes::type_size(whole));
    const auto after = ctypes::find_member(whole, "after");
    ASSERT_TRUE(after);
    ASSERT_EQ(after->computed.size(), 1u);
    EXPECT_FALSE(after->computed[0].address);
    const std::string address = computed(site, whole.with(after->computed[0].id));
    EXPECT_THAT(address, HasSubstr("object + "));
    EXPECT_THAT(address, HasSubstr("u64[(reg6 + "));
    // The frame is not set up yet.
    EXPECT_EQ(computed(function("with"), whole.with(after->computed[0].id)),
              "the function has not computed it yet; probe one of its statements");
    const auto text = ctypes::find_member(whole, "text");
    ASSERT_TRUE(text);
    EXPECT_TRUE(text->computed.empty());
    EXPECT_THAT(computed(site, text->type.stripped()), HasSubstr("+ 1)"));

    // Optimized, it is in a register, for a while; what GCC cannot say, it leaves out.
    ASSERT_TRUE(make("gcc -g -O2", source));
    const CodeSite optimized = line("with@values.c:6");
    const ctypes::Type in_register = type_at(optimized, "of");
    const auto behind = ctypes::find_member(in_register, "after");
    ASSERT_TRUE(behind);
    ASSERT_EQ(behind->computed.size(), 1u);
    EXPECT_EQ(computed(optimized, in_register.with(behind->computed[0].id)),
              "it was computed from a register that may have changed since");
    std::string kept = source;
    kept.insert(kept.find("    of.n = n;"),
                "    __builtin_memset(&of, n, sizeof of); sink = (int)(long)&of; n = sink;\n");
    ASSERT_TRUE(make("gcc -g -O2", kept));
    const auto nowhere = ctypes::find_member(type_at(line("with@values.c:7"), "of"), "after");
    ASSERT_TRUE(nowhere);
    EXPECT_TRUE(!nowhere->unplaced.empty() || !nowhere->computed.empty());
}

TEST_F(Values, NumbersOfConstants) {
    ASSERT_TRUE(make("gcc -g -O2"));
    const auto constant = find_variable(*object_, *index_, function("main"), "constant");
    ASSERT_TRUE(constant);
    const ctypes::Place place = place_of_variable(*object_, *index_, function("main"), *constant);
    ASSERT_EQ(place.kind, ctypes::Place::Kind::Value);
    EXPECT_EQ(place.term->constant & 0xff, 200);
}

// The compiler leaves them out of the copies of a function and keeps them where the function is.
TEST_F(Values, ConstantsOfInlinedFunctions) {
    ASSERT_TRUE(make("gcc -g -O2",
                     "struct pair { int i, j; };\n"
                     "struct large { long a, b; short c; };\n"
                     "static inline __attribute__((always_inline)) int work(int x) {\n"
                     "    const struct pair pair = {2, 21};\n"
                     "    const struct large large = {1, -2, 3};\n"
                     "    __asm__ volatile(\"nop\");\n"
                     "    return x * pair.i + large.c;\n"
                     "}\n"
                     "int main(int argc, char **argv) { (void)argv; return work(argc); }\n"));
    const CodeSite site = line("work@values.c:6");
    EXPECT_EQ(location(site, "pair"), std::to_string(2 | 21ll << 32));
    const auto large = find_variable(*object_, *index_, site, "large");
    ASSERT_TRUE(large);
    const ctypes::Place place = place_of_variable(*object_, *index_, site, *large);
    ASSERT_EQ(place.kind, ctypes::Place::Kind::Pieces);
    ASSERT_EQ(place.pieces.size(), 3u);
    EXPECT_EQ(place.pieces[0].place.term->constant, 1);
    EXPECT_EQ(place.pieces[1].place.term->constant, -2);
    EXPECT_EQ(place.pieces[2].place.term->constant & 0xffff, 3);
    EXPECT_EQ(location(site, "other"), "none");
    // They are listed with what copies keep.
    std::set<std::string> names;
    for (const ScopeVariable &variable : variables_at(*object_, site))
        names.insert(variable.name);
    EXPECT_EQ(names, (std::set<std::string>{"x", "pair", "large"}));
}

TEST_F(Values, NumbersWithoutAMeaningAreNotRead) {
    ASSERT_TRUE(make("gcc -g -O0",
                     "struct __attribute__((scalar_storage_order(\"big-endian\"))) net { int big; } net;\n"
                     "_Complex float complex;\n"
                     "int main(void) { return net.big + (complex == 0); }\n"));
    const CodeSite main = function("main");
    const auto big = ctypes::find_member(type_at(main, "net"), "big");
    ASSERT_TRUE(big);
    EXPECT_EQ(big->type.stripped().info().unread, "its bytes are in another order than the processor's");
    EXPECT_EQ(type_at(main, "complex").info().unread, "it is a complex number");
}

// Counts from 1, the first dimension fastest; arrays of callers are descriptors.
TEST_F(Values, ArraysOfFortran) {
    if (!run("gfortran --version")) GTEST_SKIP() << "gfortran is not installed";
    write("source/values.f90",
          "program values\n"
          "  integer :: list(10), grid(2,3)\n"
          "  list = 1\n"
          "  grid = 2\n"
          "  call show(list, grid)\n"
          "contains\n"
          "  subroutine show(of, g)\n"
          "    integer :: of(:), g(2,3)\n"
          "    print *, of(2), g(2,3)\n"
          "  end subroutine\n"
          "end program\n");
    ASSERT_TRUE(run("gfortran -g -O0 -o values source/values.f90")) << read("log");
    load("values");
    const CodeSite site = function("values");
    EXPECT_EQ(type_at(site, "list").info().count, 10u);
    EXPECT_EQ(type_at(site, "list").info().unread, "");
    EXPECT_EQ(type_at(site, "grid").info().unread, "it is an array of several dimensions whose first runs fastest");
    EXPECT_EQ(type_at(function("show"), "of").info().unread, "it is an array that is reached through a descriptor");
}

// dwz, objcopy and their like leave the build-id as it is.
TEST_F(Values, IndexIsOfTheFileThatWasRead) {
    ASSERT_TRUE(make("gcc -g -O2"));
    const std::string kept = path("kept");
    EXPECT_TRUE(Index::open(*object_, kept)->built());
    ASSERT_TRUE(run("cp values other && objcopy --compress-debug-sections other")) << read("log");
    const auto other = open(path("other"));
    EXPECT_EQ(other->build_id(), object_->build_id());
    const auto index = Index::open(*other, kept);
    ASSERT_TRUE(index);
    EXPECT_TRUE(index->built());
    EXPECT_FALSE(Index::open(*object_, kept)->built());
    if (!run("dwz --version")) GTEST_SKIP() << "dwz is not installed";
    ASSERT_TRUE(run("cp values third && dwz third")) << read("log");
    const auto third = open(path("third"));
    const auto of_third = Index::open(*third, kept);
    EXPECT_TRUE(of_third->built());
    for (const auto &[object, idx] : {std::pair(other.get(), index.get()), {third.get(), of_third.get()}}) {
        const auto found = find_functions(*object, *idx, pattern("sum"), {});
        ASSERT_EQ(found.size(), 1u);
        EXPECT_TRUE(find_variable(*object, *idx, found[0], "p"));
    }
}

// The definitions are in a unit of the optimizer, and refer to those of their sources.
TEST_F(Values, VariablesOfAProgramThatIsOptimizedAsAWhole) {
    write("source/one.c",
          "static int head = 11; volatile int sink; int two(void);\n"
          "int main(void) { static int calls = 5; sink = head; head += sink; calls += head;\n"
          "  return two() + head + calls; }\n");
    write("source/two.c",
          "static int head = 22; extern volatile int sink;\n"
          "__attribute__((noinline)) int two(void) { static int calls = 6; sink = head; head += sink;\n"
          "  calls += head; return head + calls; }\n");
    ASSERT_TRUE(run("gcc -g -O2 -flto -o values source/one.c source/two.c")) << read("log");
    load("values");
    const auto home = [&](const VariableEntry &entry) {
        return std::string(index_->text(index_->units()[entry.home].name));
    };
    std::vector<std::string> homes;
    for (const VariableEntry &entry : index_->variables("head"))
        homes.push_back(home(entry).substr(home(entry).rfind('/') + 1));
    std::sort(homes.begin(), homes.end());
    EXPECT_THAT(homes, ElementsAre("one.c", "two.c"));
    const auto own = find_variable(*object_, *index_, function("two"), "head");
    ASSERT_TRUE(own);
    for (const VariableEntry &entry : index_->variables("head")) {
        if (entry.die != own->die) continue;
        EXPECT_THAT(home(entry), HasSubstr("two.c"));
    }
    uint32_t unit = 0;
    while (unit < index_->units().size() && index_->text(index_->units()[unit].name).find("two.c") == std::string::npos)
        ++unit;
    const auto calls = find_function_static(*object_, *index_, unit, "calls");
    ASSERT_TRUE(calls);
    const auto in_two = find_variable(*object_, *index_, function("two"), "calls");
    ASSERT_TRUE(in_two);
    EXPECT_EQ(calls->die, in_two->die);
}

// Debug information only declares the symbols that a linker's script or assembly defines.
TEST_F(Values, VariablesThatAreOnlyDeclared) {
    write("source/data.s",
          ".globl elsewhere, also\n.data\n.type elsewhere, @object\n.size elsewhere, 8\n"
          "elsewhere: .quad 77\nalso: .long 3\n.section .note.GNU-stack,\"\",@progbits\n");
    write("source/values.c",
          "extern long elsewhere; extern int also; extern char end[]; extern int gone __attribute__((weak));\n"
          "int main(void) { return (int)elsewhere + also + end[0] + (&gone ? gone : 0); }\n");
    ASSERT_TRUE(run("gcc -g -O0 -o values source/values.c source/data.s")) << read("log");
    load("values");
    const CodeSite main = function("main");
    const auto address = object_->symbols().variable_address("elsewhere");
    ASSERT_TRUE(address);
    EXPECT_EQ(location(main, "elsewhere"), "at address " + std::to_string(*address));
    EXPECT_EQ(ctypes::type_name(type_at(main, "elsewhere")), "long int");
    EXPECT_THAT(location(main, "also"), HasSubstr("at address "));
    EXPECT_THAT(location(main, "end"), HasSubstr("at address "));
    EXPECT_EQ(location(main, "gone"), "none");
}

// Parameters that a function has overwritten, by what its callers still have. The addresses are those of the calls'
// next instructions, as objdump has them.
TEST_F(Values, ParametersThatOnlyCallersHave) {
    const std::string source =
        "volatile long sink;\n"
        "long use(long);\n"
        "__attribute__((noinline)) static long lost(long a, long b) {\n"
        "    sink = b;\n"
        "    use(a); __asm__ volatile(\"\" ::: \"rbx\");\n"
        "    sink = 1;\n"
        "    return sink;\n"
        "}\n"
        "__attribute__((noinline)) long use(long v) { sink = v; return sink; }\n"
        "__attribute__((noinline)) long kept(long k) { long r = lost(k + 1, 7); return r + k; }\n"
        "int main(int argc, char **argv) {\n"
        "    (void)argv;\n"
        "    return (int)(kept(argc) + lost(2, 42) + argc);\n"
        "}\n";
    for (const char *format : {"gcc -g -gdwarf-5 -O2", "gcc -g -gdwarf-4 -O2"}) {
        SCOPED_TRACE(format);
        ASSERT_TRUE(make(std::string(format) + " -fno-ipa-ra -no-pie", source));
        const CodeSite site = line("lost@values.c:6");
        const std::string b = location(site, "b");
        EXPECT_THAT(b, HasSubstr(" ? 7 : "));
        EXPECT_THAT(b, HasSubstr(" ? 42 : "));
        EXPECT_THAT(b, HasSubstr(" : unknown)"));
        // The caller's rbx is where the function has saved it.
        const std::string a = location(site, "a");
        EXPECT_THAT(a, HasSubstr(" ? (u64[reg7] + 1) : "));
        EXPECT_THAT(a, HasSubstr(" ? 2 : "));
        ASSERT_TRUE(run("objdump -d --no-show-raw-insn values | grep -A1 'call.*<lost>' | grep -v call >after; true"));
        std::istringstream after(read("after"));
        size_t calls = 0;
        for (std::string text; after >> text && after.ignore(1000, '\n');) {
            if (!text.ends_with(":")) continue;
            EXPECT_THAT(b, HasSubstr(" == address " + std::to_string(std::stoul(text, nullptr, 16)) + ")")) << text;
            ++calls;
        }
        EXPECT_EQ(calls, 2u);
        // Or it still has it, and nothing is said of it.
        std::string untouched = source;
        untouched.replace(untouched.find("__asm__"), sizeof("__asm__ volatile(\"\" ::: \"rbx\");") - 1, "");
        ASSERT_TRUE(make(std::string(format) + " -fno-ipa-ra -no-pie", untouched));
        EXPECT_THAT(location(line("lost@values.c:6"), "a"), HasSubstr(" ? (reg3 + 1) : "));
    }
}

constexpr const char *kOnlyAtEntry =
    "only its value when the function was entered is known; probe the function's entry, or use @entry: ";

// One that is entered by a jump has other parameters than the call site has.
TEST_F(Values, CallersAreNotAskedWhereTheFunctionIsEnteredAgain) {
    ASSERT_TRUE(
        make("gcc -g -O2 -fno-ipa-ra -no-pie",
             "volatile long sink;\n"
             "long other(long a, long b);\n"
             "__attribute__((noinline)) long use(long v) { sink = v; return sink; }\n"
             "__attribute__((noinline)) long lost(long a, long b) {\n"
             "    sink = b;\n"
             "    a = use(a);\n"
             "    sink = 1;\n"
             "    return other(a, sink);\n"
             "}\n"
             "__attribute__((noinline)) long other(long a, long b) { sink = a; return b > 1 ? lost(a, 9) : b; }\n"
             "int main(int argc, char **argv) { (void)argv; return (int)(lost(argc, 42) + argc); }\n"));
    EXPECT_EQ(location(line("lost@values.c:7"), "b"), std::string(kOnlyAtEntry) + "it may be entered again by a jump");
}

TEST_F(Values, CompressionByZstd) {
    ASSERT_TRUE(make("gcc -g -O2"));
    if (!run("cp values packed && objcopy --compress-debug-sections=zstd packed")) GTEST_SKIP() << read("log");
    load("packed");
    EXPECT_EQ(place("struct pair", "tail"), "28");
    EXPECT_TRUE(find_variable(*object_, *index_, function("sum"), "rows"));
    // In a file of its own, too.
    ASSERT_TRUE(
        run("objcopy --only-keep-debug packed values.debug && cp values plain && strip plain && "
            "objcopy --add-gnu-debuglink=values.debug plain"))
        << read("log");
    std::string error;
    object_ = Object::open(path("plain"), error, ":" + directory_);
    ASSERT_TRUE(object_);
    EXPECT_TRUE(Index::open(*object_, "")) << object_->debug_problem();
    // Damaged debug information is reported.
    std::string damaged = read("packed");
    const size_t frame = damaged.find("\x28\xb5\x2f\xfd");
    ASSERT_NE(frame, std::string::npos);
    for (size_t i = 0; i < 16; ++i)
        damaged[frame + 6 + i] ^= 0x55;
    write("damaged", damaged);
    const auto unreadable = open(path("damaged"));
    EXPECT_FALSE(Index::open(*unreadable, ""));
    EXPECT_THAT(unreadable->debug_problem(),
                HasSubstr("the debug information of " + path("damaged") + " cannot be read: its section .debug_"));
}

// Copies of a function, inlined or not, need not have its static variables.
TEST_F(Values, StaticVariablesOfInlinedFunctions) {
    for (const char *options : {"gcc -g -O2", "gcc -gdwarf-2 -gstrict-dwarf -O3", "gcc -gdwarf-4 -gsplit-dwarf -O2"}) {
        SCOPED_TRACE(options);
        ASSERT_TRUE(make(options,
                         "volatile int sink;\n"
                         "static inline int counted(int by) { static int count; sink = by; return count += by; }\n"
                         "int main(int argc, char **argv) { (void)argv; return counted(argc) + counted(7); }\n"));
        ASSERT_TRUE(run("nm values | sed -n 's/^0*\\(.*\\) b count.*/\\1/p' | tr -d '\\n' >count; true"));
        const uint64_t address = std::stoull(read("count"), nullptr, 16);
        const auto inlined = find_functions(*object_, *index_, pattern("counted"), {.inlines = true});
        ASSERT_EQ(inlined.size(), 2u);
        for (const CodeSite &site : inlined)
            EXPECT_EQ(location(site, "count"), "at address " + std::to_string(address));
    }
}

// In DWARF 5 the first file has the number 0. A function's or class's definition may refer to its declaration, and the
// declaration to a unit of the type alone.
TEST_F(Values, DefinitionsThatReferToDeclarations) {
    write("source/shape.h",
          "#include <stddef.h>\n\n\n"
          "struct Shape { struct Side; static int count; long tag; union { int whole; } part;\n"
          "    int area(int by); Side *side; };\n");
    for (const char *options : {"clang++ -gdwarf-5", "clang++ -gdwarf-5 -fdebug-types-section", "g++ -gdwarf-5",
                                "g++ -gdwarf-5 -fdebug-types-section", "clang++ -gdwarf-4"}) {
        SCOPED_TRACE(options);
        write("source/main.cc",
              "#include \"shape.h\"\n"
              "struct Shape::Side { char fill[3]; int length; };\n"
              "int Shape::count = 3;\n"
              "int Shape::area(int by) { return part.whole * by + count + side->length; }\n"
              "int main() { Shape::Side side = {}; Shape shape = {}; shape.side = &side; return shape.area(2); }\n");
        ASSERT_TRUE(run(std::string(options) + " -O0 -o values source/main.cc")) << read("log");
        load("values");
        ASSERT_TRUE(index_);
        const CodeSite area = function("Shape::area");
        EXPECT_EQ(area.line, 4u);
        EXPECT_THAT(index_->file(area.file), HasSubstr("main.cc"));
        EXPECT_EQ(place("Shape", "part"), "8");
        EXPECT_EQ(place("Shape::Side", "length"), "4");
        const auto part = ctypes::find_member(type("Shape"), "part");
        ASSERT_TRUE(part);
        EXPECT_TRUE(ctypes::find_member(part->type, "whole"));
        const auto named = index_->variables("count");
        EXPECT_TRUE(std::any_of(named.begin(), named.end(), [&](const VariableEntry &entry) {
            return index_->qualified_name(entry.scope, entry.name) == "Shape::count";
        }));
    }
}

TEST_F(Values, DebugInformationThatIsSplit) {
    for (const char *format : {"-gdwarf-5", "-gdwarf-4"}) {
        SCOPED_TRACE(format);
        write("source/values.c", kSource);
        write("source/more.c", "struct more { int x, y; } more; int other(struct more *m) { return m->y; }\n");
        ASSERT_TRUE(run(std::string("gcc -O2 -gsplit-dwarf ") + format +
                        " -c source/values.c source/more.c && gcc -o values values.o more.o"))
            << read("log");
        load("values");
        ASSERT_TRUE(index_);
        EXPECT_EQ(place("struct pair", "tail"), "28");
        EXPECT_EQ(place("struct more", "y"), "4");
        const CodeSite sum = function("sum");
        EXPECT_THAT(index_->file(sum.file), HasSubstr("source/values.c"));
        EXPECT_EQ(location(sum, "p"), "reg2");
        EXPECT_EQ(location(function("other"), "m"), "reg5");
        EXPECT_THAT(location(function("main"), "bigs"), HasSubstr("at address "));
        EXPECT_EQ(line("sum@source/values.c:16").line, 16u);
        const std::string whole = build_index(*object_, "", {1, UINT64_MAX});
        EXPECT_EQ(whole, build_index(*object_, "", {3, 1}));
        ASSERT_TRUE(run("mv more.dwo away.dwo"));
        const auto partial = open(path("values"));
        EXPECT_FALSE(Index::open(*partial, ""));
        EXPECT_EQ(partial->debug_problem(),
                  "the debug information of " + path("values") +
                      " is split (-gsplit-dwarf), and its part more.dwo is missing; keep the .dwo "
                      "files, or compile with -gno-split-dwarf");
    }
    ASSERT_TRUE(run("gcc -g -O2 -gsplit-dwarf -fdebug-types-section -c source/values.c && gcc -o values values.o"))
        << read("log");
    const auto typed = open(path("values"));
    EXPECT_FALSE(Index::open(*typed, ""));
    EXPECT_THAT(typed->debug_problem(),
                HasSubstr("values.dwo has types in sections of their own, of which libdw reads one; "
                          "compile without -fdebug-types-section"));
}

}  // namespace
}  // namespace tapir::dwarf
