// SPDX-License-Identifier: GPL-2.0-or-later
// Runs passes 1 and 2 over scripts given as text.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "library/library.h"
#include "resolve/elaborate.h"
#include "syntax/parser.h"

namespace tapir::resolve {

using Tapsets = std::map<std::string, std::string>;  // file name -> text

// A script, a tapset directory with the given files, and a kernel with the given functions.
class Pass2 {
  public:
    explicit Pass2(const Tapsets &tapsets = {}) {
        std::string pattern = std::filesystem::temp_directory_path() / "tapir-pass2-XXXXXX";
        if (!mkdtemp(pattern.data())) ADD_FAILURE() << "no temporary directory";
        directory_ = pattern;
        for (const auto &[name, text] : tapsets)
            std::ofstream(directory_ / name) << text;
        library::IndexOptions index;
        index.directories = {directory_};
        library_ = library::Library::open(library::Index::build(index), {}, diagnostics);
        options.symbols = &symbols;
    }
    ~Pass2() { std::filesystem::remove_all(directory_); }
    Pass2(const Pass2 &) = delete;
    Pass2 &operator=(const Pass2 &) = delete;

    std::unique_ptr<ast::File> parse(const std::string &text) {
        sources_.push_back(std::make_unique<SourceFile>("<input>", text, Origin::UserScript));
        syntax::ParseOptions parse;
        parse.guru = options.guru;
        parse.library_macros = &library_->macros();
        return syntax::parse(*sources_.back(), parse, diagnostics);
    }

    Program &elaborate(const std::vector<std::string> &texts) {
        std::vector<std::unique_ptr<ast::File>> files;
        for (const std::string &text : texts)
            files.push_back(parse(text));
        program = resolve::elaborate(std::move(files), *library_, options, diagnostics);
        return *program;
    }

    // The reported diagnostics, with the tapset directory as DIR.
    std::string reported() const {
        std::string text = render_all(diagnostics, false);
        for (size_t at; (at = text.find(directory_.string())) != std::string::npos;) {
            text.replace(at, directory_.string().size(), "DIR");
        }
        return text;
    }

    library::Library &library() { return *library_; }

    Diagnostics diagnostics;
    target::Symbols symbols = target::Symbols::of({"vfs_read", "vfs_write", "vfs_open", "do_exit"});
    ElaborateOptions options;
    std::unique_ptr<Program> program;

  private:
    std::filesystem::path directory_;
    std::unique_ptr<library::Library> library_;
    std::vector<std::unique_ptr<SourceFile>> sources_;
};

// The messages of pass 2 up to names for a script.
inline std::string diagnose(const std::string &text, const Tapsets &tapsets = {}) {
    Pass2 pass(tapsets);
    pass.elaborate({text});
    return pass.reported();
}

}  // namespace tapir::resolve
