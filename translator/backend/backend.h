// SPDX-License-Identifier: GPL-2.0-or-later
// A back end: what handlers become in pass 4, what runs them in pass 5, and what they reach there. It is chosen once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "build/product.h"
#include "common/hash.h"
#include "ir/lower.h"
#include "options/options.h"
#include "resolve/reach.h"
#include "target/kernel.h"
#include "target/script_subject.h"

namespace tapir::driver {

// Directories that the driver knows.
struct BuildPlaces {
    std::string data;  // holds tapsets/, runtime/ and kmod/
    std::string work;  // of -k; "": a private one
};

class Backend {
  public:
    virtual ~Backend() = default;
    Backend(const Backend &) = delete;
    Backend &operator=(const Backend &) = delete;

    // True if handlers run in the kernel: it has to be there to build them, and its configuration limits them.
    virtual bool is_for_kernel() const = 0;
    // The abilities that pass 2 checks a script against, once open() was called.
    virtual resolve::Reach reach() const = 0;
    // The processes and files that names of the script mean, likewise.
    virtual const target::Subject &subject() const = 0;

    // Adds what pass 3 has to know of how handlers run.
    virtual void set_lowering(ir::LowerOptions &) const {}

    // Opens what options name as the subject. `last_pass` is the last one that runs. Returns false after reporting.
    virtual bool open(int /*last_pass*/) { return true; }
    // The release of the kernel that the subject is; "" if it tells none.
    virtual std::string release() const { return {}; }
    // The lines of --missing.
    virtual std::vector<std::string> missing() const { return {}; }
    // Returns false, after reporting why, if it is known that pass 5 cannot work for this user on this machine.
    virtual bool may_run() { return true; }

    // Makes the builder of pass 4. Returns false after reporting.
    virtual bool make_builder(const target::Kernel &kernel, const BuildPlaces &places) = 0;
    // After make_builder().
    virtual build::Builder &builder() = 0;
    // Adds what products depend on besides the script, the options that all back ends heed and base_key().
    virtual void add_key(Hasher &) const {}

    // Pass 5: runs a product to its end. Returns its exit status, or 128 + signal.
    virtual int run(const std::string &product) = 0;
    // Undoes what open() and pass 2 did to the subject; called at the end of every run.
    virtual void finish() {}

  protected:
    Backend(const Options &options, Diagnostics &diagnostics) : options_(options), diagnostics_(diagnostics) {}

    build::BuilderOptions builder_options(const BuildPlaces &places) const;

    const Options &options_;
    Diagnostics &diagnostics_;
};

// A kernel module, which staprun loads.
std::unique_ptr<Backend> make_module_backend(const Options &options, Diagnostics &diagnostics);
// A program of this machine, which looks at a core file, a snapshot or a kernel's memory.
std::unique_ptr<Backend> make_still_backend(const Options &options, Diagnostics &diagnostics);

// Returns the back end that the options ask for. Both arguments must outlive it.
std::unique_ptr<Backend> choose_backend(const Options &options, Diagnostics &diagnostics);

}  // namespace tapir::driver
