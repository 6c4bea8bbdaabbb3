// SPDX-License-Identifier: GPL-2.0-or-later
#include "library/system_calls.h"

#include <cerrno>
#include <cstring>
#include <map>

#include "common/files.h"

namespace tapir::library {

namespace {

constexpr std::string_view kReturn = ".return";

class SyscallAliases final : public AliasSource {
  public:
    explicit SyscallAliases(SystemCalls &calls) : calls_(calls) {}

    std::span<const std::string_view> roots() const override { return syscalls::Aliases::kRoots; }

    const std::vector<Name> &names(std::string_view root) override {
        const auto [at, is_new] = names_.try_emplace(std::string(root));
        if (!is_new) return at->second;
        for (const syscalls::AliasName &name : aliases().names())
            for (std::string_view end : {std::string_view(), kReturn})
                at->second.push_back(
                    {std::string(root) + "." + name.name + std::string(end), name.by_wildcard, name.prefix});
        return at->second;
    }

    std::string text(const std::string &dotted) override {
        const size_t dot = dotted.find('.');
        const bool at_return = dotted.ends_with(kReturn);
        const size_t end = dotted.size() - (at_return ? kReturn.size() : 0);
        return aliases().text(dotted.substr(0, dot), dotted.substr(dot + 1, end - dot - 1), at_return);
    }

  private:
    const syscalls::Aliases &aliases() {
        if (!aliases_) aliases_ = std::make_unique<syscalls::Aliases>(calls_.get());
        return *aliases_;
    }

    SystemCalls &calls_;
    std::unique_ptr<syscalls::Aliases> aliases_;
    std::map<std::string, std::vector<Name>, std::less<>> names_;
};

}  // namespace

SystemCalls::SystemCalls(Kernel kernel, const std::vector<IndexedFile> &files, Diagnostics &diagnostics)
    : kernel_(std::move(kernel)), diagnostics_(diagnostics) {
    for (const IndexedFile &file : files)
        if (file.table) paths_.push_back(file.path);
}

const syscalls::Calls &SystemCalls::get() {
    if (calls_) return *calls_;
    for (const std::string &path : paths_) {
        std::optional<std::string> text = read_file(path);
        if (!text) {
            diagnostics_.report(Tag::TapsetUnreadable, "cannot read tapset file " + path + ": " + std::strerror(errno));
            continue;
        }
        sources_.push_back(std::make_unique<SourceFile>(path, std::move(*text), Origin::Tapset));
        table_.read(*sources_.back(), diagnostics_);
    }
    calls_ = std::make_unique<syscalls::Calls>(kernel_(table_), table_);
    return *calls_;
}

std::unique_ptr<AliasSource> SystemCalls::aliases() {
    return std::make_unique<SyscallAliases>(*this);
}

}  // namespace tapir::library
