// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/sxx_script.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/help.h"
#include "base/name_patterns.h"
#include "common/files.h"
#include "common/regular_file.h"
#include "driver/sxx_values.h"
#include "options/option_mistakes.h"
#include "sxx/expand.h"

namespace tapir::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".sxx";

std::string joined(const std::vector<std::string> &words) {
    std::string list;
    for (const std::string &word : words)
        list += (list.empty() ? "" : ", ") + word;
    return list;
}

// The files of @use.
class Libraries {
  public:
    explicit Libraries(const Options &options) : directories_(options.include_dirs) {
        struct stat here = {};
        // Their C is trusted like that of other tapsets: it must not be another user's.
        open_to_others_ = stat(".", &here) == 0 && (here.st_mode & S_IWOTH) != 0;
        if (!open_to_others_) directories_.emplace_back(".");
        if (const char *list = std::getenv("SXX_PATH")) {
            std::istringstream names(list);
            for (std::string name; std::getline(names, name, ':');)
                if (!name.empty()) directories_.push_back(name);
        }
        // The samples of stap++ lie beside its libraries.
        if (options.script_file && *options.script_file != "-")
            directories_.push_back((fs::path(*options.script_file).parent_path() / "../tapset").string());
    }

    std::shared_ptr<const SourceFile> find(const std::string &name) {
        for (const std::string &directory : directories_) {
            const std::string path = (directory == "." ? "" : directory + "/") + relative(name);
            if (!is_file(path)) continue;
            std::string text;
            const int error = read_file(path.c_str(), kMaxText, text);
            if (!error) return std::make_shared<SourceFile>(path, std::move(text), Origin::Tapset);
            problem_ = "cannot read " + path + ": " + file_error(error);
            return nullptr;
        }
        return nullptr;
    }

    std::string advise(const std::string &name) {
        if (!problem_.empty()) return std::exchange(problem_, "");
        std::vector<std::string> there;
        const fs::path parent = fs::path(relative(name)).parent_path();
        const std::string prefix = name.substr(0, name.rfind('.') + 1);
        for (const std::string &directory : directories_) {
            std::error_code error;
            for (fs::directory_iterator at(directory / parent, error), end; !error && at != end; at.increment(error))
                if (at->path().extension() == kEnding) there.push_back(prefix + at->path().stem().string());
        }
        std::sort(there.begin(), there.end());
        there.erase(std::unique(there.begin(), there.end()), there.end());
        const std::vector<std::string> near = similar_names(name, there, 3);
        if (!near.empty()) return "similar: " + joined(near);
        const std::string searched = joined(directories_);
        return "it would be a file " + relative(name) + " in " + searched +
               "; -I DIR and the variable SXX_PATH add more" +
               (open_to_others_ ? "; the working directory is left out, since everyone can write there" : "");
    }

  private:
    static std::string relative(std::string name) {
        std::replace(name.begin(), name.end(), '.', '/');
        return name + std::string(kEnding);
    }

    std::vector<std::string> directories_;
    bool open_to_others_ = false;
    std::string problem_;  // of the last file that was found
};

// Arguments that the script does not ask for: stap++ warns, and an option may be a misspelt one of stap's.
void check_arguments(const sxx::Expander &expander, const std::vector<SxxArgument> &given, Diagnostics &diagnostics) {
    std::vector<std::string> names;
    for (const auto &[name, value] : expander.arguments())
        names.push_back(name);
    for (const SxxArgument &argument : given) {
        if (expander.arguments().contains(argument.name)) continue;
        const std::vector<std::string> near = similar_names(argument.name, names, 3);
        const std::string help = names.empty() ? "the script takes no arguments"
                                               : "the script takes: " + joined(names) + " (--args has their defaults)";
        if (argument.given_as.starts_with("--arg ")) {
            add_help(
                diagnostics.report(Tag::SxxArgumentUnused, "the script does not use the argument '" + argument.name +
                                                               "' (" + argument.given_as + ")" + similar_text(near)),
                help);
            continue;
        }
        const std::string option = argument.given_as.substr(0, argument.given_as.find('='));
        add_help(diagnostics.report(Tag::SxxArgumentUnknown,
                                    "neither the script nor stap knows the option " + option +
                                        (near.empty() ? similar_options(option) : similar_text(near)) + "."),
                 help);
    }
}

}  // namespace

std::optional<std::string> expand_sxx(State &state) {
    const Options &options = state.options;
    SxxValues values = sxx_values(options, state.diagnostics);
    if (state.diagnostics.has_errors()) return std::nullopt;
    Libraries libraries(options);
    sxx::Settings settings;
    settings.values = std::move(values.values);
    settings.mapped = std::move(values.mapped);
    settings.find = [&](const std::string &name) { return libraries.find(name); };
    settings.advise = [&](const std::string &name) { return libraries.advise(name); };
    settings.only_arguments = options.sxx.list_arguments;
    sxx::Expander expander(std::move(settings), state.diagnostics);
    state.sources.front() = expander.expand(std::shared_ptr<const SourceFile>(std::move(state.sources.front())));
    // Messages point into them.
    state.used_files = expander.files();
    for (const sxx::UsedLibrary &library : expander.libraries())
        state.used_texts.push_back(library.text);
    if (options.sxx.list_arguments) return sxx::argument_list(expander.arguments());
    if (!state.diagnostics.has_errors()) check_arguments(expander, options.sxx.arguments, state.diagnostics);
    if (options.sxx.dump) return std::string(state.sources.front()->text());
    return std::nullopt;
}

}  // namespace tapir::driver
