// SPDX-License-Identifier: GPL-2.0-or-later
#include "bpf/link/bpf_entry.h"

#include <cstddef>

extern "C" {
#include "bpf/port/bpf_state.h"
}

namespace tapir::bpf {

namespace {

constexpr uint8_t kIfZero = 0x15;
constexpr int kInstructionPointer = 128, kWord = 8;  // in struct pt_regs of x86-64

class Assembler {
  public:
    explicit Assembler(const char *name) {
        function_.name = name;
        function_.returns = true;
    }

    size_t put(Instruction i) {
        function_.code.push_back(i);
        return function_.code.size() - 1;
    }
    void set(unsigned to, int32_t value) { put(make(kSetImmediate, to, 0, 0, value)); }
    void move(unsigned to, unsigned from) { put(make(kSetRegister, to, from)); }
    void cast(unsigned to, unsigned from) { put(make(kSetRegister, to, from, kCastOffset, kCastToArena)); }
    void load(unsigned to, unsigned base, size_t offset) { put(make(kLoad64, to, base, static_cast<int>(offset))); }
    void store(unsigned base, size_t offset, unsigned from) {
        put(make(kStore64, base, from, static_cast<int>(offset)));
    }
    void call(const std::string &name) {
        function_.references.push_back({function_.code.size(), name, -1, 0});
        put(make(kCall, 0, kCallsFunction));
    }
    void end() {
        set(0, 0);
        put(make(kExit, 0));
    }
    void jump_here(size_t from) {
        function_.code[from].offset = static_cast<int16_t>(function_.code.size() - from - 1);
    }
    Function take() { return std::move(function_); }

  private:
    Function function_;
};

// Register 7 is the context. Each function gets its frame as the last of its arguments, of which it has one or none.
void call_with_context(Assembler &a, const std::string &name, bool framed, bool takes_ctx) {
    constexpr unsigned kContext = 7, kAddress = 8;
    a.cast(kAddress, kContext);
    if (framed) a.load(2, kAddress, offsetof(tapir_bpf_context, frame));
    if (takes_ctx) {
        a.load(1, kAddress, offsetof(tapir_bpf_context, ctx));
    } else {
        a.move(1, kContext);
    }
    a.call(name);
}

}  // namespace

Function kprobe_entry(const Function &handler, uint32_t probe, int arena) {
    Assembler a("hit");
    a.move(6, 1);
    a.put(make(kLoadWord, 0, kIsMap, 0, arena));
    a.put({});
    a.set(1, static_cast<int32_t>(probe));
    a.load(2, 6, kInstructionPointer);
    a.set(3, 0);
    a.call("tapir_bpf_enter");
    size_t skipped = a.put(make(kIfZero, 0, 0, 0, 0));
    a.move(7, 0);
    a.cast(8, 7);
    for (size_t i = 0; i < TAPIR_BPF_REGISTER_WORDS; i++) {
        a.load(2, 6, i * kWord);
        a.store(8, offsetof(tapir_bpf_context, registers) + i * kWord, 2);
    }
    call_with_context(a, handler.name, handler.framed, true);
    call_with_context(a, "tapir_bpf_leave", true, false);
    a.jump_here(skipped);
    a.end();
    return a.take();
}

Function session_entry(const Function &handler, uint32_t probe) {
    Assembler a("session");
    a.move(7, 1);
    a.cast(8, 7);
    a.load(3, 8, offsetof(tapir_bpf_context, frame));
    a.set(2, static_cast<int32_t>(probe));
    a.call("tapir_bpf_session_start");
    call_with_context(a, handler.name, handler.framed, true);
    call_with_context(a, "tapir_bpf_leave", true, false);
    a.end();
    return a.take();
}

Function plain_entry(const Function &function) {
    Assembler a("call");
    a.call(function.name);
    a.put(make(kExit, 0));
    return a.take();
}

}  // namespace tapir::bpf
