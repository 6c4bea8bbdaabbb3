// SPDX-License-Identifier: GPL-2.0-or-later
// Frames that are found by instructions, against what the compiler says of the same functions, as if it had said
// nothing.
#include "unwind/code_functions.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <random>
#include <set>
#include <sstream>

#include "stopped_process.h"
#include "unwind/cfi.h"

namespace tapir::unwind {
namespace {

constexpr uint8_t kDwarf[] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr uint8_t kPreserved[] = {kBx, kBp, kR12, 13, 14, kR15};

std::vector<CodeSpan> code_of(const ElfFile &file) {
    std::vector<CodeSpan> spans;
    for (const Section &section : file.sections())
        if ((section.flags & 4) && section.name.starts_with(".text"))
            spans.push_back({section.address, section.address + section.bytes});
    return spans;
}

struct Parts {
    std::vector<CodeSpan> functions, spans, covered;
};

// Functions with code that exceptions continue at always have unwind information, so they keep it. The others and what
// is between them are searched.
Parts parts_of(const ElfFile &file) {
    uint64_t address = 0;
    const std::string_view content = file.eh_frame_by_segment(address);
    CfiSection section(content, address, true, file.machine());
    std::vector<Fde> fdes = section.read();
    std::sort(fdes.begin(), fdes.end(), [](const Fde &a, const Fde &b) { return a.start < b.start; });
    Parts parts;
    for (const CodeSpan &code : code_of(file)) {
        uint64_t from = code.start;
        for (const Fde &fde : fdes) {
            if (fde.start < from || fde.end > code.end) continue;
            if (!fde.handlers) {
                parts.functions.push_back({fde.start, fde.end});
                continue;
            }
            parts.covered.push_back({fde.start, fde.end});
            if (fde.start > from) parts.spans.push_back({from, fde.start});
            from = fde.end;
        }
        if (code.end > from) parts.spans.push_back({from, code.end});
    }
    return parts;
}

bool fills(const CodeInstruction &in) {
    using Map = CodeInstruction::Map;
    return (in.is(Map::One, 0x90) && !in.rex_low) || in.is(Map::Two, 0x1f) || in.is(Map::One, 0xcc);
}

struct Comparison {
    uint64_t instructions = 0, known = 0;
    std::string differences;
};

class Comparing {
  public:
    explicit Comparing(const std::string &path) : object_(path) {}

    Comparison run() {
        EXPECT_EQ(object_.why, "");
        const Parts parts = parts_of(object_.file);
        for (const CodeSpan &function : parts.functions)
            if (is_silent(function)) silent_.push_back(function);
        std::set<uint64_t> told;
        code_functions(object_.file, parts.spans, parts.covered,
                       [&](uint64_t address, unsigned, const CodeState &state) {
                           RowState row;
                           if (!state.row(row)) return;
                           told.insert(address);
                           check(address, state, row);
                       });
        for (const CodeSpan &function : parts.functions)
            each_instruction(function, [&](uint64_t address, const CodeInstruction &in) {
                if (fills(in)) return;
                out_.instructions++;
                out_.known += told.contains(address);
            });
        return out_;
    }

  private:
    void each_instruction(const CodeSpan &function,
                          const std::function<void(uint64_t, const CodeInstruction &)> &take) const {
        const std::string_view code = object_.file.content_at(function.start);
        CodeInstruction in;
        for (uint64_t at = function.start; at < function.end; at += in.length) {
            if (!decode_instruction(code.substr(at - function.start), at, in)) return;
            take(at, in);
        }
    }
    const tapir_unwind_rule *rule_at(uint64_t address) const {
        return tapir_unwind_find_rule(&object_.table.header(), static_cast<u32>(*object_.file.place_of(address)));
    }
    // Assembly without call frame information: all of it has one rule, though it uses the stack.
    bool is_silent(const CodeSpan &function) const {
        bool uses = false, changes = false;
        const tapir_unwind_rule *first = rule_at(function.start);
        each_instruction(function, [&](uint64_t address, const CodeInstruction &in) {
            uses |= in.map == CodeInstruction::Map::One && !in.vector && in.opcode >= 0x50 && in.opcode < 0x60;
            changes |= rule_at(address) != first;
        });
        return uses && !changes;
    }

    void check(uint64_t address, const CodeState &state, const RowState &row) {
        const tapir_unwind_rule *rule = rule_at(address);
        if (!rule || rule->cfa == TAPIR_CFA_NONE || rule->flags & TAPIR_RULE_OUTERMOST) return;
        const auto holds = [address](const CodeSpan &span) { return address >= span.start && address < span.end; };
        if (std::any_of(silent_.begin(), silent_.end(), holds)) return;
        // Expressions; and frames that setjmp() and setcontext() have noted, which are no longer those of their
        // callers.
        if (rule->cfa != TAPIR_CFA_REGISTER || (rule->base != 6 && rule->base != 7)) return;
        // A library that can be run has an entry, too.
        if (state.outermost && address - object_.file.entry() < 64) return;
        if (state.outermost) return differs(address, "no function has called");
        const auto base = static_cast<size_t>(std::find(std::begin(kDwarf), std::end(kDwarf), rule->base) - kDwarf);
        if (state.values[base] != -rule->offset)
            return differs(address, "the CFA is " + std::to_string(rule->offset) + " from register " +
                                        std::to_string(rule->base) + ", ours is " + std::to_string(row.cfa.offset) +
                                        " from " + std::to_string(row.cfa.base));
        for (const uint8_t preserved : kPreserved)
            check_saved(address, *rule, preserved, state, row);
    }
    void check_saved(uint64_t address, const tapir_unwind_rule &rule, uint8_t preserved, const CodeState &state,
                     const RowState &row) {
        const uint8_t reg = kDwarf[preserved];
        const RegisterRule &ours = row.registers[reg];
        const bool said = row.set >> reg & 1, same = state.values[preserved] == kOwn;
        if (said && ours.kind == RegisterRule::kUndefined) return;
        const tapir_unwind_saved *saved = tapir_unwind_saved_of(&object_.table.header()) + rule.saved;
        const tapir_unwind_saved *const end = saved + rule.nsaved;
        saved = std::find_if(saved, end, [reg](const tapir_unwind_saved &one) { return one.reg == reg; });
        const std::string name = "register " + std::to_string(reg);
        if (saved == end) {
            if (said && !same) differs(address, name + " is not saved");
        } else if (saved->how == TAPIR_SAVED_CFA && said ? saved->offset != ours.offset : !same) {
            differs(address, name + " is saved at " + std::to_string(saved->offset));
        }
    }
    void differs(uint64_t address, const std::string &what) {
        char text[32];
        snprintf(text, sizeof text, "%llx: ", static_cast<unsigned long long>(address));
        if (out_.differences.size() < 4000) out_.differences += text + what + "\n";
    }

    Object object_;
    std::vector<CodeSpan> silent_;
    Comparison out_;
};

#ifdef __clang__
constexpr bool kClang = true;
#else
constexpr bool kClang = false;
#endif

// `least`: percent of the instructions.
void expect_as_compiler(const std::string &path, double least) {
    const Comparison found = Comparing(path).run();
    EXPECT_EQ(found.differences, "") << path;
    ASSERT_GT(found.instructions, 100u) << path;
    const double share = 100. * static_cast<double>(found.known) / static_cast<double>(found.instructions);
    printf("%s: %.2f %% of %llu instructions\n", path.c_str(), share,
           static_cast<unsigned long long>(found.instructions));
    EXPECT_GE(share, least) << path;
}

class CodeFunctions : public testing::Test {
  protected:
    void SetUp() override {
        const std::vector<std::string> all = files();
        if (all.empty()) GTEST_SKIP() << "its instructions are those of x86-64";
    }
    static std::vector<std::string> files() {
        std::istringstream in(UNWIND_FRAMES);
        return {std::istream_iterator<std::string>(in), {}};
    }
};

TEST_F(CodeFunctions, HaveTheCompilersFrames) {
    // One of them never returns, and nothing tells that what it calls in other files does.
    for (const std::string &path : files())
        expect_as_compiler(path, kClang ? 75 : 95);
}
TEST_F(CodeFunctions, HaveTheFramesOfCxx) {
    expect_as_compiler(UNWIND_PROGRAM, 97);
    // The sanitizers' runtime has code whose frames the compiler tells wrong, such as behind xor %rbp,%rbp in its
    // clone.
    if (!kClang) expect_as_compiler(std::filesystem::read_symlink("/proc/self/exe"), 97);
}
// Stripped, so that nothing tells where functions begin that are called by pointers only.
TEST_F(CodeFunctions, HaveTheFramesOfTheCLibrary) {
    expect_as_compiler(library_path("libc.so.6"), 80);
    expect_as_compiler(library_path("libm.so.6"), 90);
    expect_as_compiler("/lib64/ld-linux-x86-64.so.2", 80);
}
TEST_F(CodeFunctions, HaveTheFramesOfTheCxxLibrary) {
    expect_as_compiler(library_path("libstdc++.so.6"), 90);
}
TEST_F(CodeFunctions, HaveTheFramesOfAProgram) {
    expect_as_compiler("/bin/bash", 90);
}

// A file with one segment of code.
std::string file_of(std::string_view code) {
    Elf64_Ehdr header = {};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_machine = EM_X86_64;
    header.e_entry = 0x1000;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 1;
    Elf64_Phdr segment = {};
    segment.p_type = PT_LOAD;
    segment.p_flags = PF_R | PF_X;
    segment.p_offset = segment.p_vaddr = 0x1000;
    segment.p_filesz = segment.p_memsz = code.size();
    std::string file(0x1000, 0);
    memcpy(file.data(), &header, sizeof header);
    memcpy(file.data() + sizeof header, &segment, sizeof segment);
    return file.append(code);
}

// A table is made in bounded time for any code: for random bytes, and for calls and branches to anywhere near.
TEST_F(CodeFunctions, EndWithAnyCode) {
    std::mt19937 random(20261128);
    constexpr std::string_view kMean("\xe8\x00\x00\x00\x74\x01\xeb\x50\x75\xff\xc3\x5d", 12);
    for (unsigned round = 0; round < 10; round++) {
        std::string code(1 << 16, 0);
        for (char &byte : code)
            byte = round % 2 ? static_cast<char>(random()) : kMean[random() % kMean.size()];
        const std::string file = file_of(code);
        MemoryImage image(file);
        Table table;
        TableFacts facts;
        ASSERT_EQ(make_table(image, {}, table, facts), "");
        ASSERT_TRUE(tapir_unwind_valid(table.block().data(), table.block().size())) << round;
    }
}

// The table's frame at a byte of code.
std::string frame_at(std::string_view code, u32 byte) {
    const std::string file = file_of(code);
    MemoryImage image(file);
    Table table;
    TableFacts facts;
    EXPECT_EQ(make_table(image, {}, table, facts), "");
    const tapir_unwind_rule *rule = tapir_unwind_find_rule(&table.header(), 0x1000 + byte);
    if (!rule || rule->cfa == TAPIR_CFA_NONE) return "none";
    if (rule->flags & TAPIR_RULE_OUTERMOST) return "outermost";
    return std::to_string(rule->offset) + " from " + std::to_string(rule->base);
}

// xor %ebp, %ebp; pop %rdi; call THERE; hlt; THERE: push %rbx; call *%rax; pop %rbx; ret
TEST_F(CodeFunctions, BeginAtTheEntry) {
    constexpr std::string_view kCode("\x31\xed\x5f\xe8\x01\x00\x00\x00\xf4\x53\xff\xd0\x5b\xc3", 14);
    EXPECT_EQ(frame_at(kCode, 0), "outermost");
    EXPECT_EQ(frame_at(kCode, 3), "outermost");
    EXPECT_EQ(frame_at(kCode, 9), "8 from 7");
    EXPECT_EQ(frame_at(kCode, 10), "16 from 7");
    EXPECT_EQ(frame_at(kCode, 13), "8 from 7");
    EXPECT_EQ(frame_at(kCode, 14), "none");
}

// mov %rsp, %rdi; call THERE; mov %rax, %r12; and $-16, %rsp; call THERE; jmp *%r12; THERE: push %rbx; call *%rax; pop
// %rbx; ret
TEST_F(CodeFunctions, BeginAtAnEntryThatHandsOver) {
    constexpr std::string_view kCode(
        "\x48\x89\xe7\xe8\x0f\x00\x00\x00\x49\x89\xc4\x48\x83\xe4\xf0\xe8\x03\x00\x00\x00\x41\xff\xe4\x53\xff\xd0\x5b"
        "\xc3",
        28);
    for (const u32 byte : {0u, 3u, 8u, 11u, 15u, 20u})
        EXPECT_EQ(frame_at(kCode, byte), "outermost") << byte;
    EXPECT_EQ(frame_at(kCode, 23), "8 from 7");
    EXPECT_EQ(frame_at(kCode, 24), "16 from 7");
}

// The loader of this system has no unwind information at its entry, which no function has called. From there it runs
// the beginning of libraries.
TEST_F(CodeFunctions, BeginAtTheLoadersEntry) {
    constexpr char kLoader[] = "/lib64/ld-linux-x86-64.so.2";
    if (access(kLoader, R_OK) != 0) GTEST_SKIP() << "there is no " << kLoader;
    Object object(kLoader);
    ASSERT_EQ(object.why, "");
    CodeInstruction in;
    unsigned calls = 0;
    for (uint64_t at = object.file.entry(); in.flow != CodeInstruction::Flow::IndirectJump; at += in.length) {
        ASSERT_TRUE(decode_instruction(object.file.content_at(at, 15), at, in));
        const std::optional<uint64_t> place = object.file.place_of(at);
        ASSERT_TRUE(place);
        const tapir_unwind_rule *rule = tapir_unwind_find_rule(&object.table.header(), static_cast<u32>(*place));
        ASSERT_TRUE(rule);
        EXPECT_TRUE(rule->flags & TAPIR_RULE_OUTERMOST) << std::hex << at;
        calls += in.flow == CodeInstruction::Flow::Call;
    }
    EXPECT_GE(calls, 2u);
}

// A function that was entered and that clears the frame pointer before it has saved anything: what clone() runs.
// call THERE; hlt; THERE: syscall; test %eax, %eax; jne BACK; xor %ebp, %ebp; call *%r9; hlt; BACK: ret
TEST_F(CodeFunctions, BeginWhereTheFramePointerIsCleared) {
    constexpr std::string_view kCode("\xe8\x01\x00\x00\x00\xf4\x0f\x05\x85\xc0\x75\x06\x31\xed\x41\xff\xd1\xf4\xc3",
                                     19);
    EXPECT_EQ(frame_at(kCode, 6), "8 from 7");
    EXPECT_EQ(frame_at(kCode, 12), "8 from 7");
    EXPECT_EQ(frame_at(kCode, 14), "outermost");
    EXPECT_EQ(frame_at(kCode, 16), "outermost");
    EXPECT_EQ(frame_at(kCode, 18), "8 from 7");
}

// The walks of a program of another C library, which has no unwind information, at each instruction: their return
// addresses are those that the processor has put on the stack.
class Followed {
  public:
    explicit Followed(pid_t pid) : pid_(pid) { read(); }

    uint64_t pc() const { return now_.rip; }
    // Notes the call or return that the last step was.
    void step() {
        const user_regs_struct before = now_;
        unsigned char code[15] = {};
        const size_t bytes = read_memory(before.rip, code, sizeof code);
        CodeInstruction in;
        const bool known = decode_instruction({reinterpret_cast<const char *>(code), bytes}, before.rip, in);
        read();
        while (!calls_.empty() && calls_.back().first < now_.rsp)
            calls_.pop_back();
        using Flow = CodeInstruction::Flow;
        if (known && (in.flow == Flow::Call || in.flow == Flow::IndirectCall))
            calls_.emplace_back(now_.rsp, before.rip + in.length);
    }
    // The return addresses of the calls since then.
    std::vector<uint64_t> returns() const {
        std::vector<uint64_t> out;
        for (auto call = calls_.rbegin(); call != calls_.rend(); ++call)
            out.push_back(call->second);
        return out;
    }

  private:
    void read() { ptrace(PTRACE_GETREGS, pid_, 0, &now_); }
    size_t read_memory(uint64_t address, void *to, size_t bytes) const {
        iovec here = {to, bytes}, there = {reinterpret_cast<void *>(address), bytes};
        const ssize_t got = process_vm_readv(pid_, &here, 1, &there, 1, 0);
        return got > 0 ? static_cast<size_t>(got) : 0;
    }

    pid_t pid_;
    user_regs_struct now_ = {};
    std::vector<std::pair<uint64_t, uint64_t>> calls_;  // where the return address is, and what it is
};

void expect_walks_as_run(const std::string &program) {
    Process process("", program);
    ASSERT_TRUE(process.attach());
    Followed run(process.pid());
    const Stack first = process.walk(process.pid());
    ASSERT_EQ(first.end, unsigned{TAPIR_UNWIND_COMPLETE})
        << program << " after " << first.addresses.size() << " frames, at " << std::hex << first.addresses.back();
    unsigned steps = 0, wrong = 0;
    for (; wrong < 10 && process.step(); steps++) {
        run.step();
        const Stack stack = process.walk(process.pid());
        const std::vector<uint64_t> returns = run.returns();
        const std::vector<uint64_t> &all = stack.addresses;
        const bool begins = all.size() > returns.size() && std::equal(returns.begin(), returns.end(), all.begin() + 1);
        // The outer frames of the first stack are left.
        const size_t left = begins ? all.size() - 1 - returns.size() : 0;
        const bool ends =
            left < first.addresses.size() && std::equal(all.end() - static_cast<std::ptrdiff_t>(left), all.end(),
                                                        first.addresses.end() - static_cast<std::ptrdiff_t>(left));
        if (stack.end == TAPIR_UNWIND_COMPLETE && begins && ends) continue;
        wrong++;
        ADD_FAILURE() << program << " at " << std::hex << run.pc() << ": end " << stack.end << ", " << all.size()
                      << " frames, " << returns.size() << " called";
    }
    EXPECT_GT(steps, 5000u);
    printf("%s: %u stacks\n", program.c_str(), steps);
}

TEST(CLibrary, WithoutUnwindInformationIsWalked) {
    std::istringstream programs(UNWIND_C_LIBRARY);
    std::string program;
    if (!(programs >> program)) GTEST_SKIP() << "musl-gcc is not installed";
    do
        expect_walks_as_run(program);
    while (programs >> program);
}

}  // namespace
}  // namespace tapir::unwind
