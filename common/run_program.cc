// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/run_program.h"

#include <algorithm>
#include <cstdint>

#include "common/plain_text.h"
#include "common/quoting.h"

namespace tapir {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kLook{200};   // how often is asked whether to give up
constexpr milliseconds kLast{2000};  // for a killed program to close the streams

// In whole seconds where it is some.
std::string said(milliseconds time) {
    const long ms = static_cast<long>(time.count());
    return ms % 1000 ? format("%ld ms", ms) : format("%ld s", ms / 1000);
}

class Run {
  public:
    Run(const Program &program, const RunLimits &limits) : program_(program), limits_(limits) {}

    Outcome<Ending> run() {
        if (Outcome<void> started = process_.start(program_); !started) return started.fault();
        const Clock::time_point end = Clock::now() + limits_.time;
        bool open = true;
        while (open || !process_.ended()) {
            const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
            if (limits_.time.count() > 0 && left.count() <= 0)
                return ended_by(FaultTag::ProgramTimeLimit, "did not end within " + said(limits_.time));
            milliseconds wait(limits_.time.count() > 0 ? left.count() : -1);
            if (limits_.give_up) wait = wait.count() < 0 ? kLook : std::min(wait, kLook);
            if (open)
                open = process_.collect(static_cast<int>(std::min<long>(wait.count(), INT32_MAX)));
            else
                process_.wait(wait);
            if (const Collected *over = over_limit())
                return ended_by(FaultTag::ProgramOutputLimit,
                                "wrote more than " + std::to_string(over->limit) + " bytes");
            if (limits_.give_up && limits_.give_up()) return ended_by(FaultTag::ProgramGivenUp, "was given up");
        }
        return process_.ending();
    }

  private:
    const Collected *over_limit() const {
        std::vector<const Stream *> streams = {&program_.output, &program_.errors};
        for (const auto &[number, stream] : program_.further)
            streams.push_back(&stream);
        for (const Stream *stream : streams)
            if (stream->into && stream->into->over) return stream->into;
        return nullptr;
    }

    // Where others have the streams open, their end says that those are gone, too.
    Fault ended_by(FaultTag tag, const std::string &why) {
        process_.kill();
        const Clock::time_point last = Clock::now() + kLast;
        while (Clock::now() < last && process_.collect(static_cast<int>(kLook.count()))) {
        }
        return {tag, "'" + program_.argv[0] + "' " + why};
    }

    const Program &program_;
    const RunLimits &limits_;
    Process process_;
};

}  // namespace

Outcome<Ending> run_program(const Program &program, const RunLimits &limits) {
    return Run(program, limits).run();
}

Outcome<std::string> output_of(const std::vector<std::string> &argv, const std::string &directory,
                               const RunLimits &limits) {
    Collected output{SIZE_MAX}, errors;
    Program program{argv};
    program.directory = directory;
    program.environment = environment_with({"LC_ALL=C"});
    program.output = Stream::collected(output);
    program.errors = Stream::collected(errors);
    const Outcome<Ending> ended = run_program(program, limits);
    if (!ended) return ended.fault();
    if (ended->good()) return std::move(output.text);
    const std::string_view complaints = trim(errors.text, " \n");
    const std::string_view last = complaints.substr(complaints.rfind('\n') + 1);
    return Fault{FaultTag::ProgramFailed,
                 last.empty() ? "'" + argv[0] + "' ended " + ended->words() : std::string(last)};
}

}  // namespace tapir
