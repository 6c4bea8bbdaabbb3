// SPDX-License-Identifier: GPL-2.0-or-later
// The runs of scripts: each is a process of this program with the user's options.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/process.h"
#include "interactive/editor.h"

namespace tapir::interactive {

struct Launch {
    std::vector<std::string> program;      // this one, and options in front of all others
    std::vector<std::string> options;      // the user's
    std::vector<std::string> environment;  // changes of it, NAME=VALUE
};

using Show = std::function<void(std::string_view)>;

// Returns the output of a run that ends by itself, as with --dump-functions; "" if it fails.
std::string output_of_run(const Launch &launch, const std::vector<std::string> &arguments);

// Returns "" if pass 2 accepts the script, else its messages.
std::string check(const Launch &launch, const std::string &script);

// Runs a script to its end, or until Ctrl-C.
void run_to_end(const Launch &launch, const std::string &script, const Show &show);

// The probes that run while lines are typed.
class Session : public Background {
  public:
    explicit Session(Launch launch) : launch_(std::move(launch)) {}
    ~Session() override { end(); }

    // Starts the script, when the one that runs has ended, and no other one is started shortly after.
    void start(std::string script);
    // Probes run, or will soon.
    bool is_on() const { return next_ || (process_.started() && !stopped_); }
    // False: nothing runs.
    bool stop();
    // Stops it and waits.
    void end();

    std::vector<int> descriptors() const override;
    int wait_ms() const override;
    std::string news() override;

  private:
    void stop_running();
    std::string launch_next();

    const Launch launch_;
    Process process_;
    bool stopped_ = false;  // by the user, or for the next one
    std::string output_;    // begins the next news
    std::optional<std::string> next_;
    std::chrono::steady_clock::time_point due_;
};

}  // namespace tapir::interactive
