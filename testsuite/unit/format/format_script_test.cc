// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/format_script.h"

#include <gtest/gtest.h>

namespace tapir::formatter {
namespace {

std::string formatted(const std::string &text, const Style &style = {}) {
    const SourceFile file("x.stp", text, Origin::UserScript);
    Diagnostics diagnostics;
    return format_script(file, style, diagnostics).value_or(render_all(diagnostics, true));
}

const char *const kWritten = R"stp(#!/usr/bin/env stap
# head


global a%,b[10]%  ,c="x" # one
global reads;   global w   # two
/* block
 * comment
   */
function f:long(a:string,b) { return a."x".b }
function g (x)
%{ /* pure */
	STAP_RETVALUE = 1;
%}
probe kernel.function("a").call?,
  syscall.{open,close} if (pid()==3&&x), foo*bar
{
  if(a==1)
    b[1,2]++;
  else if (x)
  {
     y=-1+ - -2 ; z=!x   /* inline */ ; foo(a,b,
   c+
d,
    )
  }
  else
     foreach(v=[k+,l] in c- limit 5)
       # comment of body
       if (q) print(v)
       else
         next


  %( kernel_v > "3" %? a=1
     b  = 2 %: c  %)
  for(i=0;i<10;i++) { s<<<i }
  try { x=$a->b[1]$ } catch(m){ println(m) }
  printf("%d %s\n",
     @count(s),$$parms)
  a = b
     + c ? d : e
  delete s
  while(1)
  ;
  $1foo
}
probe a.b=c.d{ }
probe end{exit()}
)stp";

const char *const kFormatted = R"stp(#!/usr/bin/env stap
# head

global a%, b[10]%, c = "x"  # one
global reads;
global w  # two
/* block
 * comment
   */
function f:long(a:string, b) { return a . "x" . b }
function g(x)
%{ /* pure */
	STAP_RETVALUE = 1;
%}
probe kernel.function("a").call?,
      syscall.{open,close} if (pid() == 3 && x), foo*bar {
  if (a == 1)
    b[1, 2]++;
  else if (x) {
    y = -1 + - -2; z = !x /* inline */ ; foo(a, b,
                                             c +
                                             d,
                                            )
  } else
    foreach (v = [k+, l] in c- limit 5)
      # comment of body
      if (q) print(v)
      else
        next

  %( kernel_v > "3" %? a=1
     b  = 2 %: c  %)
  for (i = 0; i < 10; i++) { s <<< i }
  try { x = $a->b[1]$ } catch (m) { println(m) }
  printf("%d %s\n",
         @count(s), $$parms)
  a = b
    + c ? d : e
  delete s
  while (1)
    ;
  $1foo
}
probe a.b = c.d {}
probe end { exit() }
)stp";

TEST(FormatScript, HasOneStyle) {
    EXPECT_EQ(formatted(kWritten), kFormatted);
}

TEST(FormatScript, TakesTheFilesUnit) {
    const std::string text = "probe begin {\n\tif (x) {\n  y\n}\n}\n";
    EXPECT_EQ(formatted(text), "probe begin {\n\tif (x) {\n\t\ty\n\t}\n}\n");
    EXPECT_EQ(formatted(text, {"  "}), "probe begin {\n  if (x) {\n    y\n  }\n}\n");
    EXPECT_EQ(formatted("probe begin {\nx }\n"), "probe begin {\n    x\n}\n");
}

TEST(FormatScript, KeepsGroupsOfLines) {
    EXPECT_EQ(formatted("\n\nglobal a\n\n\n\nglobal b\nprobe end {\n\n  a\n\n\n  b\n\n}\n\n"),
              "global a\n\nglobal b\nprobe end {\n  a\n\n  b\n}\n");
}

TEST(FormatScript, KeepsCommentsBelowEachOther) {
    EXPECT_EQ(formatted("global a    # one\nglobal bcd  # two\n\nglobal a # one\nglobal bcd # two\n"),
              "global a    # one\nglobal bcd  # two\n\nglobal a  # one\nglobal bcd  # two\n");
    EXPECT_EQ(formatted("probe end {\n/* one\n   two */\n}\n"), "probe end {\n    /* one\n       two */\n}\n");
}

TEST(FormatScript, LeavesWhatThePreprocessorAndCRead) {
    const std::string text =
        "@define f(a) %( @a+1 %)\n%{ int  x; %}\nprobe end {\n    %( arch==\"x\" %?   a=1 %:\n b=2 %)\n    c = @f( 1 "
        ")\n}\n";
    EXPECT_EQ(formatted(text), text);
    EXPECT_EQ(formatted("probe %( arch == \"x\" %? begin { %: end { %)\nx=1\n}\n"),
              "probe %( arch == \"x\" %? begin { %: end { %)\n    x = 1\n}\n");
}

// Blanks whose loss would make other tokens.
TEST(FormatScript, KeepsTokensApart) {
    EXPECT_EQ(formatted("probe end { x = - -1 + + +2; y = ! ~x; z = a % (b) }\n"),
              "probe end { x = - -1 + + +2; y = ! ~x; z = a % (b) }\n");
}

TEST(FormatScript, RefusesWhatIsNotClosed) {
    EXPECT_EQ(formatted("probe begin { x = (1 }\n"),
              "parse error: this bracket closes nothing\n"
              "        saw: operator '}' at x.stp:1:22\n"
              "     source: probe begin { x = (1 }\n"
              "                                  ^\n\n");
    EXPECT_EQ(formatted("probe begin {\n"),
              "parse error: could not find the end of the bracket that opens here\n"
              "        saw: operator '{' at x.stp:1:13\n"
              "     source: probe begin {\n"
              "                         ^\n\n");
    EXPECT_EQ(formatted("%( 1 == 1 %? probe\n"),
              "parse error: could not find the '%)' that ends the conditional\n"
              "         at: operator '%(' at x.stp:1:1\n"
              "     source: %( 1 == 1 %? probe\n"
              "             ^\n\n");
}

TEST(FormatScript, RefusesChanges) {
    const SourceFile file("x.stp", "probe end { a = b . c }\n", Origin::UserScript);
    for (const char *text :
         {"probe end { a = c . b }\n", "probe end { a = b . c } # more\n", "probe end { a b . c }\n"}) {
        Diagnostics diagnostics;
        EXPECT_FALSE(check_formatted(file, SourceFile("x.stp", text, Origin::UserScript), diagnostics));
        EXPECT_EQ(render_all(diagnostics, true),
                  "ERROR: Formatting would change the meaning of 'x.stp', which stays as it is: a mistake of Tapir.\n");
    }
    Diagnostics diagnostics;
    EXPECT_TRUE(check_formatted(file, SourceFile("x.stp", "probe end {\na=b.c}", Origin::UserScript), diagnostics));
}

}  // namespace
}  // namespace tapir::formatter
