// SPDX-License-Identifier: GPL-2.0-or-later
// The tree of a random program: what the generator builds, the writer shows as script text and the evaluator runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tapir::native {

enum class Kind {
    Number,
    Text,
    Variable,
    Element,
    Has,       // [keys] in array
    HasSlice,  // [key, *] in c
    Unary,
    Binary,
    Logical,
    Compare,
    Ternary,
    Concat,
    Assign,
    Increment,
    Call,
    Format,
    Length,     // strlen
    Match,      // text =~ pattern
    Matched,    // (text =~ pattern ? matched(0) : other)
    Statistic,  // @op(s), @op(u[key])
    Bucket,     // @hist...(...)[index]
    // statements
    Print,
    Discard,
    Block,
    If,
    For,
    Foreach,
    ForeachSlice,   // foreach ([i, t] in c[key, *])
    ForeachBucket,  // foreach (count = bucket in @hist...(...))
    Delete,
    DeleteSlice,  // delete c[key, *]
    DeleteAll,    // an array, a global scalar or a statistic
    Try,
    Sample,
    Break,
    Continue,
    Next,
    Raise,
};

struct Node;
using NodePtr = std::unique_ptr<Node>;

// Scalars: locals l0..l2 (numbers), t0..t1 (strings); globals g0..g2, h0..h1; parameters are locals of functions.
// Arrays: a (number -> number), b (string -> number), c (number, string -> string), d (number, string, number ->
// number), e[4]% (number -> number, recycles its oldest element). Statistics: s with a logarithmic histogram, r with a
// linear one, u (number ->).
struct Node {
    Kind kind;
    bool text = false;    // its value is a string
    std::string op;       // operator, variable, array or function
    int64_t number = 0;   // literal; Foreach: sorting; Format: which; Statistic: whether of an element
    int64_t limit = -1;   // Foreach: at most so many; -1: all
    bool binds = false;   // Foreach: binds the value too
    std::string literal;  // of Text; pattern of Match; number of a loop; which statistic
    std::string by;       // Foreach over u by value: the operator
    std::vector<NodePtr> parts;
};

// Bounds of @hist_linear(r, ...).
constexpr int64_t kLow = -10, kHigh = 50, kWidth = 5;

// Printed at the end of each program.
constexpr const char *kShown[] = {"l0", "l1", "l2", "t0", "t1", "g0", "g1", "g2", "h0", "h1"};

// Printf formats, each for a number and a string. Unlike C's, "%#x" marks 0 too.
struct FormatCase {
    const char *script;  // as a script has it
    const char *number;  // for C's printf; null: the number is not formatted
    const char *between;
    const char *string;
};
constexpr FormatCase kFormats[] = {
    {"%d:%s", "%lld", ":", "%s"},           {"%x-%5s", "%llx", "-", "%5s"},     {"%5d|%-4s|", "%5lld", "|", "%-4s|"},
    {"%-6d<%.2s>", "%-6lld", "<", "%.2s>"}, {"%06d%s", "%06lld", "", "%s"},     {"%+d %s", "%+lld", " ", "%s"},
    {"%#x,%s", "0x%llx", ",", "%s"},        {"%o/%6.1s", "%llo", "/", "%6.1s"}, {"%u %s%%", "%llu", " ", "%s%%"},
    {"%X.%s", "%llX", ".", "%s"},           {"%i=%-3s", "%lld", "=", "%-3s"},   {"%.4d~%s", "%.4lld", "~", "%s"},
    {"%8.3x %s", "%8.3llx", " ", "%s"},     {"% d%s", "% lld", "", "%s"},
};

// Extended regular expressions that mean the same to the C library.
constexpr const char *kPatterns[] = {
    "a+b",   "^(a|b)c*", "c$",           "[ab]{2,3}",      "(a|ab)(c|bcd)?", "b.a", "^$",
    "[^a]+", "^[0-9]*:", "(aa|bb|cc)+$", "[[:digit:]]{2}", "a?b?c?x",        "-|:", "(a|b)*c|9",
};

std::string show(const Node &n);

struct Functions {
    NodePtr fn, fs;        // results of fn and fs
    NodePtr base, step;    // fr(n, t): base when n is 0, else combined with step
    NodePtr guard, first;  // fo(n): falls through when guard holds
    NodePtr second;
    NodePtr guard2;  // the last of fo: all are exhausted when this holds too
    NodePtr two;     // fo(a, b)
};

// Script text of the functions.
std::string show(const Functions &functions);

class Evaluator {
  public:
    explicit Evaluator(const Functions &functions);
    ~Evaluator();
    // Runs one program; its output is added to `out`.
    void run(const Node &program);
    std::string out;

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace tapir::native
