// SPDX-License-Identifier: GPL-2.0-or-later
// One run of stap from its options to its exit status, on this machine or in a guest.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "common/interruption.h"
#include "driver/pipeline.h"
#include "driver/served.h"
#include "machine/findings.h"
#include "vm/vm.h"

namespace tapir::driver {

// Everything one run of the program needs. Its chapters: program_run.cc strings the passes together, program_build.cc
// has pass 4, program_guest.cc runs in guests, program_doctor.cc --doctor, program_messages.cc its
// messages, program_cost.cc --cost.
class ProgramRun {
  public:
    ProgramRun(const Options &options, Diagnostics &diagnostics)
        : backend_(choose_backend(options, diagnostics)), state_(options, *backend_, diagnostics) {}

    // Does as the options ask, with messages. Returns the exit status.
    int run();

  private:
    const Options &options() const { return state_.options; }
    Diagnostics &diagnostics() { return state_.diagnostics; }

    bool compiles() const;
    bool find_kernel();
    bool find_parsing_kernel();
    bool parses_before(size_t mark);
    bool check_target();
    bool fetch_guest_kernel();
    int prepare();
    int examine();
    bool prepare_for_doctor(std::string &text);
    machine::Finding tools_finding();
    std::vector<machine::Group> findings(const std::string &problem, machine::Verdict &verdict,
                                         std::string &conclusion);
    int run_all();
    int translate_and_go();
    int last_pass() const;
    bool run_pass(const Pass &pass);
    std::string kept_directory() const;
    bool make_builder();  // false after reporting
    bool use_cached_result();
    bool build();
    int serve();
    int list();
    int serve_language();
    void say_setting(const library::IndexOptions &tapsets);
    int dump_library();
    void print_sources() const;
    void print_moved() const;
    int print_cost();
    int finish();
    int run_module();
    vm::VmOptions guest_settings(const std::string &release) const;
    int run_in_guest();
    int run_shell();
    int failed(int pass);
    int nothing_ran(const std::string &reading = "");
    void flush_messages();

    const std::unique_ptr<Backend> backend_;
    State state_;
    std::optional<CleanInterruption> interruption_;  // until the module runs: what runs it has ways of its own
    Served served_;
    std::string result_key_;
    std::string shown_;  // diagnostics already printed
    int last_pass_ = 5;
    int interrupted_by_ = 0;  // the signal that ended a guest: the user meant it
};

}  // namespace tapir::driver
