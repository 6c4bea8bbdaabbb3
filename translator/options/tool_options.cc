// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/tool_options.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/help.h"
#include "options/named_targets.h"
#include "tool/about.h"
#include "tool/words.h"

namespace tapir::driver {
namespace {

// "90s" as stap's -T takes it, in seconds; "" if it is no time.
std::string seconds_of(const std::string &text) {
    tool::Option duration;
    duration.type = tool::Type::Duration;
    duration.unit = "ms";
    const bool has_unit = text.find_first_not_of("0123456789.") != std::string::npos;
    const Outcome<std::string> value = tool::read_value(duration, has_unit ? text : text + "s");
    if (!value) return {};
    const int64_t ms = std::strtoll(value->c_str(), nullptr, 10);
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%lld.%03lld", static_cast<long long>(ms / 1000),
                  static_cast<long long>(ms % 1000));
    return ms > 0 ? seconds : "";
}

class ToolWords {
  public:
    ToolWords(const ScriptWords &split, Options &options, Diagnostics &diagnostics)
        : head_(split.tool->head), options_(options), diagnostics_(diagnostics) {}

    KeyValues take(const std::vector<std::string> &words) {
        tool::GivenValues given;
        for (const NameValue &value : options_.option_values)
            given.emplace_back(value.name, value.value);
        tool::Words read = tool::read_words(head_, words, given, diagnostics_);
        if (read.ask != tool::Ask::Run) {
            options_.action = Action::About;
            options_.about = about(read);
            return {};
        }
        options_.script_args = std::move(read.arguments);
        set_values(read);
        // --vm and --remote may stand in front of the script, too.
        here_ = !options_.vm && options_.remote.empty() &&
                std::none_of(read.driver.begin(), read.driver.end(),
                             [](const auto &pair) { return pair.first == "vm" || pair.first == "remote"; });
        for (const auto &[name, value] : read.driver)
            take_driver(name, value);
        if (!targets_.empty()) set_targets();
        return std::move(result_);
    }

  private:
    void usage(std::string message, std::string help = {}) {
        add_help(diagnostics_.report(Tag::UsageError, std::move(message)), std::move(help));
    }

    std::string about(const tool::Words &read) const {
        switch (read.ask) {
            case tool::Ask::Man:
                return tool::man_text(head_, TAPIR_VERSION);
            case tool::Ask::Completion:
                return tool::completion_text(head_, read.shell);
            case tool::Ask::Describe:
                return tool::describe_text(head_);
            default:
                return tool::help_text(head_);
        }
    }

    void set_values(const tool::Words &read) {
        options_.option_values.clear();
        for (const auto &[name, value] : read.values) {
            const tool::Option *option = head_.find(name);
            options_.option_values.push_back({name, value});
            if (option->is_loaded()) options_.globals.push_back({name, value});
        }
    }

    void take_driver(const std::string &name, const std::string &value) {
        static constexpr std::pair<std::string_view, const char *> kSame[] = {{"command", "-c"},
                                                                              {"output", "-o"},
                                                                              {"verbose", "-v"},
                                                                              {"cgroup", "cgroup"},
                                                                              {"core", "core"},
                                                                              {"snapshot", "snapshot"},
                                                                              {"min-quality", "min-quality"},
                                                                              {"budget", "budget"},
                                                                              {"budget-file", "budget-file"},
                                                                              {"vm", "vm"},
                                                                              {"format", "format"},
                                                                              {"refresh", "refresh"},
                                                                              {"top", "top"},
                                                                              {"metrics", "metrics"},
                                                                              {"push", "push"},
                                                                              {"monitor", "monitor"},
                                                                              {"cost", "cost"},
                                                                              {"rates", "rates"},
                                                                              {"assume", "assume"},
                                                                              {"max-events", "max-events"},
                                                                              {"until", "until"},
                                                                              {"use-server", "use-server"},
                                                                              {"remote", "remote"}};
        for (const auto &[own, key] : kSame)
            if (name == own) result_.emplace_back(key, value);
        if (name == "duration") {
            const std::string seconds = seconds_of(value);
            if (!seconds.empty())
                result_.emplace_back("-T", seconds);
            else
                usage("Invalid value '" + value + "' for --duration: it should be a time such as 5, 90s or 10m.");
        }
        if (name == "pid") add_targets(processes_of(value, here_), "--pid");
        if (name == "exe" && is_here("--exe")) add_targets(processes_running(value), "--exe");
        if (name == "unit" && is_here("--unit")) add_cgroup(cgroup_of_unit(value), "--unit");
        if (name == "container" && is_here("--container")) add_cgroup(cgroup_of_container(value), "--container");
    }

    bool is_here(const char *option) {
        if (!here_)
            usage(std::string("The ") + option +
                  " option is for this machine, not for a guest (--vm) or another host (--remote).");
        return here_;
    }

    void add_targets(const Outcome<std::vector<int64_t>> &pids, const char *option) {
        if (!pids) {
            fault(pids.fault(), option);
            return;
        }
        for (const int64_t pid : *pids)
            if (std::find(targets_.begin(), targets_.end(), pid) == targets_.end()) targets_.push_back(pid);
    }

    void add_cgroup(const Outcome<std::string> &path, const char *option) {
        if (path)
            result_.emplace_back("cgroup", *path);
        else
            fault(path.fault(), option);
    }

    void fault(const Fault &fault, const char *option) {
        std::string text = fault.text;
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
        usage(text + " (" + option + ").", fault.hint);
    }

    // tapsets/target_set.stp has the others.
    void set_targets() {
        result_.emplace_back("-x", std::to_string(targets_.front()));
        std::string more;
        for (size_t i = 1; i < targets_.size(); ++i)
            more += (more.empty() ? "" : ",") + std::to_string(targets_[i]);
        if (!more.empty()) options_.globals.push_back({std::string(kMoreTargets), more});
    }

    const tool::Head &head_;
    Options &options_;
    Diagnostics &diagnostics_;
    KeyValues result_;
    std::vector<int64_t> targets_;
    bool here_ = true;
};

}  // namespace

KeyValues take_tool_words(const ScriptWords &split, Options &options, Diagnostics &diagnostics) {
    return ToolWords(split, options, diagnostics).take(split.words);
}

void list_tools(const ScriptWords &split, const std::vector<std::string> &directories, Options &options,
                Diagnostics &diagnostics) {
    if (!split.runs) {
        if (!options.tool_search.empty() || !options.tool_for.empty() || options.check_tools)
            diagnostics.report(Tag::UsageError,
                               "The --search, --list-for and --check-all options are for the list of "
                               "tools: stap run --search WORD.");
        return;
    }
    if (!split.name.empty()) {
        if (options.check_tools)
            diagnostics.report(Tag::UsageError, "The --check-all option is for all tools: stap run --check-all.");
        return;
    }
    if (options.check_tools) {
        options.action = Action::CheckTools;
        return;
    }
    std::vector<std::string> all = options.include_dirs;
    all.insert(all.end(), directories.begin(), directories.end());
    options.action = Action::About;
    if (!options.tool_for.empty()) {
        const std::string path = tool::find_tool(options.tool_for, all);
        const std::shared_ptr<const tool::Script> script =
            path.empty() ? nullptr : tool::load_script(path, diagnostics);
        options.tool = script;
        if (script)
            options.about =
                script->head.name + " - " + script->head.question + "\n  stap run " + script->head.name + " --help\n";
        else
            diagnostics.report(Tag::UsageError, "No tool takes the place of '" + options.tool_for + "' (--list-for).");
        return;
    }
    options.about = tool::list_text(tool::list_tools(all), options.tool_search, 80);
    if (options.about.empty())
        diagnostics.report(Tag::UsageError, options.tool_search.empty() ? "There are no tools in " + all.back() + "."
                                                                        : "No tool has '" + options.tool_search +
                                                                              "' in its name or question (--search).");
    else if (options.tool_search.empty())
        options.about += "\nstap run NAME --help says what one does; stap run --search WORD looks for one.\n";
}

}  // namespace tapir::driver
