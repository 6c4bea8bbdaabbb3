// SPDX-License-Identifier: GPL-2.0-or-later
// The tapset library: which file defines which name, and those files parsed on demand.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "base/source.h"
#include "library/alias_source.h"
#include "library/tapset_index.h"
#include "syntax/parser.h"

namespace tapir::library {

// Parses one tapset file; null when it cannot. Reports errors with their place.
using ParseFile = std::function<std::unique_ptr<ast::File>(const SourceFile &, Diagnostics &)>;

class Library {
  public:
    // `index` says what is where; `parse` is called at most once per file.
    Library(Index index, ParseFile parse, Diagnostics &diagnostics);
    // The usual library: parses with `options`, privileged and with its own macros. Files see the script's arguments as
    // the script does.
    static std::unique_ptr<Library> open(Index index, syntax::ParseOptions options, Diagnostics &diagnostics);
    Library(const Library &) = delete;
    Library &operator=(const Library &) = delete;

    // Aliases besides those of the files.
    void add_aliases(std::unique_ptr<AliasSource> source) { alias_source_ = std::move(source); }

    // The macros of the .stpm files, each file read when one of its names is looked up. For
    // ParseOptions::library_macros.
    const syntax::MacroTable &macros() const { return macros_; }

    // Files that define a function of this name and any arity; parsed now if they were not yet. In index order.
    std::vector<ast::File *> with_function(std::string_view name);
    std::vector<ast::File *> with_global(std::string_view name);
    // Files with an alias that a probe point may mean: each component of the alias's name matches the point's
    // (wildcards and "**" in the point), which may go on after it.
    std::vector<ast::File *> with_alias(const ast::ProbePoint &point);
    enum class Names : unsigned char {
        OfWildcards,  // those that wildcards mean
        All,          // and further names of the same, and of what this kernel lacks
    };
    // Dotted names with this beginning of all aliases that such a point may mean the first component of, for "similar:"
    // lists.
    std::vector<std::string> alias_names(const ast::ProbePoint &point, std::string_view beginning,
                                         Names which = Names::OfWildcards);

    // For listings: every file, parsed.
    std::vector<ast::File *> all();
    // For listings: those that the source of aliases writes. `every`: also further names of what has one already.
    std::vector<ast::File *> written(bool every);

    // The directory that a file of the library is in, by precedence from 0; greater than all for files of no directory.
    size_t level(const ast::File &file) const;
    // Is it one of those that only give names which nothing else has (IndexOptions::other_directories)?
    bool fills_gaps(const ast::File &file) const { return of_others_.contains(&file); }

    const Index &index() const { return index_; }
    // Number of files parsed so far, those of macros included.
    size_t parsed() const { return files_.size() + macro_files_.size(); }

  private:
    ast::File *load(size_t number);
    std::unique_ptr<ast::File> load_of_others(const SourceFile &source);
    std::shared_ptr<const SourceFile> read(size_t number);
    void load_macros(const std::string &name, const syntax::ParseOptions &options);
    std::vector<ast::File *> load_all(const std::vector<size_t> &numbers);
    std::vector<std::string_view> written_roots(const ast::ProbePoint &point) const;
    ast::File *write(const std::string &dotted);

    Index index_;
    ParseFile parse_, parse_of_others_;
    Diagnostics &diagnostics_;
    struct Loaded {
        std::shared_ptr<const SourceFile> source;
        std::unique_ptr<ast::File> file;  // null: does not parse
    };
    std::map<size_t, Loaded> files_;
    std::map<const ast::File *, size_t> levels_;
    std::set<const ast::File *> of_others_;
    std::unique_ptr<AliasSource> alias_source_;  // may be null
    std::map<std::string, Loaded> written_;      // by dotted name
    syntax::MacroTable macros_;
    std::map<size_t, std::shared_ptr<const SourceFile>> macro_files_;
};

}  // namespace tapir::library
