// SPDX-License-Identifier: GPL-2.0-or-later
#include "run_report.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace tapir::guest_tests {
namespace {

void print_as_comment(const std::string &text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        printf("#   %s\n", line.c_str());
}

}  // namespace

const Case *Run::next() {
    const size_t i = taken_++;
    return i < cases_.size() && !interrupted_ ? &cases_[i] : nullptr;
}

void Run::print(const Case &test, const Verdict &verdict, double seconds) {
    const std::lock_guard guard(lock_);
    if (verdict.kind == Verdict::Kind::Failed && second_chance_) {
        printf("# failed once: %s # %.2f s\n", test.id().c_str(), seconds);
        print_as_comment(verdict.text);
        fflush(stdout);
        failures_.push_back({test, verdict, seconds});
        return;
    }
    print_final(test, verdict, seconds);
}

void Run::print_final(const Case &test, const Verdict &verdict, double seconds) {
    ++number_;
    const bool failed = verdict.kind == Verdict::Kind::Failed, skipped = verdict.kind == Verdict::Kind::Skipped;
    const bool again = std::any_of(failures_.begin(), failures_.end(),
                                   [&](const Failure &failure) { return failure.test.id() == test.id(); });
    printf("%sok %d - %s", failed ? "not " : "", number_, test.id().c_str());
    if (skipped)
        printf(" # SKIP %s\n", verdict.text.c_str());
    else
        printf(" # %.2f s%s\n", seconds, again && !failed ? ", flaky" : "");
    if (failed) print_as_comment(verdict.text);
    if (again && verdict.kind == Verdict::Kind::Passed) flaky_.push_back(test.id());
    ++(failed ? failed_ : skipped ? skipped_ : passed_);
    fflush(stdout);
}

bool Run::second_round() {
    const std::lock_guard guard(lock_);
    if (!second_chance_ || interrupted_) return false;
    second_chance_ = false;
    if (failures_.size() <= most_second_chances) {
        cases_.clear();
        for (const Failure &failure : failures_)
            cases_.push_back(failure.test);
        taken_ = 0;
        return !cases_.empty();
    }
    printf("# %zu cases failed: none is run again\n", failures_.size());
    const std::vector<Failure> failures = std::move(failures_);
    failures_.clear();
    for (const Failure &failure : failures)
        print_final(failure.test, failure.verdict, failure.seconds);
    return false;
}

int Run::report() const {
    for (const std::string &name : flaky_)
        printf("# flaky: %s\n", name.c_str());
    printf("# %d passed, %d failed, %d skipped\n", passed_, failed_, skipped_);
    return interrupted_ ? 130 : failed_ > 0 ? 1 : 0;
}

}  // namespace tapir::guest_tests
