// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/check_tools.h"

#include <glob.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "common/command_words.h"
#include "common/glyphs.h"
#include "common/run_program.h"
#include "tool/script.h"

namespace tapir::driver {
namespace {

// The words of an example that need no process and no program of the user's: those that the tool requires.
std::optional<std::vector<std::string>> example_words(const tool::Head &head) {
    for (const std::string &example : head.examples) {
        std::vector<std::string> words;
        if (!split_words(example, words) || words.empty()) continue;
        // Which process it is, and where the output goes, matters to no probe point.
        for (size_t i = 1; i + 1 < words.size();)
            if (words[i] == "-o" || (words[i] == "-p" && words[i + 1] == "PID"))
                words.erase(words.begin() + static_cast<std::ptrdiff_t>(i),
                            words.begin() + static_cast<std::ptrdiff_t>(i) + 2);
            else
                i++;
        const bool own = std::ranges::any_of(words, [](const std::string &word) {
            return word == "PID" || word.find("./") != std::string::npos || word.find("/opt/") != std::string::npos;
        });
        if (!own) return std::vector<std::string>(words.begin() + 1, words.end());
    }
    return std::nullopt;
}

// A path may be a pattern, as in a probe point.
bool is_there(const std::string &path) {
    glob_t found{};
    const bool any = glob(path.c_str(), GLOB_NOSORT, nullptr, &found) == 0;
    globfree(&found);
    return any;
}

// Why a tool cannot be checked without more words; "" if it can.
std::string lacking(const tool::Script &script, std::vector<std::string> &words) {
    const auto required = std::ranges::find_if(script.head.options, [](const auto &o) { return o.required; });
    if (required != script.head.options.end()) {
        std::optional<std::vector<std::string>> example;
        if (required->type == tool::Type::Points) example = example_words(script.head);
        if (!example) return "it wants a " + required->metavar + " of a program";
        words = *example;
    }
    for (const tool::Option &option : script.head.options)
        if (option.type == tool::Type::Path && option.rebuilds && !option.required && !option.initial.empty() &&
            !is_there(option.initial))
            return option.initial + " is not installed";
    if (script.head.takes_arguments) return "it wants the names of a program's variables";
    return "";
}

// The lines of pass 2 behind "# probes" that are not about variables.
size_t count_points(const std::string &dump) {
    size_t count = 0;
    const size_t begin = dump.find("# probes\n");
    for (size_t at = begin; at < dump.size();) {
        at = dump.find('\n', at);
        if (at == dump.npos || ++at >= dump.size()) break;
        count += dump[at] != ' ' && dump[at] != '#';
    }
    return count;
}

std::string first_complaint(const std::string &errors) {
    constexpr std::string_view kError = "semantic error: ";
    for (size_t at = 0; at < errors.size();) {
        const size_t end = std::min(errors.find('\n', at), errors.size());
        const std::string line = errors.substr(at, end - at);
        // The place follows, without the file, which the first complaint of the point names.
        if (line.starts_with(kError) && !line.starts_with("semantic error: while"))
            return line.substr(kError.size(), line.rfind(" at :") - kError.size());
        at = end + 1;
    }
    return errors.substr(0, errors.find('\n'));
}

ToolVerdict check(const tool::Script &script, const std::vector<std::string> &common) {
    ToolVerdict verdict{.name = script.head.name, .reason = {}};
    std::vector<std::string> words;
    verdict.reason = lacking(script, words);
    if (!verdict.reason.empty()) return verdict;
    Program program;
    program.argv = common;
    program.argv.push_back(script.path);
    program.argv.insert(program.argv.end(), words.begin(), words.end());
    // Servers would be asked once more for each tool.
    program.environment = environment_with({}, [](std::string_view name) { return name == "DEBUGINFOD_URLS"; });
    Collected dump, errors;
    program.output = Stream::collected(dump);
    program.errors = Stream::collected(errors);
    Outcome<Ending> ending = run_program(program);
    if (ending && !ending->good() && errors.text.find("which process? Name a program") != std::string::npos) {
        // Any program will do: the points are those of its libraries.
        program.argv.insert(program.argv.end() - static_cast<std::ptrdiff_t>(words.size()) - 1, {"-c", "/bin/true"});
        dump = errors = {};
        ending = run_program(program);
    }
    if (!ending) {
        verdict.reason = ending.fault().message();
        return verdict;
    }
    verdict.points = count_points(dump.text);
    if (ending->good()) {
        verdict.state = ToolVerdict::State::Resolved;
    } else if (errors.text.find("--core=FILE") != std::string::npos) {
        verdict.reason = "it looks at a process or core file, not at the kernel";
    } else if (errors.text.find(" has no debug information (") != std::string::npos) {
        // A program is stripped; that says nothing about the kernel.
        verdict.reason = first_complaint(errors.text);
    } else {
        verdict.state = ToolVerdict::State::Missing;
        verdict.reason = first_complaint(errors.text);
    }
    return verdict;
}

}  // namespace

std::vector<ToolVerdict> check_tools(const Options &options, const std::vector<std::string> &directories) {
    std::vector<std::string> common = {"/proc/self/exe", "-p2", "-w"};
    if (!options.release.empty()) common.insert(common.end(), {"-r", options.release});
    for (const std::string &directory : options.include_dirs)
        common.insert(common.end(), {"-I", directory});
    const auto tools = tool::list_tools(directories);
    std::vector<ToolVerdict> verdicts(tools.size());
    std::atomic<size_t> next = 0;
    const auto work = [&] {
        for (size_t i = next++; i < tools.size(); i = next++)
            verdicts[i] = check(*tools[i], common);
    };
    {
        std::vector<std::jthread> workers;
        for (unsigned i = std::max(std::thread::hardware_concurrency(), 1U); i > 0; --i)
            workers.emplace_back(work);
    }
    return verdicts;
}

std::string verdicts_text(const std::vector<ToolVerdict> &verdicts, const std::string &release) {
    std::string out;
    size_t width = 0, resolved = 0, missing = 0;
    for (const ToolVerdict &verdict : verdicts)
        width = std::max(width, columns(verdict.name));
    for (const ToolVerdict &verdict : verdicts) {
        out += verdict.name + std::string(width + 2 - columns(verdict.name), ' ');
        switch (verdict.state) {
            case ToolVerdict::State::Resolved:
                out += "ok, " + std::to_string(verdict.points) + (verdict.points == 1 ? " point" : " points");
                resolved++;
                break;
            case ToolVerdict::State::Missing:
                out += "MISSING: " + verdict.reason;
                missing++;
                break;
            case ToolVerdict::State::Unchecked:
                out += "not checked: " + verdict.reason;
                break;
        }
        out += "\n";
    }
    out += "\n" + std::to_string(verdicts.size()) + " tools on " + release + ": " + std::to_string(resolved) +
           " resolved, " + std::to_string(missing) + " with missing points, " +
           std::to_string(verdicts.size() - resolved - missing) + " not checked\n";
    return out;
}

}  // namespace tapir::driver
