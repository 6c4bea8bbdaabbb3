// SPDX-License-Identifier: GPL-2.0-or-later
#include "sdt/provider.h"

#include <gtest/gtest.h>

namespace tapir::sdt {
namespace {

struct Read {
    bool good = false;
    std::vector<Provider> providers;
    std::string messages;
};

Read read(std::string_view text) {
    Read result;
    result.good = read_providers(text, "shop.d", result.providers, [&](const std::string &m) { result.messages += m; });
    return result;
}

// "PROVIDER PROBE(ARGUMENT, ...)", one a line.
std::string listed(std::string_view text) {
    const Read result = read(text);
    EXPECT_TRUE(result.good) << result.messages;
    EXPECT_EQ(result.messages, "");
    std::string out;
    for (const Provider &provider : result.providers)
        for (const Probe &probe : provider.probes) {
            out += provider.name + " " + probe.name + "(";
            for (const Argument &argument : probe.arguments)
                out += (out.back() == '(' ? "" : ", ") + argument.declaration(argument.name);
            out += ")\n";
        }
    return out;
}

std::string error(std::string_view text) {
    const Read result = read(text);
    EXPECT_FALSE(result.good);
    return result.messages;
}

TEST(Provider, HasProbesWithArguments) {
    EXPECT_EQ(listed("provider shop {\n probe order__placed(int number, const char *name);\n probe closed();\n};\n"),
              "shop order__placed(int number, const char *name)\nshop closed()\n");
}

TEST(Provider, DoesNotNeedWhatCompilersOfDLeaveOut) {
    EXPECT_EQ(listed("provider a { probe x(void); probe y; }"), "a x()\na y()\n");
    EXPECT_EQ(listed(""), "");
}

TEST(Provider, StandsAmongDeclarationsOfC) {
    EXPECT_EQ(listed("typedef unsigned int Oid;\nstruct two { int x; int y; };\nenum { A, B };\ninline int SIZE = 3;\n"
                     "int f(int a, int b);\n"
                     "provider a { probe x(Oid); };\n"
                     "#pragma D attributes Evolving/Evolving/Common provider a provider\n"
                     "struct two;\nprovider b { probe x(struct two *); };\n"),
              "a x(Oid)\nb x(struct two *)\n");
}

TEST(Provider, HasCommentsOfBothKinds) {
    EXPECT_EQ(listed("/* probe no(int); */ provider a { // probe no(int);\n probe /* here */ x(int /* n */ n); };"),
              "a x(int n)\n");
}

TEST(Provider, IsContinued) {
    EXPECT_EQ(listed("provider a { probe x(int); }; provider b { probe x(int); }; provider a { probe y(); };"),
              "a x(int)\na y()\nb x(int)\n");
}

TEST(Provider, MayHaveTranslatedTypes) {
    EXPECT_EQ(listed("provider a { probe x(buf_t *b) : (bufinfo_t *b, int n); };"), "a x(buf_t *b)\n");
}

TEST(Argument, HasItsNameWhereCHasIt) {
    const auto declared = [](std::string_view parameter) {
        const Read result = read("provider a { probe x(" + std::string(parameter) + "); };");
        if (!result.good || result.providers[0].probes[0].arguments.size() != 1) return "wrong: " + result.messages;
        const Argument &argument = result.providers[0].probes[0].arguments[0];
        return argument.name + ": " + argument.declaration("T");
    };
    EXPECT_EQ(declared("int"), ": int T");
    EXPECT_EQ(declared("unsigned char c"), "c: unsigned char T");
    EXPECT_EQ(declared("unsigned"), ": unsigned T");
    EXPECT_EQ(declared("size_t"), ": size_t T");
    EXPECT_EQ(declared("size_t n"), "n: size_t T");
    EXPECT_EQ(declared("struct request"), ": struct request T");
    EXPECT_EQ(declared("const struct request *r"), "r: const struct request *T");
    EXPECT_EQ(declared("char **"), ": char **T");
    EXPECT_EQ(declared("const char *const name"), "name: const char *const T");
    EXPECT_EQ(declared("uint8_t [16]"), ": uint8_t T[16]");
    EXPECT_EQ(declared("uint8_t key[16]"), "key: uint8_t T[16]");
    EXPECT_EQ(declared("int (*)(int, char)"), ": int (*T)(int, char)");
    EXPECT_EQ(declared("int (*done)(int, char)"), "done: int (*T)(int, char)");
    EXPECT_EQ(declared("long long unsigned"), ": long long unsigned T");
}

TEST(Provider, IsWrong) {
    EXPECT_EQ(error("provider shop { probe ; };"),
              "shop.d:1:23: error: expected the probe's name, but there is ';'\n"
              "provider shop { probe ; };\n"
              "                      ^\n");
    EXPECT_EQ(error("provider shop {\n\tprobe first-half(int);\n};"),
              "shop.d:2:13: error: expected '(', but there is '-'\n"
              "\tprobe first-half(int);\n"
              "\t           ^\n"
              "help: write two underscores for a dash: first__half for first-half\n");
    EXPECT_EQ(error("provider shop { probe x(int) }"),
              "shop.d:1:30: error: expected ';' behind the probe 'x', but there is '}'\n"
              "provider shop { probe x(int) }\n"
              "                             ^\n");
    EXPECT_EQ(error("provider { }"),
              "shop.d:1:10: error: expected the provider's name, but there is '{'\nprovider { }\n         ^\n");
    EXPECT_EQ(error("provider shop"),
              "shop.d:1:14: error: expected '{' and the provider's probes, but the file ends\n"
              "provider shop\n             ^\n");
    EXPECT_EQ(error("provider shop { int x; };"),
              "shop.d:1:17: error: expected 'probe', or the provider's '}', but there is 'int'\n"
              "provider shop { int x; };\n                ^\n");
    EXPECT_EQ(error("provider shop {\n probe x(int);\n"),
              "shop.d:1:15: error: this '{' is not closed\nprovider shop {\n              ^\n");
    EXPECT_EQ(
        error("provider shop { probe x(int; };"),
        "shop.d:1:24: error: this '(' is not closed\nprovider shop { probe x(int; };\n                       ^\n");
    EXPECT_EQ(error("provider a { probe x(int,); };"),
              "shop.d:1:26: error: expected an argument's type, but there is ')'\n"
              "provider a { probe x(int,); };\n                         ^\n");
    EXPECT_EQ(error("provider a { probe x(char *, ...); };"),
              "shop.d:1:30: error: a mark cannot have '...'\nprovider a { probe x(char *, ...); };\n"
              "                             ^\n");
    EXPECT_EQ(error("provider a { probe x(int]); };"),
              "shop.d:1:25: error: nothing is open that ']' would close\nprovider a { probe x(int]); };\n"
              "                        ^\n");
}

TEST(Provider, HasAtMostTwelveArguments) {
    EXPECT_EQ(listed("provider a { probe x(int,int,int,int,int,int,int,int,int,int,int,int); };"),
              "a x(int, int, int, int, int, int, int, int, int, int, int, int)\n");
    EXPECT_EQ(error("provider a { probe x(int,int,int,int,int,int,int,int,int,int,int,int,int); };"),
              "shop.d:1:20: error: the probe 'x' has 13 arguments; a mark has at most 12\n"
              "provider a { probe x(int,int,int,int,int,int,int,int,int,int,int,int,int); };\n"
              "                   ^\n");
}

TEST(Provider, NamesEachMacroOnce) {
    EXPECT_EQ(error("provider a {\n probe x();\n probe x(int);\n};"),
              "shop.d:3:8: error: the probe 'x' is declared twice, first at shop.d:2\n probe x(int);\n       ^\n");
    EXPECT_EQ(
        error("provider a {\n probe x__y();\n probe x_y();\n};"),
        "shop.d:3:8: error: 'x_y' and 'x__y' have the same macro, A_X_Y, first at shop.d:2\n probe x_y();\n       ^\n");
}

TEST(Declaration, IsWrong) {
    EXPECT_EQ(error("typedef int x\nprovider a { probe x(); };"),
              "shop.d:1:1: error: this declaration has no ';' before the provider at line 2\ntypedef int x\n^\n");
    EXPECT_EQ(error("typedef int x"), "shop.d:1:1: error: this declaration has no ';'\ntypedef int x\n^\n");
    EXPECT_EQ(error("struct a { int x;"),
              "shop.d:1:10: error: this '{' is not closed\nstruct a { int x;\n         ^\n");
    EXPECT_EQ(error("int x);"), "shop.d:1:6: error: nothing is open that ')' would close\nint x);\n     ^\n");
    EXPECT_EQ(error("int x; /* open"), "shop.d:1:8: error: this comment has no end\nint x; /* open\n       ^\n");
    EXPECT_EQ(error("char c = \"open\n;"), "shop.d:1:10: error: this string has no end\nchar c = \"open\n         ^\n");
}

TEST(Lines, AreThoseOfThePreprocessor) {
    EXPECT_EQ(
        error("# 1 \"shop.d\"\n# 7 \"types.d\" 1\ntypedef int x;\n# 2 \"shop.d\" 2\nprovider shop { probe ; };\n"),
        "shop.d:2:23: error: expected the probe's name, but there is ';'\n"
        "provider shop { probe ; };\n                      ^\n");
    EXPECT_EQ(error("#line 40 \"types.d\"\n\ntypedef int x\n"),
              "types.d:41:1: error: this declaration has no ';'\ntypedef int x\n^\n");
}

TEST(Lines, ForThePreprocessorAreIgnoredWithAWarning) {
    const Read result = read("#include \"types.d\"\n#ident \"x\"\nprovider a { probe x(); };\n");
    EXPECT_TRUE(result.good);
    EXPECT_EQ(result.messages,
              "shop.d:1:1: warning: this line is ignored\n#include \"types.d\"\n^\n"
              "help: -C has the C preprocessor read the file first\n");
}

TEST(Names, AreThoseOfC) {
    const Provider provider{"shop", {}};
    EXPECT_EQ(semaphore_name(provider, {"order__placed", {}, ""}), "shop_order__placed_semaphore");
    EXPECT_EQ(macro_name(provider, {"order__placed", {}, ""}), "SHOP_ORDER_PLACED");
    EXPECT_EQ(macro_name({"my__shop", {}}, {"a_b__c__d", {}, ""}), "MY__SHOP_A_B_C_D");
}

TEST(Header, HasMacrosAndTypes) {
    const Read result = read("provider shop { probe sold(int n, char *s); };");
    EXPECT_EQ(header_text(result.providers, "shop.d", true),
              "/* Made by dtrace from shop.d. Changes will be lost. */\n"
              "#ifndef _SDT_HAS_SEMAPHORES\n#define _SDT_HAS_SEMAPHORES 1\n#endif\n#include <sys/sdt.h>\n\n"
              "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
              "/* sold(int n, char *s) */\n"
              "extern volatile unsigned short shop_sold_semaphore __attribute__((visibility(\"hidden\")));\n"
              "typedef int shop_sold_arg1;\ntypedef char *shop_sold_arg2;\n"
              "#define SHOP_SOLD_ENABLED() __builtin_expect(shop_sold_semaphore != 0, 0)\n"
              "#define SHOP_SOLD(arg1, arg2) DTRACE_PROBE2(shop, sold, arg1, arg2)\n\n"
              "#ifdef __cplusplus\n}\n#endif\n");
    EXPECT_EQ(semaphores_text(result.providers, "shop.d"),
              "/* Made by dtrace from shop.d. */\n"
              "volatile unsigned short shop_sold_semaphore __attribute__((used, section(\".probes\"), "
              "visibility(\"hidden\")));\n");
}

}  // namespace
}  // namespace tapir::sdt
