// SPDX-License-Identifier: GPL-2.0-or-later
// BTF made by libbpf, for tests.
#pragma once

#include <string>

#include "target/btf.h"

struct btf;

namespace tapir::target {

class BtfWriter {
  public:
    explicit BtfWriter(const BtfWriter *base = nullptr);
    ~BtfWriter();
    BtfWriter(const BtfWriter &) = delete;
    BtfWriter &operator=(const BtfWriter &) = delete;

    // Types, vfs_read(), printk(const char *, ...) and a tracepoint, as a kernel has them.
    void sample();
    // A structure, a function and a tracepoint that use the kernel's.
    void module_sample();
    std::string blob() const;

  private:
    void sample_structures();
    void sample_functions();

    btf *btf_;
    int long_ = 0, unsigned_ = 0, char_ = 0, bool_ = 0, loff_ = 0, file_ = 0, file_pointer_ = 0, double_ = 0;
};

}  // namespace tapir::target
