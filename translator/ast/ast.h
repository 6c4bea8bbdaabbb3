// SPDX-License-Identifier: GPL-2.0-or-later
// The syntax tree and what later passes write into it. The parser fills the syntax; `resolve` fills declarations;
// `types` fills types. Fields of later passes are marked with the pass's name. Nodes own their children.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ast/embedded_code.h"
#include "ast/live_range.h"
#include "ast/script_metric.h"
#include "ast/script_table.h"
#include "ast/script_trigger.h"
#include "base/source.h"

namespace tapir::ast {

enum class Type : uint8_t { Unknown, Void, Long, String, Stat };
std::string_view type_name(Type type);  // "unknown", "void", "long", "string", "stat"

struct Expr;
struct Stmt;
struct Function;
struct Variable;
using ExprPtr = std::unique_ptr<Expr>;
using StmtPtr = std::unique_ptr<Stmt>;

// ---------------------------------------------------------------- expressions

enum class ExprKind : uint8_t {
    Number,
    String,
    EmbeddedC,  // %{ %} used as a value
    VarRef,
    Index,
    In,
    Unary,
    IncDec,
    Binary,
    Logical,
    Compare,
    Regex,
    Concat,
    Ternary,
    Assign,
    Call,
    Print,
    StatOp,
    Hist,
    Target,      // $var, $$vars
    Cast,        // @cast(p, "type", "module")
    AtVar,       // @var("name@cu", "module")
    Entry,       // @entry(expr)
    Defined,     // @defined(expr)
    ProbeWrite,  // @probewrite(var)
    Const,       // @const("C")
    Enum,        // @enum("name"[, "module"]), @enumname("type", value[, "module"])
    Perf,        // @perf("counter")
    Register,    // @kregister(n), @uregister(n)
    Deref,       // @kderef(size, addr), @uderef(size, addr)
    // Made by resolve from the context expressions above; they have no syntax.
    SymbolAddress,   // where a symbol of the kernel or a module is loaded, plus an offset
    HitArgument,     // what the probe hands over with a hit, by number
    ProgramAddress,  // where an address of a program is mapped in the current process
};

// A type of the probed program, of what reads debug information; elsewhere only compared, by its address.
struct TargetType {
    std::string name;    // "struct file *"
    std::string module;  // whose debug information it is from
};

struct Expr {
    Expr(ExprKind k, SourceRef ref) : kind(k), at(ref) {}
    virtual ~Expr() = default;
    ExprKind kind;
    Type type = Type::Unknown;  // types
    SourceRef at;
    const TargetType *target_type = nullptr;  // of a long: what it is in the probed program; null: a number
};

struct Number : Expr {
    Number(SourceRef r, int64_t v) : Expr(ExprKind::Number, r), value(v) {}
    int64_t value;
    std::string option;  // the global that has the number when the session starts; "": none, `value` is the number
};

struct String : Expr {
    String(SourceRef r, std::string v) : Expr(ExprKind::String, r), value(std::move(v)) {}
    std::string value;  // unescaped bytes
};

struct EmbeddedCExpr : Expr {
    EmbeddedCExpr(SourceRef r, std::string c) : Expr(ExprKind::EmbeddedC, r), code(std::move(c)) {}
    std::string code;
    std::vector<Variable *> reads, writes;  // resolve: the globals that its pragmas name
};

// A scalar, or an array or statistic named as a whole (delete a, foreach, arguments of stat operators).
struct VarRef : Expr {
    VarRef(SourceRef r, std::string n) : Expr(ExprKind::VarRef, r), name(std::move(n)) {}
    std::string name;
    Variable *variable = nullptr;  // resolve
};

// array[k1, k2] or @hist_xxx(s)[i]. A null key is "*".
struct Index : Expr {
    Index(SourceRef r, ExprPtr b, std::vector<ExprPtr> k)
        : Expr(ExprKind::Index, r), base(std::move(b)), keys(std::move(k)) {}
    ExprPtr base;  // VarRef or Hist
    std::vector<ExprPtr> keys;
    bool has_wildcard() const;
};

struct In : Expr {
    In(SourceRef r, std::vector<ExprPtr> k, ExprPtr a)
        : Expr(ExprKind::In, r), keys(std::move(k)), array(std::move(a)) {}
    std::vector<ExprPtr> keys;  // null = "*"
    ExprPtr array;              // VarRef or Hist
};

enum class UnaryOp : uint8_t { Plus, Minus, Not, Complement };
struct Unary : Expr {
    Unary(SourceRef r, UnaryOp o, ExprPtr e) : Expr(ExprKind::Unary, r), op(o), operand(std::move(e)) {}
    UnaryOp op;
    ExprPtr operand;
};

struct IncDec : Expr {
    IncDec(SourceRef r, bool inc, bool pre, ExprPtr t)
        : Expr(ExprKind::IncDec, r), increment(inc), prefix(pre), target(std::move(t)) {}
    bool increment;
    bool prefix;
    ExprPtr target;
};

enum class BinaryOp : uint8_t { Add, Sub, Mul, Div, Mod, And, Or, Xor, Shl, Shr, ShrLogical };
struct Binary : Expr {
    Binary(SourceRef r, BinaryOp o, ExprPtr l, ExprPtr rr)
        : Expr(ExprKind::Binary, r), op(o), left(std::move(l)), right(std::move(rr)) {}
    BinaryOp op;
    ExprPtr left, right;
};

struct Logical : Expr {
    Logical(SourceRef r, bool a, ExprPtr l, ExprPtr rr)
        : Expr(ExprKind::Logical, r), is_and(a), left(std::move(l)), right(std::move(rr)) {}
    bool is_and;
    ExprPtr left, right;
};

enum class CompareOp : uint8_t { Lt, Le, Gt, Ge, Eq, Ne };
struct Compare : Expr {
    Compare(SourceRef r, CompareOp o, ExprPtr l, ExprPtr rr)
        : Expr(ExprKind::Compare, r), op(o), left(std::move(l)), right(std::move(rr)) {}
    CompareOp op;
    ExprPtr left, right;
};

struct Regex : Expr {
    Regex(SourceRef r, bool neg, ExprPtr l, std::string p, SourceRef pr)
        : Expr(ExprKind::Regex, r), negated(neg), left(std::move(l)), pattern(std::move(p)), pattern_at(pr) {}
    bool negated;
    ExprPtr left;
    std::string pattern;
    SourceRef pattern_at;
};

struct Concat : Expr {
    Concat(SourceRef r, ExprPtr l, ExprPtr rr) : Expr(ExprKind::Concat, r), left(std::move(l)), right(std::move(rr)) {}
    ExprPtr left, right;
};

struct Ternary : Expr {
    Ternary(SourceRef r, ExprPtr c, ExprPtr t, ExprPtr f)
        : Expr(ExprKind::Ternary, r), cond(std::move(c)), then_expr(std::move(t)), else_expr(std::move(f)) {}
    ExprPtr cond, then_expr, else_expr;
};

enum class AssignOp : uint8_t { Set, Add, Sub, Mul, Div, Mod, And, Or, Xor, Shl, Shr, ShrLogical, Concat, Sample };
struct Assign : Expr {
    Assign(SourceRef r, AssignOp o, ExprPtr t, ExprPtr v)
        : Expr(ExprKind::Assign, r), op(o), target(std::move(t)), value(std::move(v)) {}
    AssignOp op;  // Sample is "<<<"
    ExprPtr target, value;
};

struct Call : Expr {
    Call(SourceRef r, std::string n, std::vector<ExprPtr> a)
        : Expr(ExprKind::Call, r), name(std::move(n)), args(std::move(a)) {}
    std::string name;
    std::vector<ExprPtr> args;
    // resolve: the overloads of this arity in the order they are tried; the first is called, `next` goes on.
    std::vector<Function *> candidates;
};

// One piece of a print format: literal text or a conversion.
struct FormatPiece {
    enum class Conv : uint8_t {
        Literal,
        Decimal,
        Unsigned,
        HexLower,
        HexUpper,
        Octal,
        Pointer,
        String,
        Char,
        Binary,
        MemoryRaw,
        MemoryHex,
    };
    // Row: a literal that begins a line of a global that is displayed at the end. Table to Recall: see TAPIR_FMT_TABLE.
    enum class Flag : uint8_t { None, ZeroPad, Plus, LeftAlign, Space, Alternate, Row, Table, Trigger, Recall };
    Conv conv = Conv::Literal;
    Flag flag = Flag::None;
    bool width_from_arg = false, precision_from_arg = false;
    std::optional<uint32_t> width, precision;
    std::string literal;
};

// print, println, printf, printd, printdln, print_char and the sprint forms; @row as a printf.
struct Print : Expr, PrintedEvent {
    explicit Print(SourceRef r) : Expr(ExprKind::Print, r) {}
    bool to_string = false;  // sprint*
    bool formatted = false;  // printf, sprintf: `pieces` come from the literal
    bool newline = false;    // *ln
    bool as_char = false;    // print_char
    bool delimited = false;  // printd*, sprintd*
    std::string delimiter;
    std::string format;  // as written, unescaped
    std::vector<FormatPiece> pieces;
    std::vector<ExprPtr> args;  // print(@hist_log(x)): one Hist
    std::string name;           // as written
    std::string row_of;         // @row: the name of the table
    // The part of a table of histograms, made of print(@hist_log(array, UNIT)): its beginning, a row, or its end.
    enum class Table : uint8_t { None, Begin, Row, End } table = Table::None;
};

enum class StatOpKind : uint8_t { Count, Sum, Min, Max, Avg, Variance, Percentile, Median };
std::string_view stat_op_name(StatOpKind op);  // "@count" ...
struct StatOp : Expr {
    StatOp(SourceRef r, StatOpKind o, ExprPtr s) : Expr(ExprKind::StatOp, r), op(o), stat(std::move(s)) {}
    StatOpKind op;
    ExprPtr stat;         // VarRef or Index
    int64_t shift = 0;    // @variance(s, shift)
    ExprPtr part, whole;  // @percentile(s, part, whole); null: whole is 100
};

struct HistShape {
    enum class Kind : uint8_t { Log, Linear, LogLinear } kind = Kind::Log;
    int64_t low = 0, high = 0, width = 0;  // Linear: limits and width; LogLinear: powers of ten and steps in each
    uint32_t buckets() const;
    friend bool operator==(const HistShape &, const HistShape &) = default;
};
struct Hist : Expr {
    Hist(SourceRef r, HistShape s, ExprPtr e) : Expr(ExprKind::Hist, r), shape(s), stat(std::move(e)) {}
    HistShape shape;
    ExprPtr stat;
    std::optional<std::string> unit;  // of the samples: @hist_log(s, "ns of a call"), for printing only
    std::string subject;              // or ""; with it, the unit may be ""
    SourceRef unit_at;
    std::string measure() const;  // "UNIT" or "UNIT of SUBJECT"; there is a unit
};

// One step after $var or @cast(): ->name, [expr], or a trailing $ / $$ for pretty printing.
struct Component {
    enum class Kind : uint8_t { Member, Index, Pretty };
    Kind kind = Kind::Member;
    SourceRef at;
    std::string member;    // Member
    ExprPtr index;         // Index
    int pretty_depth = 0;  // Pretty: 1 for $, 2 for $$
};

struct Target : Expr {
    Target(SourceRef r, std::string n) : Expr(ExprKind::Target, r), name(std::move(n)) {}
    std::string name;  // with its "$" or "$$"
    bool address_of = false;
    std::vector<Component> components;
};

struct Cast : Expr {
    Cast(SourceRef r, ExprPtr e) : Expr(ExprKind::Cast, r), operand(std::move(e)) {}
    ExprPtr operand;
    std::string type_name;
    std::string module;  // "" when absent; "a:b" tries in order
    bool address_of = false;
    std::vector<Component> components;
};

struct AtVar : Expr {
    explicit AtVar(SourceRef r) : Expr(ExprKind::AtVar, r) {}
    std::string name;  // with "@cu" when given
    std::string module;
    bool address_of = false;
    std::vector<Component> components;
};

struct Entry : Expr {
    Entry(SourceRef r, ExprPtr e) : Expr(ExprKind::Entry, r), operand(std::move(e)) {}
    ExprPtr operand;
};
struct Defined : Expr {
    Defined(SourceRef r, ExprPtr e) : Expr(ExprKind::Defined, r), operand(std::move(e)) {}
    ExprPtr operand;
};
struct ProbeWrite : Expr {
    ProbeWrite(SourceRef r, std::string n) : Expr(ExprKind::ProbeWrite, r), name(std::move(n)) {}
    std::string name;
};
struct Const : Expr {
    Const(SourceRef r, std::string c) : Expr(ExprKind::Const, r), code(std::move(c)) {}
    std::string code;
};
struct Enum : Expr {
    explicit Enum(SourceRef r) : Expr(ExprKind::Enum, r) {}
    bool wants_name = false;  // @enumname
    std::string name;         // enumerator, or the enumeration's name for @enumname
    ExprPtr value;            // @enumname
    std::string module;
};
struct Perf : Expr {
    Perf(SourceRef r, std::string n) : Expr(ExprKind::Perf, r), name(std::move(n)) {}
    std::string name;
};
struct Register : Expr {
    Register(SourceRef r, bool u, ExprPtr n) : Expr(ExprKind::Register, r), user(u), number(std::move(n)) {}
    bool user;
    ExprPtr number;
};
struct Deref : Expr {
    Deref(SourceRef r, bool u, ExprPtr s, ExprPtr a)
        : Expr(ExprKind::Deref, r), user(u), size(std::move(s)), address(std::move(a)) {}
    bool user;
    ExprPtr size, address;
};

struct SymbolAddress : Expr {
    SymbolAddress(SourceRef r, std::string m, std::string s, int64_t o)
        : Expr(ExprKind::SymbolAddress, r), module(std::move(m)), symbol(std::move(s)), offset(o) {}
    std::string module;  // "" is the kernel itself
    std::string symbol;
    int64_t offset;
};
struct ProgramAddress : Expr {
    ProgramAddress(SourceRef r, std::string p, int64_t a)
        : Expr(ExprKind::ProgramAddress, r), path(std::move(p)), linked(a) {}
    std::string path;
    int64_t linked;
};
struct HitArgument : Expr {
    HitArgument(SourceRef r, uint32_t n) : Expr(ExprKind::HitArgument, r), number(n) {}
    uint32_t number;  // from 0
};

// ---------------------------------------------------------------- statements

enum class StmtKind : uint8_t {
    Null,
    Block,
    Expr,
    EmbeddedC,
    If,
    For,
    While,
    Foreach,
    Return,
    Delete,
    Next,
    Break,
    Continue,
    Try,
};

struct Stmt {
    Stmt(StmtKind k, SourceRef r) : kind(k), at(r) {}
    virtual ~Stmt() = default;
    StmtKind kind;
    SourceRef at;
};

struct NullStmt : Stmt {
    explicit NullStmt(SourceRef r) : Stmt(StmtKind::Null, r) {}
};
struct Block : Stmt {
    explicit Block(SourceRef r) : Stmt(StmtKind::Block, r) {}
    std::vector<StmtPtr> body;
};
struct ExprStmt : Stmt {
    ExprStmt(SourceRef r, ExprPtr e) : Stmt(StmtKind::Expr, r), expr(std::move(e)) {}
    ExprPtr expr;
};
struct EmbeddedCStmt : Stmt {
    EmbeddedCStmt(SourceRef r, std::string c) : Stmt(StmtKind::EmbeddedC, r), code(std::move(c)) {}
    std::string code;
    std::vector<Variable *> reads, writes;  // as of EmbeddedCExpr
};
struct If : Stmt {
    explicit If(SourceRef r) : Stmt(StmtKind::If, r) {}
    ExprPtr cond;
    StmtPtr then_stmt, else_stmt;
    std::string written;  // a @trigger as it was written; "": it was an if
};
struct For : Stmt {
    explicit For(SourceRef r) : Stmt(StmtKind::For, r) {}
    ExprPtr init, cond, step;  // each may be null
    StmtPtr body;
};
struct While : Stmt {
    explicit While(SourceRef r) : Stmt(StmtKind::While, r) {}
    ExprPtr cond;
    StmtPtr body;
};
// foreach ([value =] [k1, k2] in array[slice] @op+ limit n) body
struct Foreach : Stmt {
    explicit Foreach(SourceRef r) : Stmt(StmtKind::Foreach, r) {}
    enum class Sort : int8_t { None = 0, Ascending = 1, Descending = -1 };
    std::vector<std::unique_ptr<VarRef>> keys;
    std::unique_ptr<VarRef> value;  // may be null
    ExprPtr array;                  // VarRef or Hist
    std::vector<ExprPtr> slice;     // empty: none; a null entry is "*"
    Sort sort = Sort::None;
    int sort_column = 0;                  // 0 = value, 1.. = key
    std::optional<StatOpKind> sort_stat;  // statistics sorted by @op; default @count
    SourceRef sort_at;
    ExprPtr limit;  // may be null
    StmtPtr body;
};
struct Return : Stmt {
    explicit Return(SourceRef r) : Stmt(StmtKind::Return, r) {}
    ExprPtr value;  // may be null
};
struct Delete : Stmt {
    Delete(SourceRef r, ExprPtr t) : Stmt(StmtKind::Delete, r), target(std::move(t)) {}
    ExprPtr target;  // VarRef, or Index whose keys may be "*"
};
struct Next : Stmt {
    explicit Next(SourceRef r) : Stmt(StmtKind::Next, r) {}
};
struct Break : Stmt {
    explicit Break(SourceRef r) : Stmt(StmtKind::Break, r) {}
};
struct Continue : Stmt {
    explicit Continue(SourceRef r) : Stmt(StmtKind::Continue, r) {}
};
struct Try : Stmt {
    explicit Try(SourceRef r) : Stmt(StmtKind::Try, r) {}
    StmtPtr body, handler;
    std::unique_ptr<VarRef> error;  // catch (v); may be null
};

// ---------------------------------------------------------------- declarations

// The parts of a statistic that the operators used on a global need; one per global. (types)
struct StatUse {
    bool count = false, sum = false, min_max = false, variance = false, sketch = false;
    std::vector<HistShape> hists;  // each once, in the order they are first used
};

struct Variable {
    std::string name;
    SourceRef at;
    // Saved: set by the handler at a function's entry, for the handler at the return of the same call.
    enum class Scope : uint8_t { Global, Local, Param, Saved } scope = Scope::Local;
    Type type = Type::Unknown;    // types: value type for arrays
    SourceRef type_from;          // types: where the type was first inferred
    std::vector<Type> key_types;  // types: empty for scalars
    std::vector<SourceRef> key_types_from;
    int arity = -1;                           // resolve: -1 not known, 0 scalar, n keys
    const TargetType *target_type = nullptr;  // what its typed values agree on; of an array, those of elements
    bool is_private = false, wrap = false;    // from here on of globals only; wrap: "%" suffix
    bool is_monitored = false;                // --monitor shows it
    std::optional<int64_t> max_entries;       // [N]
    int64_t age = 0;                          // ns: "age 60s"; 0: none
    std::optional<LiveRange> live;            // the loader may change it while the script runs
    std::string size_option;                  // the global that has N when the session starts, or ""
    ExprPtr init;                             // Number or String
    StatUse stat;                             // types
    bool is_read = false, is_written = false, is_reported = false;  // resolve; the last: one error is enough
    std::string unique_name;                                        // resolve: mangled when private, else `name`
};

struct Param {
    std::string name;
    Type declared = Type::Unknown;
    SourceRef at;
    Variable *variable = nullptr;  // resolve
};

// Pragmas found in an embedded-C body: /* pure */ ... (resolve)
struct Pragmas {
    bool pure = false, unprivileged = false, myproc_unprivileged = false, guru = false, stable = false,
         unmodified_fnargs = false, unmangled = false, borrowed = false;
    std::vector<std::string> other;          // "pragma:unwind", ...
    std::vector<std::string> reads, writes;  // globals by pragma
};

struct Function {
    std::string name;
    SourceRef at;
    Type declared = Type::Unknown;  // return type as written
    std::vector<Param> params;
    std::optional<int64_t> priority;  // as written
    bool is_private = false;
    StmtPtr body;  // null when `embedded`
    std::optional<std::string> embedded_c;
    SourceRef embedded_at;  // its "%{"
    Pragmas pragmas;        // resolve
    // resolve:
    std::vector<std::unique_ptr<Variable>> locals;  // parameters first
    std::string unique_name;
    const struct File *file = nullptr;
    const struct File *names_from = nullptr;  // whose names the body sees, if not those of `file`
    const struct File *seen_from() const { return names_from ? names_from : file; }
    // types:
    Type type = Type::Unknown;  // Void when it returns nothing
    SourceRef type_from;
    const TargetType *target_type = nullptr;  // what all typed returns agree on
};

// name, name(arg), or a wildcard name. `arg` is a Number or String literal.
struct PointComponent {
    std::string name;
    SourceRef at;
    ExprPtr arg;  // may be null
    // {a,b} braces were expanded by the parser into several points.
};

struct ProbePoint {
    std::vector<PointComponent> components;
    bool optional = false;    // ?
    bool sufficient = false;  // !
    ExprPtr condition;        // if (...), may be null
    SourceRef at;
    std::string str() const;  // canonical text: kernel.function("vfs_read").return?
};
using ProbePoints = std::vector<ProbePoint>;

// probe POINTS { body }
struct Probe {
    SourceRef at;
    ProbePoints points;
    StmtPtr body;
    bool is_private = false;
    const struct File *file = nullptr;  // resolve
};

// probe name = POINTS { prologue } [, += epilogue ]
struct Alias {
    SourceRef at;
    std::vector<ProbePoint> names;  // usually one
    ProbePoints points;
    bool epilogue = false;              // "+="
    StmtPtr body;                       // prologue, or epilogue body when `epilogue`
    StmtPtr epilogue_body;              // second body of the paired form, may be null
    bool assigns_only = false;          // prologue of pure assignments only, so unread ones can be dropped
    const struct File *file = nullptr;  // resolve
};

// @interpreter(NAME, KNOWN, FILES, LOOP, VARIABLES, FRAMES): what runs programs of another language, as struct
// tapir_interpreter has it.
struct Interpreter {
    SourceRef at;
    std::string name, known, files, loop;
    std::vector<std::string> variables;
    std::string frames;  // the function without parameters that gives the frames of the current thread
    // An overload of kFramesOf that calls it for this name.
    std::unique_ptr<Function> frames_of;
};
inline constexpr char kFramesOf[] = "__frames_of";

// One parsed file.
struct File : Triggers {
    const SourceFile *source = nullptr;
    std::vector<std::unique_ptr<Variable>> globals;
    std::vector<std::unique_ptr<Function>> functions;
    std::vector<std::unique_ptr<Probe>> probes;
    std::vector<std::unique_ptr<Alias>> aliases;
    std::vector<std::unique_ptr<EmbeddedCode>> embedded;
    std::vector<std::unique_ptr<Interpreter>> interpreters;
    std::vector<std::unique_ptr<Table>> tables;
    bool privileged = false;  // tapset or -g: guru constructs allowed
    std::vector<Metric> metrics;
};

// Prints in a form that parses back to the same tree (fully parenthesised, one statement per line).
std::string print(const File &file);
std::string print(const Expr &expr);
std::string print(const Stmt &stmt, int indent = 0);

// Deep copies, for alias bodies and prologue merging. Resolved fields are not copied.
ExprPtr clone(const Expr &expr);
StmtPtr clone(const Stmt &stmt);
ProbePoint clone(const ProbePoint &point);

}  // namespace tapir::ast
