// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/product.h"

#include "common/hash.h"

namespace tapir::build {

namespace {

std::string key_of_note(const std::string &key) {
    return sha256("note " + key);
}

}  // namespace

std::string Product::name() const {
    const size_t begin = path.rfind('/') + 1;
    return path.substr(begin, path.rfind('.') > begin ? path.rfind('.') - begin : std::string::npos);
}

Builder::Builder(const BuilderOptions &options, const char *kind, Diagnostics &diagnostics)
    : diagnostics_(diagnostics),
      products_(options.cache_root + "/" + kind, options.cache, configured_cache_limit(options.cache_root)),
      results_(options.cache_root + "/results", options.cache, configured_cache_limit(options.cache_root) / 16),
      work_(options.work) {}

Builder::~Builder() = default;

std::string Builder::work_directory() {
    if (!work_.empty()) return work_;
    if (!own_work_) {
        const Outcome<std::string> path = make_directory(temporary_root(), "tapir-");
        if (!path) {
            diagnostics_.report(Tag::OutputUnwritable, "cannot make a temporary directory: " + path.fault().message());
            return "";
        }
        own_work_ = std::make_unique<TemporaryDirectory>(*path);
    }
    return own_work_->path();
}

std::optional<Product> Builder::find_result(const std::string &key) {
    const auto product = results_.find_text(key);
    const auto path = product ? products_.find(*product) : std::nullopt;
    if (!path) return std::nullopt;
    return Product{*path, true};
}

void Builder::store_result(const std::string &key, const Product &product) {
    // A product in the cache lies in a directory named by its key.
    const size_t end = product.path.rfind('/');
    if (!product.path.starts_with(products_.directory() + "/") || end == std::string::npos) return;
    const size_t begin = product.path.rfind('/', end - 1) + 1;
    static_cast<void>(results_.store(key, "product", std::string_view(product.path).substr(begin, end - begin)));
}

std::string Builder::find_note(const std::string &key) {
    return results_.find_text(key_of_note(key)).value_or("");
}

void Builder::store_note(const std::string &key, const std::string &text) {
    static_cast<void>(results_.store(key_of_note(key), "note", text));
}

}  // namespace tapir::build
