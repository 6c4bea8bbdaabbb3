// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/other_languages.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace tapir {

namespace {

struct Word {
    std::string_view word;
    std::string_view advice;
};

template <size_t count>
std::string look_up(const Word (&words)[count], std::string_view wanted) {
    const Word *found =
        std::find_if(std::begin(words), std::end(words), [&](const Word &w) { return w.word == wanted; });
    return found == std::end(words) ? "" : std::string(found->advice);
}

constexpr std::string_view kDeclaration =
    "local variables need no declaration: assign, and the type follows; arrays and statistics are declared with "
    "'global' outside of handlers";
constexpr std::string_view kKernelName =
    "a constant of C is $NAME if debug information has it (enumerations), else @const(\"NAME\"), which needs -g";

// Names that are variables or constants elsewhere.
constexpr Word kVariables[] = {
    {"comm", "bpftrace's comm is execname() here"},
    {"execname", "this is a function here: execname()"},
    {"pid", "this is a function here: pid()"},
    {"tid", "this is a function here: tid()"},
    {"uid", "this is a function here: uid()"},
    {"gid", "this is a function here: gid()"},
    {"cpu", "this is a function here: cpu()"},
    {"ppid", "this is a function here: ppid()"},
    {"nsecs", "bpftrace's nsecs is gettimeofday_ns() here"},
    {"timestamp", "DTrace's timestamp is gettimeofday_ns() here"},
    {"elapsed", "take the difference of two gettimeofday_ns() here"},
    {"curtask", "bpftrace's curtask is task_current() here"},
    {"curthread", "DTrace's curthread is task_current() here"},
    {"kstack", "bpftrace's kstack is callers(-1) as a value, print_backtrace() to print it"},
    {"ustack", "bpftrace's ustack is ucallers(-1) as a value, print_ubacktrace() to print it"},
    {"stack", "print_backtrace() prints the kernel's stack, callers(-1) is it as a value"},
    {"func", "bpftrace's func is probefunc() here"},
    {"probefunc", "this is a function here: probefunc()"},
    {"probe", "bpftrace's probe is pp() here"},
    {"retval", "the value that a function returns is $return, or returnval() without debug information"},
    {"args", "arguments have their names here: $NAME; 'stap -L POINT' lists them"},
    {"arg0", "arguments have their names here: $NAME, or ulong_arg(1) without debug information"},
    {"arg1", "arguments have their names here: $NAME, or ulong_arg(2) without debug information"},
    {"arg2", "arguments have their names here: $NAME, or ulong_arg(3) without debug information"},
    {"arg3", "arguments have their names here: $NAME, or ulong_arg(4) without debug information"},
    {"arg4", "arguments have their names here: $NAME, or ulong_arg(5) without debug information"},
    {"arg5", "arguments have their names here: $NAME, or ulong_arg(6) without debug information"},
    {"errno", "a system call's error is its negative result: see returnval(), errno_str()"},
    {"nil", "there is no nil: compare with 0"},
    {"null", "there is no null: compare with 0"},
    {"None", "there is no None: compare with 0 or \"\", or ask 'if ([KEY] in ARRAY)'"},
    {"true", "truth is a number here: 1"},
    {"false", "truth is a number here: 0"},
    {"True", "truth is a number here: 1"},
    {"False", "truth is a number here: 0"},
    {"stdout", "printf prints to standard output"},
    {"stderr", "warn(\"TEXT\") prints to standard error"},
    {"do", "there is no do ... while: write while (1) { ...  if (!CONDITION) break }"},
    {"switch", "there is no switch: write if ... else if ... else"},
    {"default", "there is no switch: write if ... else if ... else"},
    {"not", "write !"},
    {"var", kDeclaration},
    {"let", kDeclaration},
    {"local", kDeclaration},
    {"my", kDeclaration},
    {"auto", kDeclaration},
    {"const", kDeclaration},
    {"static", kDeclaration},
    {"self", "DTrace's self->x is an array by thread here: global x ... x[tid()]"},
    {"this", "DTrace's this->x is a local variable here: x"},
};

constexpr std::string_view kMap =
    "aggregate with <<<: global s ... s[KEY] <<< VALUE, and read it with @count, @sum, @min, @max, @avg or @hist_log";

constexpr Word kFunctions[] = {
    {"count", "bpftrace's @x[KEY] = count() is x[KEY]++ here, or x[KEY] <<< 1 and @count(x[KEY])"},
    {"sum", kMap},
    {"avg", kMap},
    {"min", kMap},
    {"max", kMap},
    {"stats", kMap},
    {"quantize", "DTrace's quantize(x) is s <<< x here, and print(@hist_log(s)) at the end"},
    {"lquantize", "DTrace's lquantize is s <<< x here, and print(@hist_linear(s, LOW, HIGH, WIDTH)) at the end"},
    {"hist", "bpftrace's hist(x) is s <<< x here, and print(@hist_log(s)) at the end"},
    {"lhist", "bpftrace's lhist is s <<< x here, and print(@hist_linear(s, LOW, HIGH, WIDTH)) at the end"},
    {"str", "write user_string(ADDRESS) for text of a program, kernel_string(ADDRESS) for text of the kernel"},
    {"copyinstr", "DTrace's copyinstr(x) is user_string(x) here"},
    {"copyin", "DTrace's copyin is user_buffer_quoted(ADDRESS, LENGTH, SPACE) here, or user_int(ADDRESS) and the like"},
    {"stringof", "DTrace's stringof(x) is kernel_string(x) here"},
    {"buf",
     "write kernel_buffer_quoted(ADDRESS, LENGTH), user_buffer_quoted(ADDRESS, LENGTH, SPACE) or printf(\"%*M\")"},
    {"kstack", "bpftrace's kstack is callers(-1) as a value, print_backtrace() to print it"},
    {"ustack", "bpftrace's ustack is ucallers(-1) as a value, print_ubacktrace() to print it"},
    {"stack", "print_backtrace() prints the kernel's stack, callers(-1) is it as a value"},
    {"jstack", "print_ubacktrace() prints the program's stack"},
    {"ksym", "bpftrace's ksym(x) is symname(x) here"},
    {"usym", "bpftrace's usym(x) is usymname(x) here"},
    {"kaddr", "write &@var(\"NAME\")"},
    {"reg", "bpftrace's reg(\"ax\") is register(\"ax\") here"},
    {"ntop", "write ip_ntop(ADDRESS), or the variables of tcp.* and udp.* points"},
    {"time", "write println(ctime(gettimeofday_s()))"},
    {"clear", "bpftrace's clear(@x) is 'delete x' here"},
    {"zero", "bpftrace's zero(@x) is 'delete x' here"},
    {"clock", "write gettimeofday_ns(), or task_utime() and task_stime() for the time of the processor"},
    {"strcmp", "strings are compared with ==, != and <"},
    {"strcpy", "strings are assigned with ="},
    {"strcat", "strings are joined with '.'"},
    {"strncmp", "strings are compared with ==; substr(s, 0, N) is the beginning of one"},
    {"strstr", "write isinstr(s, PART)"},
    {"atoi", "write strtol(s, 10)"},
    {"len", "write strlen(s)"},
    {"length", "write strlen(s)"},
    {"puts", "write println(s)"},
    {"fprintf", "write printf(...), or warn(\"TEXT\") for standard error"},
    {"echo", "write println(...)"},
    {"trace", "write println(...)"},
    {"printk", "write printf(...)"},
    {"bpf_trace_printk", "write printf(...)"},
    {"sleep", "handlers cannot sleep: use a probe of timer.s(N)"},
    {"usleep", "handlers cannot sleep: use a probe of timer.us(N)"},
    {"elif", "write else if (CONDITION)"},
    {"elsif", "write else if (CONDITION)"},
    {"elseif", "write else if (CONDITION)"},
    {"unless", "write if (!(CONDITION))"},
    {"until", "write while (!(CONDITION))"},
    {"switch", "there is no switch: write if ... else if ... else"},
    {"not", "write !"},
    {"defined", "write @defined($NAME)"},
    {"cast", "write @cast(VALUE, \"TYPE\")->MEMBER"},
};

constexpr std::string_view kTypes[] = {
    "int",     "char",   "short",   "unsigned", "signed",   "void",     "float",  "double",  "bool",     "size_t",
    "ssize_t", "struct", "union",   "enum",     "u8",       "u16",      "u32",    "u64",     "s8",       "s16",
    "s32",     "s64",    "uint8_t", "uint16_t", "uint32_t", "uint64_t", "int8_t", "int16_t", "int32_t",  "int64_t",
    "uint64",  "int64",  "uint32",  "int32",    "pid_t",    "off_t",    "loff_t", "time_t",  "uintptr_t"};

std::vector<std::string_view> parts(std::string_view text) {
    std::vector<std::string_view> found;
    while (true) {
        size_t colon = text.find(':');
        found.push_back(text.substr(0, colon));
        if (colon == std::string_view::npos) return found;
        text.remove_prefix(colon + 1);
    }
}

bool is_upper(std::string_view name) {
    bool letters = false;
    for (char c : name) {
        if (c >= 'a' && c <= 'z') return false;
        letters |= c >= 'A' && c <= 'Z';
    }
    return letters && name.size() > 2;
}

std::string in_quotes(std::string_view text) {
    return "(\"" + std::string(text) + "\")";
}

std::string part(const std::vector<std::string_view> &of, size_t index, std::string_view unknown) {
    return std::string(index < of.size() && !of[index].empty() ? of[index] : unknown);
}

// A tracepoint of bpftrace; those of system calls have aliases.
std::string tracepoint(const std::vector<std::string_view> &of) {
    std::string name = part(of, 2, "EVENT");
    if (name.starts_with("sys_enter_")) return "syscall." + name.substr(10);
    if (name.starts_with("sys_exit_")) return "syscall." + name.substr(9) + ".return";
    return "kernel.trace" + in_quotes(part(of, 1, "SYSTEM") + ":" + name);
}

// interval:s:5, profile:hz:99, tick-1s.
std::string timer(const std::vector<std::string_view> &of) {
    std::string unit = part(of, 1, "s"), number = part(of, 2, "1");
    bool known = unit == "s" || unit == "ms" || unit == "us" || unit == "hz";
    if (of[0] == "profile" && unit == "hz") return "timer.profile.freq.hz(" + number + ")";
    return "timer." + (known ? unit : "s") + "(" + (known ? number : "1") + ")";
}

std::string of_bpftrace(const std::vector<std::string_view> &of) {
    std::string_view kind = of[0];
    auto is = [&](std::initializer_list<std::string_view> names) {
        return std::find(names.begin(), names.end(), kind) != names.end();
    };
    if (is({"BEGIN", "begin"})) return "begin";
    if (is({"END", "end"})) return "end";
    if (of.size() < 2) return {};
    if (is({"kprobe", "k", "kfunc", "fentry", "f"})) return "kernel.function" + in_quotes(of.back());
    if (is({"kretprobe", "kr", "kretfunc", "fexit", "fr"})) return "kernel.function" + in_quotes(of.back()) + ".return";
    if (is({"tracepoint", "t", "rawtracepoint", "rt"})) return tracepoint(of);
    if (is({"uprobe", "u"})) return "process" + in_quotes(of[1]) + ".function" + in_quotes(part(of, 2, "FUNCTION"));
    if (is({"uretprobe", "ur"}))
        return "process" + in_quotes(of[1]) + ".function" + in_quotes(part(of, 2, "FUNCTION")) + ".return";
    if (is({"usdt", "U"}))
        return "process" + in_quotes(of[1]) + ".mark" + in_quotes(of.size() > 2 ? of.back() : "MARK");
    if (is({"interval", "i", "profile", "p"})) return timer(of);
    if (is({"software", "s"})) return "perf.sw." + part(of, 1, "EVENT");
    if (is({"hardware", "h"})) return "perf.hw." + part(of, 1, "EVENT");
    if (is({"watchpoint", "w", "asyncwatchpoint", "aw"})) return "kernel.data(ADDRESS).write";
    return {};
}

// provider:module:function:name.
std::string of_dtrace(const std::vector<std::string_view> &of) {
    if (of.size() != 4) return {};
    std::string end = of[3] == "return" ? ".return" : "";
    if (of[0] == "syscall") return "syscall." + part(of, 2, "NAME") + end;
    if (of[0] == "fbt" && of[1].empty()) return "kernel.function" + in_quotes(part(of, 2, "FUNCTION")) + end;
    if (of[0] == "fbt") return "module" + in_quotes(of[1]) + ".function" + in_quotes(part(of, 2, "FUNCTION")) + end;
    if (of[0].starts_with("pid")) return "process(\"PATH\").function" + in_quotes(part(of, 2, "FUNCTION")) + end;
    if (of[0] == "dtrace" && (of[3] == "BEGIN" || of[3] == "END")) return of[3] == "BEGIN" ? "begin" : "end";
    if (of[0] == "tick" || of[0] == "profile") return "timer.s(1)";
    return {};
}

}  // namespace

std::string advice_for_probe(std::string_view probe) {
    std::vector<std::string_view> of = parts(probe);
    std::string here = of_dtrace(of);
    std::string_view whose = "DTrace's", page = "docs/from-dtrace.md";
    if (here.empty()) {
        here = of_bpftrace(of);
        whose = "bpftrace's";
        page = "docs/from-bpftrace.md";
    }
    if (here.empty()) return {};
    return std::string(whose) + " " + std::string(probe) + " is 'probe " + here + " { ... }' here; " +
           std::string(page) + " has the rest";
}

std::string advice_for_variable(std::string_view name) {
    if (is_c_type(name)) return std::string(kDeclaration);
    std::string advice = look_up(kVariables, name);
    if (advice.empty() && is_upper(name)) advice = kKernelName;
    return advice;
}

std::string advice_for_function(std::string_view name) {
    std::string advice = look_up(kFunctions, name);
    return advice.empty() ? look_up(kVariables, name) : advice;
}

std::string advice_for_kernel_function(std::string_view name) {
    // sys_read, SyS_read, ksys_read, __se_sys_read, and what stands for the latter on each architecture.
    constexpr std::string_view kSys = "sys_", kOld = "SyS_";
    size_t at = name.starts_with(kSys) || name.starts_with(kOld) ? 0 : std::string_view::npos;
    if (name.starts_with("ksys_")) at = 1;
    if (name.starts_with("__") && name.find("_sys_") != std::string_view::npos) at = name.find("_sys_") + 1;
    if (name.starts_with("compat_sys_")) at = name.find(kSys);
    if (at == std::string_view::npos || name.size() == at + kSys.size()) return {};
    return "system calls are probed by their own names, as on every kernel: syscall." +
           std::string(name.substr(at + kSys.size()));
}

bool is_c_type(std::string_view word) {
    return std::find(std::begin(kTypes), std::end(kTypes), word) != std::end(kTypes);
}

}  // namespace tapir
