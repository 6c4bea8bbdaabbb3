// SPDX-License-Identifier: GPL-2.0-or-later
// A script as BPF, from the memory for its globals to its last handler.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bpf/link/bpf_interpreter.h"
#include "bpf/link/image.h"
#include "bpf/load/bpf_kernel.h"

struct tapir_module;
struct tapir_bpf_state;
struct tapir_bpf_context;

namespace tapir::bpf {

class Session {
  public:
    // `image` has the runtime and the script. It has to live as long as the session.
    explicit Session(const Image &image) : image_(image) {}

    // Contexts, globals and their initial values. False: `error` says what could not be done.
    bool prepare(std::string &error);
    // Begin, end or error probes (enum tapir_phase), in their order. False: one ended the session with an error of its
    // program.
    bool run_phase(unsigned phase, std::string &error);
    // Programs at the places of all other probes. False: `error` says at which probe and why.
    bool attach(std::string &error);
    void detach() { links_.clear(); }

    bool exit_requested() const;
    uint64_t errors() const;
    uint64_t skipped() const;
    uint64_t loops_cut() const;
    // Records of handlers so far: their type (enum tapir_record_type), bytes and length. Those of one processor are in
    // their order.
    void read(const std::function<void(unsigned type, const char *data, uint32_t length)> &sink);
    const struct tapir_module &module() const { return *module_; }

  private:
    bool fill_state(std::string &error);
    bool make_context(tapir_bpf_context &context, unsigned cpu, unsigned level);
    bool interpret(const Function &entry, uint64_t argument, uint64_t &result, std::string &error);
    bool help(uint32_t number, const Interpreter::Arguments &arguments, uint64_t &result);
    const char *name_of(uint32_t probe) const;  // of its kind
    bool attach_kprobes(uint32_t probe, std::string &error);

    const Image &image_;
    Arena arena_;
    tapir_bpf_state *state_ = nullptr;
    const struct tapir_module *module_ = nullptr;
    tapir_bpf_context *session_ = nullptr;
    std::vector<Descriptor> links_;
};

}  // namespace tapir::bpf
