// SPDX-License-Identifier: GPL-2.0-or-later
// The modules that the hosts need: one for each kernel, each made by a process of its own.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/process.h"
#include "remote/fleet.h"
#include "remote/sink.h"

namespace tapir::remote {

// A file as it is sent to hosts.
struct Payload {
    std::string name;  // on the host, of letters, digits, "_" and "."
    std::string bytes;
    std::string sha256;
};

// A program that is read without waiting for it. It ends with this process, however that ends: a connection to a host
// is not to outlive who asked for it.
Program piped_program(std::vector<std::string> argv);

// Reads a file to be sent. Else FileUnreadable.
Outcome<Payload> load_payload(const std::string &path, const std::string &name);

class Build {
  public:
    bool done() const { return done_; }
    // The problem of a build that is done: "" or why there is no module.
    const std::string &problem() const { return problem_; }
    const Payload &module() const { return module_; }
    // Tapir's own, which lets users load it who are not root; without a name if there is none.
    const Payload &signature() const { return signature_; }

  private:
    friend class Builds;
    Facts facts_;
    std::string key_;
    Process process_;
    std::string out_, errors_;
    bool done_ = false;
    std::string problem_;
    Payload module_, signature_;
};

class Builds {
  public:
    // The compiler's messages on a kernel go to `errors`, output for users to `output`; with `named`, each says
    // which kernel it is about.
    Builds(const FleetOptions &options, Sink &errors, Sink &output, bool named)
        : options_(options), errors_(errors), output_(output), named_(named) {}

    // The build for such a kernel, begun if it is the first of its kind. Lives as long as this object.
    const Build *want(const Facts &facts);
    // The staprun that hosts get, read once for all of them.
    const Outcome<Payload> &loader();
    // Takes what has happened; begins builds that waited.
    void look();
    // Gives up those that are not done.
    void cancel();

    std::vector<Process *> processes();

  private:
    void start(Build &build);
    void finish(Build &build);

    const FleetOptions &options_;
    Sink &errors_, &output_;
    const bool named_;
    std::list<Build> builds_;
    std::optional<Outcome<Payload>> loader_;
};

}  // namespace tapir::remote
