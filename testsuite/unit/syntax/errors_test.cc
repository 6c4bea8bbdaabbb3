// SPDX-License-Identifier: GPL-2.0-or-later
// The whole text of every diagnostic of pass 1; each test is named after its tag.
#include <gtest/gtest.h>

#include "parse.h"

namespace tapir::syntax {
namespace {

TEST(ParseError, AliasNameNotPlain) {
    EXPECT_EQ(errors("probe a*.b = c {}\n"
                     "probe d? = e {}\n"
                     "probe {f, g} = h {}"),
              "parse error: the name of a probe alias may not have wildcards, braces, '?', '!' or a condition\n"
              "         at: identifier 'a' at x.stp:1:7\n"
              "     source: probe a*.b = c {}\n"
              "                   ^\n"
              "\n"
              "parse error: the name of a probe alias may not have wildcards, braces, '?', '!' or a condition\n"
              "         at: identifier 'd' at :2:7\n"
              "     source: probe d? = e {}\n"
              "                   ^\n"
              "\n"
              "parse error: the name of a probe alias may not have wildcards, braces, '?', '!' or a condition\n"
              "         at: identifier 'f' at :3:8\n"
              "     source: probe {f, g} = h {}\n"
              "                    ^\n"
              "\n");
}

TEST(ParseError, ArrayInitializer) {
    EXPECT_EQ(errors("global a[10] = 5 probe p {}"),
              "parse error: arrays cannot have initializers\n"
              "         at: number '5' at x.stp:1:16\n"
              "     source: global a[10] = 5 probe p {}\n"
              "                            ^\n"
              "\n");
}

TEST(ParseError, BadFormat) {
    EXPECT_EQ(
        errors("probe p { printf(\"%q\", 1) printf(\"%+-d\", 1) x = sprintf(\"%5\") printf(\"%99999d\", 1) "
               "printf(\"%.5\") }"),
        "parse error: invalid or missing conversion specifier '%q'\n"
        "         at: string '\"%q\"' at x.stp:1:18\n"
        "     source: probe p { printf(\"%q\", 1) printf(\"%+-d\", 1) x = sprintf(\"%5\") printf(\"%99999d\", 1) "
        "printf(\"%.5\") }\n"
        "                              ^\n"
        "       help: %d %i %u %x %X %o %b %p print numbers, %c a character, %s strings, %m and %M memory; %% is a "
        "'%'\n"
        "\n"
        "parse error: invalid or missing conversion specifier '%+-'\n"
        "         at: string '\"%+-d\"' at :1:34\n"
        "     source: probe p { printf(\"%q\", 1) printf(\"%+-d\", 1) x = sprintf(\"%5\") printf(\"%99999d\", 1) "
        "printf(\"%.5\") }\n"
        "                                              ^\n"
        "       help: %d %i %u %x %X %o %b %p print numbers, %c a character, %s strings, %m and %M memory; %% is a "
        "'%'\n"
        "\n"
        "parse error: invalid or missing conversion specifier '%5'\n"
        "         at: string '\"%5\"' at :1:57\n"
        "     source: probe p { printf(\"%q\", 1) printf(\"%+-d\", 1) x = sprintf(\"%5\") printf(\"%99999d\", 1) "
        "printf(\"%.5\") }\n"
        "                                                                     ^\n"
        "       help: %d %i %u %x %X %o %b %p print numbers, %c a character, %s strings, %m and %M memory; %% is a "
        "'%'\n"
        "\n"
        "parse error: field width or precision larger than 65535\n"
        "         at: string '\"%99999d\"' at :1:70\n"
        "     source: probe p { printf(\"%q\", 1) printf(\"%+-d\", 1) x = sprintf(\"%5\") printf(\"%99999d\", 1) "
        "printf(\"%.5\") }\n"
        "                                                                                  ^\n"
        "       help: %d %i %u %x %X %o %b %p print numbers, %c a character, %s strings, %m and %M memory; %% is a "
        "'%'\n"
        "\n"
        "parse error: invalid or missing conversion specifier '%.5'\n"
        "         at: string '\"%.5\"' at :1:91\n"
        "     source: probe p { printf(\"%q\", 1) printf(\"%+-d\", 1) x = sprintf(\"%5\") printf(\"%99999d\", 1) "
        "printf(\"%.5\") }\n"
        "                                                                                                       ^\n"
        "       help: %d %i %u %x %X %o %b %p print numbers, %c a character, %s strings, %m and %M memory; %% is a "
        "'%'\n"
        "\n");
}

TEST(ParseError, BadNumber) {
    EXPECT_EQ(errors("global a = -9223372036854775809\n"
                     "probe p { x = 18446744073709551616 + 0xzoopoo + 09 + 5years }"),
              "parse error: number invalid or out of range\n"
              "         at: number '9223372036854775809' at x.stp:1:13\n"
              "     source: global a = -9223372036854775809\n"
              "                         ^\n"
              "\n"
              "parse error: number invalid or out of range\n"
              "         at: number '18446744073709551616' at :2:15\n"
              "     source: probe p { x = 18446744073709551616 + 0xzoopoo + 09 + 5years }\n"
              "                           ^\n"
              "       help: numbers are whole: decimal, 0x hexadecimal or 0 octal, up to 2^64-1, without suffixes\n"
              "\n"
              "parse error: number invalid or out of range\n"
              "         at: number '0xzoopoo' at :2:38\n"
              "     source: probe p { x = 18446744073709551616 + 0xzoopoo + 09 + 5years }\n"
              "                                                  ^\n"
              "       help: numbers are whole: decimal, 0x hexadecimal or 0 octal, up to 2^64-1, without suffixes\n"
              "\n"
              "parse error: number invalid or out of range\n"
              "         at: number '09' at :2:49\n"
              "     source: probe p { x = 18446744073709551616 + 0xzoopoo + 09 + 5years }\n"
              "                                                             ^\n"
              "       help: numbers are whole: decimal, 0x hexadecimal or 0 octal, up to 2^64-1, without suffixes\n"
              "\n"
              "parse error: number invalid or out of range\n"
              "         at: number '5years' at :2:54\n"
              "     source: probe p { x = 18446744073709551616 + 0xzoopoo + 09 + 5years }\n"
              "                                                                  ^\n"
              "       help: numbers are whole: decimal, 0x hexadecimal or 0 octal, up to 2^64-1, without suffixes\n"
              "\n");
}

TEST(ParseError, BadProbeName) {
    EXPECT_EQ(errors("probe sys *_x {}"),
              "parse error: blank inside the probe point component 'sys'\n"
              "         at: operator '*' at x.stp:1:11\n"
              "     source: probe sys *_x {}\n"
              "                       ^\n"
              "\n");
}

TEST(ParseError, BuiltinRedefined) {
    EXPECT_EQ(errors("@define count(x) %( f(@x) %)\n"
                     "probe p { @count(1) }"),
              "WARNING: macro redefines built-in operator '@count': identifier 'count' at x.stp:1:9\n"
              " source: @define count(x) %( f(@x) %)\n"
              "                 ^\n");
}

TEST(ParseError, CastTypeEmpty) {
    EXPECT_EQ(errors("probe p { @cast(x, \"\")->y }"),
              "parse error: @cast needs a type name\n"
              "         at: string '\"\"' at x.stp:1:20\n"
              "     source: probe p { @cast(x, \"\")->y }\n"
              "                                ^\n"
              "\n");
}

TEST(ParseError, EmbeddedCodeUnprivileged) {
    EXPECT_EQ(errors("%{ int i; %}\n"
                     "function f() %{ %}\n"
                     "probe p { %{ x(); %} a = %{ 1 %} }"),
              "parse error: embedded code in unprivileged script; need stap -g\n"
              "         at: embedded-code '%{ int i; %}' at x.stp:1:1\n"
              "     source: %{ int i; %}\n"
              "             ^\n"
              "\n"
              "parse error: embedded code in unprivileged script; need stap -g\n"
              "         at: embedded-code '%{ %}' at :2:14\n"
              "     source: function f() %{ %}\n"
              "                          ^\n"
              "\n"
              "parse error: embedded code in unprivileged script; need stap -g\n"
              "         at: embedded-code '%{ x(); %}' at :3:11\n"
              "     source: probe p { %{ x(); %} a = %{ 1 %} }\n"
              "                       ^\n"
              "\n"
              "parse error: embedded code in unprivileged script; need stap -g\n"
              "         at: embedded-code '%{ 1 %}' at :3:26\n"
              "     source: probe p { %{ x(); %} a = %{ 1 %} }\n"
              "                                      ^\n"
              "\n");
}

TEST(ParseError, FormatNotLiteral) {
    EXPECT_EQ(errors("probe p { printf(x) printd(1, 2, 3) y = sprintf() }"),
              "parse error: expected literal format string as the first argument of printf\n"
              "         at: identifier 'x' at x.stp:1:18\n"
              "     source: probe p { printf(x) printd(1, 2, 3) y = sprintf() }\n"
              "                              ^\n"
              "       help: printf(\"%s\", TEXT) prints any text, printf(\"%d\", NUMBER) any number\n"
              "\n"
              "parse error: expected literal delimiter string as the first argument of printd\n"
              "         at: number '1' at :1:28\n"
              "     source: probe p { printf(x) printd(1, 2, 3) y = sprintf() }\n"
              "                                        ^\n"
              "\n"
              "parse error: expected literal format string as the first argument of sprintf\n"
              "         at: identifier 'sprintf' at :1:41\n"
              "     source: probe p { printf(x) printd(1, 2, 3) y = sprintf() }\n"
              "                                                     ^\n"
              "       help: sprintf(\"%s\", TEXT) prints any text, sprintf(\"%d\", NUMBER) any number\n"
              "\n");
}

TEST(ParseError, MultipleSorts) {
    EXPECT_EQ(errors("probe p { foreach ([a+, b-] in c) ; foreach (a+ in c-) ; }"),
              "parse error: multiple sort directives\n"
              "         at: operator '-' at x.stp:1:26\n"
              "     source: probe p { foreach ([a+, b-] in c) ; foreach (a+ in c-) ; }\n"
              "                                      ^\n"
              "\n"
              "parse error: multiple sort directives\n"
              "         at: operator '-' at :1:53\n"
              "     source: probe p { foreach ([a+, b-] in c) ; foreach (a+ in c-) ; }\n"
              "                                                                 ^\n"
              "\n");
}

TEST(ParseError, NestingLimit) {
    std::string terms;
    for (int i = 0; i < 1100; i++)
        terms += " + y";
    EXPECT_EQ(errors("probe p { x = " + std::string(1100, '(') + "1" + std::string(1100, ')') +
                     " }\n"
                     "probe q { x = " +
                     std::string(1100, '!') +
                     "y }\n"
                     "probe r { x = 1" +
                     terms + " }"),
              "parse error: nested too deeply (limit 1000)\n"
              "         at: operator '(' at x.stp:1:1014\n"
              "     source: "
              "...((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
              "(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((...\n"
              "                                                                                                        "
              "            ^\n"
              "\n"
              "parse error: nested too deeply (limit 1000)\n"
              "         at: operator '!' at :2:115\n"
              "     source: "
              "...!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!"
              "!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!...\n"
              "                                                                                                        "
              "            ^\n"
              "\n"
              "parse error: nested too deeply (limit 1000)\n"
              "         at: operator '+' at :3:4013\n"
              "     source: ...+ y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y "
              "+ y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y "
              "+ y + y ...\n"
              "                                                                                                        "
              "            ^\n"
              "\n");
}

TEST(ParseError, NotLvalue) {
    EXPECT_EQ(
        errors("probe p { 1 = 2; f() += 3; a + b = c; ++5; (a ? b : c) = d; &$x = 1; $x$ = 1; $x <<< 1; @count(s)++ }"),
        "parse error: the left side of '=' must be a variable or array element\n"
        "         at: operator '=' at x.stp:1:13\n"
        "     source: probe p { 1 = 2; f() += 3; a + b = c; ++5; (a ? b : c) = d; &$x = 1; $x$ = 1; $x <<< 1; "
        "@count(s)++ }\n"
        "                         ^\n"
        "       help: '==' compares; '=' assigns to a variable\n"
        "\n"
        "parse error: the left side of '+=' must be a variable or array element\n"
        "         at: operator '+=' at :1:22\n"
        "     source: probe p { 1 = 2; f() += 3; a + b = c; ++5; (a ? b : c) = d; &$x = 1; $x$ = 1; $x <<< 1; "
        "@count(s)++ }\n"
        "                                  ^\n"
        "\n"
        "parse error: the left side of '=' must be a variable or array element\n"
        "         at: operator '=' at :1:34\n"
        "     source: probe p { 1 = 2; f() += 3; a + b = c; ++5; (a ? b : c) = d; &$x = 1; $x$ = 1; $x <<< 1; "
        "@count(s)++ }\n"
        "                                              ^\n"
        "       help: '==' compares; '=' assigns to a variable\n"
        "\n"
        "parse error: '++' needs a variable or array element\n"
        "         at: operator '++' at :1:39\n"
        "     source: probe p { 1 = 2; f() += 3; a + b = c; ++5; (a ? b : c) = d; &$x = 1; $x$ = 1; $x <<< 1; "
        "@count(s)++ }\n"
        "                                                   ^\n"
        "\n"
        "parse error: the left side of '=' must be a variable or array element\n"
        "         at: operator '=' at :1:56\n"
        "     source: probe p { 1 = 2; f() += 3; a + b = c; ++5; (a ? b : c) = d; &$x = 1; $x$ = 1; $x <<< 1; "
        "@count(s)++ }\n"
        "                                                                    ^\n"
        "       help: '==' compares; '=' assigns to a variable\n"
        "\n"
        "parse error: the left side of '=' must be a variable or array element\n"
        "         at: operator '=' at :1:65\n"
        "     source: probe p { 1 = 2; f() += 3; a + b = c; ++5; (a ? b : c) = d; &$x = 1; $x$ = 1; $x <<< 1; "
        "@count(s)++ }\n"
        "                                                                             ^\n"
        "       help: '==' compares; '=' assigns to a variable\n"
        "\n"
        "parse error: the left side of '=' must be a variable or array element\n"
        "         at: operator '=' at :1:74\n"
        "     source: probe p { 1 = 2; f() += 3; a + b = c; ++5; (a ? b : c) = d; &$x = 1; $x$ = 1; $x <<< 1; "
        "@count(s)++ }\n"
        "                                                                                      ^\n"
        "       help: '==' compares; '=' assigns to a variable\n"
        "\n"
        "parse error: the left side of '<<<' must be a variable or array element\n"
        "         at: operator '<<<' at :1:82\n"
        "     source: probe p { 1 = 2; f() += 3; a + b = c; ++5; (a ? b : c) = d; &$x = 1; $x$ = 1; $x <<< 1; "
        "@count(s)++ }\n"
        "                                                                                              ^\n"
        "\n"
        "parse error: '++' needs a variable or array element\n"
        "         at: operator '++' at :1:98\n"
        "     source: probe p { 1 = 2; f() += 3; a + b = c; ++5; (a ? b : c) = d; &$x = 1; $x$ = 1; $x <<< 1; "
        "@count(s)++ }\n"
        "                                                                                                              "
        "^\n"
        "\n");
}

TEST(ParseError, PrettyPrintNotLast) {
    EXPECT_EQ(errors("probe p { $x$->y; $x->y$[1]; &$x$ }"),
              "parse error: nothing may follow the '$' of a pretty-printed value\n"
              "         at: operator '->' at x.stp:1:14\n"
              "     source: probe p { $x$->y; $x->y$[1]; &$x$ }\n"
              "                          ^\n"
              "\n"
              "parse error: nothing may follow the '$' of a pretty-printed value\n"
              "         at: operator '[' at :1:25\n"
              "     source: probe p { $x$->y; $x->y$[1]; &$x$ }\n"
              "                                     ^\n"
              "\n"
              "parse error: a pretty-printed value has no address\n"
              "         at: operator '&' at :1:30\n"
              "     source: probe p { $x$->y; $x->y$[1]; &$x$ }\n"
              "                                          ^\n"
              "\n");
}

TEST(ParseError, PrintArguments) {
    EXPECT_EQ(errors("probe p { print() printd(\",\", 1) print_char(1, 2) println(1, @hist_log(y)) }\n"
                     "probe q { print_char(@hist_log(y)) }"),
              "parse error: print needs at least 1 value\n"
              "         at: identifier 'print' at x.stp:1:11\n"
              "     source: probe p { print() printd(\",\", 1) print_char(1, 2) println(1, @hist_log(y)) }\n"
              "                       ^\n"
              "\n"
              "parse error: printd needs at least 2 values\n"
              "         at: identifier 'printd' at :1:19\n"
              "     source: probe p { print() printd(\",\", 1) print_char(1, 2) println(1, @hist_log(y)) }\n"
              "                               ^\n"
              "\n"
              "parse error: print_char needs 1 value\n"
              "         at: identifier 'print_char' at :1:34\n"
              "     source: probe p { print() printd(\",\", 1) print_char(1, 2) println(1, @hist_log(y)) }\n"
              "                                              ^\n"
              "\n"
              "parse error: expected '['\n"
              "        saw: operator ')' at :1:74\n"
              "     source: probe p { print() printd(\",\", 1) print_char(1, 2) println(1, @hist_log(y)) }\n"
              "                                                                                      ^\n"
              "\n"
              "parse error: a histogram can be printed with print or println, and made a text with sprint or sprintln, "
              "only\n"
              "         at: operator '@hist_log' at :2:22\n"
              "     source: probe q { print_char(@hist_log(y)) }\n"
              "                                  ^\n"
              "\n");
}

TEST(ParseError, ProbeExpansionLimit) {
    EXPECT_EQ(
        errors("probe {a,b,c,d,e,f,g,h}.{a,b,c,d,e,f,g,h}.{a,b,c,d,e,f,g,h}.{a,b,c,d,e,f,g,h}.{a,b,c,d,e,f,g,h} {}"),
        "parse error: braces expand to more than 4096 probe points\n"
        "         at: identifier 'a' at x.stp:1:80\n"
        "     source: probe {a,b,c,d,e,f,g,h}.{a,b,c,d,e,f,g,h}.{a,b,c,d,e,f,g,h}.{a,b,c,d,e,f,g,h}.{a,b,c,d,e,f,g,h} "
        "{}\n"
        "                                                                                            ^\n"
        "\n");
}

TEST(ParseError, ReturnOutsideFunction) {
    EXPECT_EQ(errors("probe p { if (a) return }\n"
                     "probe b = c { return 5 }\n"
                     "function f() { return 1 }"),
              "parse error: found 'return' not in function context\n"
              "         at: keyword 'return' at x.stp:1:18\n"
              "     source: probe p { if (a) return }\n"
              "                              ^\n"
              "       help: 'next' ends a handler\n"
              "\n"
              "parse error: found 'return' not in function context\n"
              "         at: keyword 'return' at :2:15\n"
              "     source: probe b = c { return 5 }\n"
              "                           ^\n"
              "       help: 'next' ends a handler\n"
              "\n");
}

TEST(ParseError, SizeOutOfRange) {
    EXPECT_EQ(errors("global a[0], b[-1], c[2147483648]\n"
                     "function f():0 {}\n"
                     "probe p { @variance(a, 63) @variance(a, -1) }\n"
                     "probe p { @percentile(a, 101) @percentile(a, 6, 5) @percentile(a, n, 0) }"),
              "parse error: array size out of range (1 to 2147483647)\n"
              "         at: number '0' at x.stp:1:10\n"
              "     source: global a[0], b[-1], c[2147483648]\n"
              "                      ^\n"
              "\n"
              "parse error: array size out of range (1 to 2147483647)\n"
              "         at: number '1' at :1:17\n"
              "     source: global a[0], b[-1], c[2147483648]\n"
              "                             ^\n"
              "\n"
              "parse error: array size out of range (1 to 2147483647)\n"
              "         at: number '2147483648' at :1:23\n"
              "     source: global a[0], b[-1], c[2147483648]\n"
              "                                   ^\n"
              "\n"
              "parse error: function priority out of range (1 and up)\n"
              "         at: number '0' at :2:14\n"
              "     source: function f():0 {}\n"
              "                          ^\n"
              "\n"
              "parse error: bit shift of @variance out of range (0 to 62)\n"
              "         at: number '63' at :3:24\n"
              "     source: probe p { @variance(a, 63) @variance(a, -1) }\n"
              "                                    ^\n"
              "\n"
              "parse error: bit shift of @variance out of range (0 to 62)\n"
              "         at: number '1' at :3:42\n"
              "     source: probe p { @variance(a, 63) @variance(a, -1) }\n"
              "                                                      ^\n"
              "\n"
              "parse error: percentile out of range (0 to 100)\n"
              "         at: number '101' at :4:26\n"
              "     source: probe p { @percentile(a, 101) @percentile(a, 6, 5) @percentile(a, n, 0) }\n"
              "                                      ^\n"
              "\n"
              "parse error: percentile out of range (0 to 5)\n"
              "         at: number '6' at :4:46\n"
              "     source: probe p { @percentile(a, 101) @percentile(a, 6, 5) @percentile(a, n, 0) }\n"
              "                                                          ^\n"
              "\n"
              "parse error: whole of @percentile out of range (1 to 1000000000)\n"
              "         at: number '0' at :4:70\n"
              "     source: probe p { @percentile(a, 101) @percentile(a, 6, 5) @percentile(a, n, 0) }\n"
              "                                                                                  ^\n"
              "\n");
}

TEST(ParseError, SliceNotAllowed) {
    EXPECT_EQ(errors("probe p { x = a[*, 1]; @count(b[*]) delete c[*]; a[*] = 1 }"),
              "parse error: '*' as an array index is for 'delete', 'in' and 'foreach' only\n"
              "         at: identifier 'a' at x.stp:1:15\n"
              "     source: probe p { x = a[*, 1]; @count(b[*]) delete c[*]; a[*] = 1 }\n"
              "                           ^\n"
              "\n"
              "parse error: '*' as an array index is for 'delete', 'in' and 'foreach' only\n"
              "         at: identifier 'b' at :1:31\n"
              "     source: probe p { x = a[*, 1]; @count(b[*]) delete c[*]; a[*] = 1 }\n"
              "                                           ^\n"
              "\n"
              "parse error: '*' as an array index is for 'delete', 'in' and 'foreach' only\n"
              "         at: identifier 'a' at :1:50\n"
              "     source: probe p { x = a[*, 1]; @count(b[*]) delete c[*]; a[*] = 1 }\n"
              "                                                              ^\n"
              "\n");
}

TEST(ParseError, SyntaxError) {
    EXPECT_EQ(errors("probe p { x = ) }\n"
                     "foo\n"
                     "probe q { if x }\n"
                     "probe { }\n"
                     "global 5\n"
                     "function f(a b) {}\n"
                     "probe r { foreach (a in b @sum) ; }\n"
                     "probe s { x = a b] }\n"
                     "probe t.5 {}\n"
                     "probe u { foreach (5 in a) {} }\n"
                     "probe v {"),
              "parse error: expected expression\n"
              "        saw: operator ')' at x.stp:1:15\n"
              "     source: probe p { x = ) }\n"
              "                           ^\n"
              "\n"
              "parse error: expected '('\n"
              "        saw: identifier 'x' at :3:14\n"
              "     source: probe q { if x }\n"
              "                          ^\n"
              "       help: the condition stands in parentheses: (CONDITION)\n"
              "\n"
              "parse error: expected probe point\n"
              "        saw: operator '}' at :4:9\n"
              "     source: probe { }\n"
              "                     ^\n"
              "\n"
              "parse error: expected identifier\n"
              "        saw: number '5' at :5:8\n"
              "     source: global 5\n"
              "                    ^\n"
              "\n"
              "parse error: expected ',', ':' or ')'\n"
              "        saw: identifier 'b' at :6:14\n"
              "     source: function f(a b) {}\n"
              "                          ^\n"
              "\n"
              "parse error: '(' was opened here\n"
              "         at: operator '(' at :6:11\n"
              "     source: function f(a b) {}\n"
              "                       ^\n"
              "\n"
              "parse error: expected '+' or '-'\n"
              "        saw: operator ')' at :7:31\n"
              "     source: probe r { foreach (a in b @sum) ; }\n"
              "                                           ^\n"
              "\n"
              "parse error: expected statement\n"
              "        saw: operator ']' at :8:18\n"
              "     source: probe s { x = a b] }\n"
              "                              ^\n"
              "\n"
              "parse error: expected probe point\n"
              "        saw: number '5' at :9:9\n"
              "     source: probe t.5 {}\n"
              "                     ^\n"
              "\n"
              "parse error: expected identifier or '['\n"
              "        saw: number '5' at :10:20\n"
              "     source: probe u { foreach (5 in a) {} }\n"
              "                                ^\n"
              "\n"
              "parse error: expected statement\n"
              "        saw: x.stp EOF\n"
              "\n"
              "parse error: '{' was opened here\n"
              "         at: operator '{' at :11:9\n"
              "     source: probe v {\n"
              "                     ^\n"
              "\n");
}

TEST(ParseError, UnexpectedCharacter) {
    EXPECT_EQ(errors("probe p { x = `ls` }\n"
                     "probe q { \001\377 }"),
              "parse error: unexpected character in the script\n"
              "         at: junk '`' at x.stp:1:15\n"
              "     source: probe p { x = `ls` }\n"
              "                           ^\n"
              "       help: strings stand in double quotes; the output of a command cannot be used here\n"
              "\n"
              "parse error: unexpected character in the script\n"
              "         at: junk '\\x01' at :2:11\n"
              "     source: probe q { \\x01\\xff }\n"
              "                       ^\n"
              "\n");
}

TEST(ParseError, UnterminatedComment) {
    EXPECT_EQ(errors("probe p { } /*/ not closed"),
              "parse error: could not find the end of the comment that starts here\n"
              "         at: junk '/*' at x.stp:1:13\n"
              "     source: probe p { } /*/ not closed\n"
              "                         ^\n"
              "       help: a comment of several lines ends with */; # or // begin one to the end of the line\n"
              "\n");
}

TEST(ParseError, UnterminatedEmbeddedCode) {
    EXPECT_EQ(errors("%{ a % } b", true),
              "parse error: Could not find matching '%}' to close embedded function block\n"
              "         at: junk '%{' at x.stp:1:1\n"
              "     source: %{ a % } b\n"
              "             ^\n"
              "       help: embedded C ends with %}, not with } alone\n"
              "\n");
}

TEST(ParseError, UnterminatedString) {
    EXPECT_EQ(errors("probe p { x = \"abc }\n"
                     "probe q { y = \"\\\" }\n"
                     "}"),
              "parse error: Could not find matching closing quote\n"
              "         at: junk '\"abc }' at x.stp:1:15\n"
              "     source: probe p { x = \"abc }\n"
              "                           ^\n"
              "       help: a string ends on its line; \\n in it begins a new one\n"
              "\n"
              "parse error: Could not find matching closing quote\n"
              "         at: junk '\"\\\" }' at :2:15\n"
              "     source: probe q { y = \"\\\" }\n"
              "                           ^\n"
              "       help: a string ends on its line; \\n in it begins a new one\n"
              "\n");
}

}  // namespace
}  // namespace tapir::syntax
