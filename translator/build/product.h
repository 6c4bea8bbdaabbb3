// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 4: C text to what runs it, which is kept in a cache.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "build/cache.h"
#include "build/template.h"
#include "common/files.h"

namespace tapir::build {

struct BuilderOptions {
    std::string cache_root;  // target::cache_dir()
    CacheMode cache = CacheMode::Use;
    std::string work;     // -k: an existing directory that gets the intermediate files; "" = a private one
    std::string version;  // Tapir's
    Note note;            // for -v
};

struct Script {
    std::string_view c_text;
    bool kernel_headers = false;  // the text includes <linux/...>: the user embedded C
    std::string name;             // -m: is_module_name(); "" = the product goes to the cache
    std::string output;           // with a name: where the product goes; "" = the working directory
    std::vector<std::pair<std::string, std::string>> modinfo;  // --modinfo NAME=VALUE
};

struct Product {
    std::string path;
    bool cached = false;  // found, not built

    // Returns the file's name without its suffix.
    std::string name() const;
};

class Builder {
  public:
    virtual ~Builder();
    Builder(const Builder &) = delete;
    Builder &operator=(const Builder &) = delete;

    // Returns the product of a script. Without a name it lies in the cache, or, where the cache is disabled or cannot
    // be written, in the options' work directory (this object's own one, gone with it, if that is ""). Returns nothing
    // after reporting.
    virtual std::optional<Product> build(const Script &script) = 0;

    // --prepare: makes what all products share, if it is not there. Returns false after reporting. `built` says whether
    // there was something to do.
    virtual bool prepare(bool *built) = 0;

    // Returns the words by which -v names a product that was built.
    virtual std::string shown(const Product &product) const { return product.path; }

    // Returns a key of all inputs of products besides the script, for a cache in front of all passes. Builds nothing.
    virtual std::string base_key() = 0;

    // The cache in front of passes 2 to 4: key -> path of a product. The key must cover script texts, options, tapset
    // index state and base_key().
    std::optional<Product> find_result(const std::string &key);
    void store_result(const std::string &key, const Product &product);
    // Finds a text beside a result, under the same key; "" without one.
    std::string find_note(const std::string &key);
    void store_note(const std::string &key, const std::string &text);

  protected:
    // `kind` names the cache's directory of products.
    Builder(const BuilderOptions &options, const char *kind, Diagnostics &diagnostics);

    // Returns the directory of intermediate files; "" after reporting.
    std::string work_directory();

    Diagnostics &diagnostics_;
    Cache products_, results_;

  private:
    std::string work_;
    std::unique_ptr<TemporaryDirectory> own_work_;
};

}  // namespace tapir::build
