// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/shell_completion.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "backend/launch.h"
#include "common/files.h"
#include "driver/language_host.h"
#include "driver/pipeline.h"
#include "driver/tapset_path.h"
#include "options/shell_words.h"
#include "target/cache_dir.h"

namespace tapir::driver {
namespace {

namespace fs = std::filesystem;

// The translator as far as it is needed to complete scripts; without a kernel it completes nothing.
class ScriptCompleter {
  public:
    explicit ScriptCompleter(const ShellCompletion &asked)
        : options_(options_of(asked, problems_)),
          backend_(choose_backend(options_, problems_)),
          state_(options_, *backend_, problems_) {
        target::FindOptions find;
        find.require_build_tree = false;
        for (const std::string &which : {asked.release, std::string()})
            if (!state_.kernel) state_.kernel = target::find_kernel(which, find, problems_);
        if (!state_.kernel) return;
        state_.tapset_files = tapset_files(state_, tapset_settings(state_));
        passes().front().run(state_);
        if (state_.library) host_ = std::make_unique<LanguageHost>(state_, std::vector<std::string>{});
    }

    // Whole texts that begin with `text`.
    std::vector<ShellWord> complete(const std::string &text) {
        std::vector<ShellWord> words = one_step(text);
        // The parts behind the only one are shown with it.
        if (words.size() == 1 && words[0].word.back() != '(' && words[0].word.back() != '"')
            for (ShellWord &more : one_step(words[0].word + "."))
                words.push_back(std::move(more));
        return words;
    }

  private:
    static Options options_of(const ShellCompletion &asked, Diagnostics &problems) {
        std::vector<std::string> words = {"--language-check"};
        for (const std::string &directory : asked.include_dirs)
            words.insert(words.end(), {"-I", directory});
        if (!asked.release.empty()) words.insert(words.end(), {"-r", asked.release});
        return parse_options(words, problems);
    }

    std::vector<ShellWord> one_step(const std::string &text) {
        std::vector<ShellWord> words;
        if (!host_) return words;
        const SourceFile script("", text, Origin::UserScript);
        const complete::Completer completer(host_->vocabulary(), host_->target_names());
        const complete::Completion found = completer.complete(script, text.size());
        const bool argument = found.begin > 0 && text[found.begin - 1] == '"';
        for (const complete::Suggestion &suggestion : found.names) {
            std::string help = suggestion.name.text.empty() ? suggestion.name.signature : suggestion.name.text;
            words.push_back({text.substr(0, found.begin) + suggestion.insert + (argument ? "\")" : ""),
                             help.substr(0, help.find('\n'))});
        }
        return words;
    }

    Diagnostics problems_;
    Options options_;
    std::unique_ptr<Backend> backend_;
    State state_;
    std::unique_ptr<LanguageHost> host_;
};

std::vector<ShellWord> script_words(const ShellCompletion &asked, std::string before) {
    std::vector<ShellWord> words;
    // A line of the answer has one word.
    if (asked.value.find('\n') != std::string::npos) return words;
    for (ShellWord &word : ScriptCompleter(asked).complete(before + asked.value))
        words.push_back({asked.prefix + word.word.substr(before.size()), std::move(word.help)});
    return words;
}

// Kernels that scripts can be built for.
std::vector<ShellWord> releases(const std::string &prefix) {
    std::set<std::string> names;
    std::error_code none;
    for (const auto &entry : fs::directory_iterator("/lib/modules", none))
        if (fs::exists(entry.path() / "build", none)) names.insert(entry.path().filename());
    for (const auto &entry : fs::directory_iterator(target::cache_dir() + "/kernels", none))
        if (fs::is_directory(entry.path() / "root", none) || fs::is_directory(entry.path() / "boot", none))
            names.insert(entry.path().filename());
    std::vector<ShellWord> words;
    for (const std::string &name : names)
        if (!name.starts_with('.')) words.push_back({prefix + name, ""});
    return words;
}

std::vector<ShellWord> processes(const std::string &prefix) {
    std::vector<ShellWord> words;
    std::error_code none;
    for (const auto &entry : fs::directory_iterator("/proc", none)) {
        const std::string id = entry.path().filename();
        if (!std::ranges::all_of(id, [](char c) { return c >= '0' && c <= '9'; })) continue;
        std::string name = read_file("/proc/" + id + "/comm").value_or("");
        words.push_back({prefix + id, name.substr(0, name.find('\n'))});
    }
    return words;
}

const char *fill_word(Fill fill) {
    switch (fill) {
        case Fill::Files:
            return "files";
        case Fill::Directories:
        case Fill::Releases:
            return "directories";
        case Fill::Commands:
            return "commands";
        case Fill::Hosts:
            return "hosts";
        case Fill::Points:
        case Fill::Script:
            return "open";
        default:
            return "words";
    }
}

std::string plain_line(std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
    return text;
}

}  // namespace

std::string shell_completion(const std::vector<std::string> &words) {
    ShellCompletion asked = complete_words(words, tool_path(data_root() + "/tools"));
    std::vector<ShellWord> more;
    if (asked.fill == Fill::Points) more = script_words(asked, "probe ");
    if (asked.fill == Fill::Script) more = script_words(asked, "");
    if (asked.fill == Fill::Releases) more = releases(asked.prefix);
    if (asked.fill == Fill::Processes) more = processes(asked.prefix);
    if (!words.empty()) keep_beginning(more, words.back());
    asked.words.insert(asked.words.end(), more.begin(), more.end());
    std::string lines = std::string(fill_word(asked.fill)) + "\t" + plain_line(asked.prefix) + "\n";
    for (const ShellWord &word : asked.words)
        lines += plain_line(word.word) + "\t" + plain_line(word.help) + "\n";
    return lines;
}

}  // namespace tapir::driver
