// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/options.h"
#include "base/limits.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cctype>
#include <charconv>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include "base/help.h"
#include "base/option_error.h"
#include "common/command_text.h"
#include "common/files.h"
#include "common/percentage.h"
#include "common/quoting.h"
#include "module/module_name.h"
#include "options/interactive_options.h"
#include "options/live_options.h"
#include "options/option_conflicts.h"
#include "options/option_mistakes.h"
#include "options/option_table.h"
#include "options/script_words.h"
#include "options/sxx_options.h"
#include "options/tell.h"
#include "options/tool_options.h"

namespace tapir::driver {
namespace {

namespace po = boost::program_options;

// One parse of the command line: turns option by option into fields, reporting what is wrong with each.
class Parser {
  public:
    Parser(const std::vector<std::string> &args, const RcFile &rc, const std::vector<std::string> &tools,
           Diagnostics &diagnostics)
        : diagnostics_(diagnostics), rc_(rc), tools_(tools) {
        options_.raw = with_split_interpreter_line(args);
        make_flag_table();
        make_script_table();
        make_build_table();
        make_run_table();
        make_trigger_table();
        make_server_table();
        make_refused_table();
        table_.merge(interactive_handlers(options_));
        table_.merge(sxx_handlers(options_.sxx, [this](const Fault &wrong) { usage(wrong.text, wrong.hint); }));
    }

    Options parse() {
        bool good = true;
        for (const RcFile::Line &line : rc_.lines) {
            rc_line_ = &line;
            good = take_options(line.words) && good;
        }
        rc_line_ = nullptr;
        const size_t before = diagnostics_.error_count();
        const ScriptWords split = split_at_script(options_.raw, tools_, diagnostics_);
        // Messages about its head point into its text.
        options_.tool = split.tool;
        if (diagnostics_.error_count() != before || !take_options(with_sxx_arguments(split.own)) || !good)
            return options_;
        place_words();
        if (!take_tool(split)) return options_;
        settle_sxx(options_);
        if (options_.remote_build) become_build();
        check_conflicts();
        return options_;
    }

  private:
    void usage(std::string message, std::string advice = {}) {
        if (rc_line_ && message.ends_with('.')) message.pop_back();
        const SourceRef at = rc_line_ ? rc_.place(*rc_line_, token_) : SourceRef{};
        add_help(diagnostics_.report(Tag::UsageError, at, std::move(message)), std::move(advice));
    }

    void refuse(const std::string &complaint) {
        if (!complaint.empty()) usage(complaint);
    }

    void unknown_option(const std::vector<std::string> &words) {
        const auto typed = std::find_if(words.begin(), words.end(), [&](const std::string &word) {
            return word == token_ || word.starts_with(token_ + "=");
        });
        std::string script;
        try {
            for (const po::option &option : parse_words({words.begin(), typed}).options)
                if (option.string_key == "-e")
                    script = "-e 'SCRIPT'";
                else if (script.empty() && option.string_key == "word")
                    script = shell_word(option.value.front());
        } catch (const po::error &) {
        }
        usage("Unknown option '" + token_ + "'" + similar_options(token_) + ".",
              advice_for_option(token_, typed == words.end() ? token_ : *typed, script));
    }

    // False, with a report: they are no options.
    bool take_options(const std::vector<std::string> &words) {
        token_ = words.empty() ? "" : words.front();
        given_.clear();
        try {
            for (const po::option &option : parse_words(words).options) {
                token_ = option.original_tokens.empty() ? "" : option.original_tokens.front();
                take(option);
                if (rc_line_) check_rc_option();
            }
        } catch (const po::unknown_option &e) {
            token_ = e.get_option_name();
            token_.resize(std::min(token_.find('='), token_.size()));
            unknown_option(words);
            return false;
        } catch (const po::error &e) {
            std::string what = option_error_text(e);
            if (!what.empty()) what[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(what[0])));
            usage(what + ".");
            return false;
        }
        return true;
    }

    // Refuses tasks and scripts in the rc file: they belong on the command line.
    void check_rc_option() {
        if (words_.empty() && options_.action == Action::Script && !options_.script_text) return;
        usage(words_.empty() ? "This option is for a command line: here it would change what every command does"
                             : "Expected an option");
        words_.clear();
        options_.action = Action::Script;
        options_.script_text.reset();
        options_.list_pattern.reset();
    }

    void take(const po::option &option) {
        std::string value = option.value.empty() ? "" : option.value.front();
        if (option.position_key >= 0 || option.string_key == "word") {
            words_.push_back(value);
            return;
        }
        const std::optional<std::string> once = why_not_twice(option.string_key);
        const auto [first, is_new] = given_.try_emplace(option.string_key, value);
        if (once && !is_new && first->second != value) {
            const std::string name = option.string_key.starts_with('-') ? option.string_key : "--" + option.string_key;
            usage("Option " + name + " is given twice, with '" + first->second + "' and '" + value + "'.", *once);
        }
        auto handler = table_.find(option.string_key);
        if (handler != table_.end()) handler->second(value);
    }

    void on(const char *name, std::function<void(const std::string &)> handler) { table_[name] = std::move(handler); }
    void flag(const char *name, bool &field) {
        on(name, [&field](const std::string &) { field = true; });
    }
    void text(const char *name, std::string &field) {
        on(name, [&field](const std::string &v) { field = v; });
    }
    void path(const char *name, std::string &field, const char *what) {
        on(name, [this, &field, name, what](const std::string &v) {
            field = v;
            if (v.empty()) usage(std::string("The path of the ") + what + " is empty (--" + name + ").");
        });
    }
    void append(const char *name, std::vector<std::string> &field) {
        on(name, [&field](const std::string &v) { field.push_back(v); });
    }

    void make_flag_table() {
        Options &o = options_;
        flag("-k", o.keep_temporary);
        flag("-w", o.suppress_warnings);
        flag("-W", o.warnings_as_errors);
        flag("-g", o.guru);
        flag("-u", o.unoptimized);
        flag("suppress-handler-errors", o.suppress_handler_errors);
        flag("-t", o.timing);
        flag("-b", o.bulk);
        flag("mangled", o.mangled);
        flag("-F", o.load_and_detach);
        for (const auto &[name, action] : action_options())
            on(name, [&o, action = action](const std::string &) { o.action = action; });
        flag("check-version", o.check_version);
        flag("skip-badvars", o.skip_badvars);
        on("-P", [&o](const std::string &) { o.prologue = "always"; });
        on("prologue-searching", [this](const std::string &v) { take_prologue(v); });
        flag("semantic-keep-going", o.semantic_keep_going);
        flag("suppress-time-limits", o.suppress_time_limits);
        flag("json", o.json);
        on("disable-cache", [&o](const std::string &) { o.cache = CacheMode::Disable; });
        on("poison-cache", [&o](const std::string &) { o.cache = CacheMode::Poison; });
        on("units", [&o](const std::string &) { o.defines.push_back({"HIST_UNITS", "1"}); });
        on("no-global-var-display", [&o](const std::string &) { o.autoprint = false; });
        on("-v", [&o](const std::string &) {
            for (int pass = 1; pass <= 5; ++pass)
                ++o.verbosity[pass];
        });
    }

    void make_script_table() {
        Options &o = options_;
        on("compatible", [this](const std::string &v) { take_version(v); });
        append("-E", o.additional_text);
        append("-I", o.include_dirs);
        append("dump-after", o.dump_after);
        on("color", [this](const std::string &v) { take_color(v); });
        on("colour", [this](const std::string &v) { take_color(v); });
        on("-p", [this](const std::string &v) {
            if (!number(v, options_.last_pass) || options_.last_pass < 1 || options_.last_pass > 5)
                usage("Invalid pass number (should be 1-5).");
        });
        on("vp", [this](const std::string &v) { take_pass_verbosity(v); });
        on("-e", [this](const std::string &v) {
            if (options_.script_text) usage("Only one -e script may be given; use -E for more.");
            options_.script_text = v;
        });
        on("-l", [this](const std::string &v) { take_list(v, Action::List); });
        on("-L", [this](const std::string &v) { take_list(v, Action::ListVariables); });
        on("-D", [this](const std::string &v) { take_define(v); });
        on("array-size-max", [this](const std::string &v) {
            int64_t most = 0;
            if (!number(v, most) || most < 1 || most > INT32_MAX)
                usage("Invalid value '" + v + "' for --array-size-max (should be 1-" + std::to_string(INT32_MAX) +
                      ").");
            options_.array_size_max = most;
        });
        flag("cost", o.cost);
        text("rates", o.rates);
        on("assume", [this](const std::string &v) {
            if (const Outcome<void> good = cost::assume(v, options_.assumed); !good)
                usage(good.fault().text + ".", good.fault().hint);
        });
        text("search", o.tool_search);
        text("list-for", o.tool_for);
        flag("check-all", o.check_tools);
        on("option", [this](const std::string &v) { take_option_value(v); });
        on("-G", [this](const std::string &v) { take_pair(v, "-G", options_.globals); });
        on("runtime", [this](const std::string &v) {
            options_.runtime = v;
            if (v != "kernel" && v != "process")
                usage("The runtime '" + v +
                      "' is not supported: scripts run in the kernel, or in a process (--core, --snapshot).");
        });
    }

    void make_build_table() {
        Options &o = options_;
        text("-r", o.release);
        append("-B", o.kbuild);
        on("modinfo", [this](const std::string &v) { take_pair(v, "--modinfo", options_.modinfo); });
        on("-m", [this](const std::string &v) { take_module_name(v); });
        on("bundle", [&o](const std::string &v) { o.bundle = true, o.bundle_file = v == "default" ? "" : v; });
        text("sign-key", o.sign.key);
        text("sign-certificate", o.sign.certificate);
        text("sign-passphrase-file", o.sign.passphrase_file);
        text("tmpdir", o.tmpdir);
        static constexpr std::pair<const char *, int> kResources[] = {{"rlimit-as", RLIMIT_AS},
                                                                      {"rlimit-cpu", RLIMIT_CPU},
                                                                      {"rlimit-nproc", RLIMIT_NPROC},
                                                                      {"rlimit-stack", RLIMIT_STACK},
                                                                      {"rlimit-fsize", RLIMIT_FSIZE}};
        for (const auto &[name, resource] : kResources)
            on(name, [this, name = name, resource = resource](const std::string &v) {
                uint64_t limit = 0;
                if (!number(v, limit)) usage("Invalid value '" + v + "' for --" + name + " (should be a number).");
                options_.resource_limits.emplace_back(resource, limit);
            });
    }

    void make_trigger_table() {
        on("max-events", [this](const std::string &v) {
            uint32_t events = 0;
            if (!number(v, events) || events < 1)
                usage("Invalid number '" + v + "' for --max-events (should be 1 or more).");
            // tapsets/trigger.stp defines it, and the next.
            options_.globals.push_back({"__trigger_most", v});
        });
        on("until", [this](const std::string &v) {
            if (v.empty()) usage("The name of the trigger is empty (--until).");
            options_.until = v;
            options_.globals.push_back({"__trigger_until", v});
        });
    }

    void make_run_table() {
        Options &o = options_;
        text("-o", o.output);
        text("format", o.format);
        on("refresh", [this](const std::string &v) { refuse(take_refresh(v, options_.live)); });
        on("top", [this](const std::string &v) { refuse(take_top(v, options_.live)); });
        flag("metrics", o.live.metrics);
        on("push", [this](const std::string &v) { refuse(take_push(v, options_.live)); });
        on("monitor", [this](const std::string &v) { refuse(take_monitor(v, options_.live)); });
        text("-c", o.command);
        path("core", o.core, "core file");
        on("max-core-size", [this](const std::string &v) {
            if (!number(v, options_.max_core_gb) || options_.max_core_gb < 1 || options_.max_core_gb > 1 << 20)
                usage("Invalid size '" + v + "' for --max-core-size (should be 1-1048576).");
        });
        on("snapshot", [this](const std::string &v) {
            options_.snapshot = v;
            if (v != "stop" && v != "run") usage("Invalid value '" + v + "' for --snapshot (should be stop or run).");
        });
        text("sysroot", o.sysroot);
        text("exec", o.program);
        text("ledger", o.ledger);
        path("budget-file", o.budget_file, "file");
        text("record", o.record);
        text("delay", o.delay);
        text("from", o.from);
        text("min-quality", o.min_quality);
        flag("accept-partial", o.accept_partial);
        on("own", [this](const std::string &v) { options_.own.push_back(v); });
        on("-x", [this](const std::string &v) { take_process(v, "-x", options_.target_pid); });
        on("target-namespaces",
           [this](const std::string &v) { take_process(v, "--target-namespaces", options_.namespaces_pid); });
        path("cgroup", o.cgroup, "control group");
        on("-T", [this](const std::string &v) { take_timeout(v); });
        on("-s", [this](const std::string &v) {
            if (!number(v, options_.buffer_mb) || options_.buffer_mb < 1 || options_.buffer_mb > 4095)
                usage("Invalid buffer size '" + v + "' (should be 1-4095).");
        });
        on("stack-memory", [this](const std::string &v) {
            if (!number(v, options_.stack_mb) || options_.stack_mb < 1 || options_.stack_mb > 1024)
                usage("Invalid size '" + v + "' for --stack-memory (should be 1-1024).");
        });
        on("budget", [this](const std::string &v) {
            if (!hundredths_of_percent(options_.budget = v))
                usage("Invalid value '" + v +
                      "' for --budget (should be a percentage such as 5 or 0.5%, 0.01 to 100).");
        });
        on("on-overload", [this](const std::string &v) { take_overload(v); });
        on("times", [this](const std::string &v) {
            uint32_t megabytes = 0;
            if (!number(v, megabytes) || megabytes < 1 || megabytes > 1024)
                usage("Invalid size '" + v + "' for --times (should be 1-1024).");
            // tapsets/flame.stp defines it.
            options_.globals.push_back({"__sample_times", v});
        });
        on("-S", [this](const std::string &v) { take_rotation(v); });
        on("remote", [this](const std::string &v) {
            if (const auto added = remote::add_hosts(v, options_.remote); !added)
                usage(added.fault().message() + " (--remote).");
        });
        flag("remote-prefix", o.remote_prefix), flag("merge", o.merge);
        append("remote-ssh-option", o.remote_ssh_options);
        text("remote-ssh", o.remote_ssh);
        size("remote-width", o.remote_width, 1, 1000), size("remote-deadline", o.remote_deadline, 1, 1 << 30);
        on("remote-build",
           [&o](const std::string &v) { o.remote_build = true, o.remote_build_id = v == "unknown" ? "" : v; });
        on("vm", [&o](const std::string &v) { o.vm = true, o.vm_release = v == "default" ? "" : v; });
        on("vm-shell",
           [&o](const std::string &v) { o.action = Action::VmShell, o.vm_release = v == "default" ? "" : v; });
        size("vm-cpus", o.vm_cpus, 1, 64), size("vm-timeout", o.vm_timeout_s, 1, 1 << 30);
        size("vm-memory", o.vm_memory_mb, 256, 1 << 20);
    }

    void make_server_table() {
        client::Settings &server = options_.server;
        on("use-server", [this](const std::string &v) { take_server(v); });
        text("server-ca", server.authority);
        text("server-certificate", server.certificate);
        text("server-key", server.key);
        text("server-token", server.token_file);
    }

    void make_refused_table() {
        for (const RefusedOption &refused : refused_options()) {
            std::string shown = (refused.name.size() == 1 ? "-" : "--") + std::string(refused.name);
            // Boost knows a short option by its name with the dash.
            std::string key = refused.name.size() == 1 ? shown : std::string(refused.name);
            on(key.c_str(), [this, shown, why = refused.why](const std::string &) {
                usage("The option " + shown + " is not supported: " + std::string(why) + ".");
            });
        }
    }

    template <typename T>
    static bool number(const std::string &text, T &value) {
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        return error == std::errc() && end == text.data() + text.size() && !text.empty();
    }

    void size(const char *key, uint32_t &field, uint32_t low, uint32_t high) {
        on(key, [=, this, &field](const std::string &value) {
            if (!number(value, field) || field < low || field > high)
                usage("Invalid value '" + value + "' for --" + key + " (should be " + std::to_string(low) + "-" +
                      std::to_string(high) + ").");
        });
    }

    void take_overload(const std::string &value) {
        uint32_t percent = 0;
        const bool share =
            value.starts_with("stop:") && number(value.substr(5), percent) && percent >= 1 && percent <= 100;
        if (value != "warn" && value != "stop" && !share)
            usage("Invalid value '" + value + "' for --on-overload (should be warn, stop, or stop:1 to stop:100).");
        options_.on_overload = value;
    }

    void take_process(const std::string &value, const char *option, int64_t &field) {
        if (!number(value, field) || field < 1)
            usage("Invalid process ID '" + value + "' (" + std::string(option) + ").",
                  advice_for_process(option, value));
    }

    // Dotted numbers, not newer than what this translator implements.
    void take_version(const std::string &value) {
        bool valid = !value.empty() && std::isdigit(static_cast<unsigned char>(value.front())) &&
                     std::isdigit(static_cast<unsigned char>(value.back())) &&
                     value.find_first_not_of("0123456789.") == std::string::npos &&
                     value.find("..") == std::string::npos;
        if (!valid)
            usage("Invalid version '" + value + "' for --compatible (should be numbers with dots).");
        else if (strverscmp(value.c_str(), kLanguageVersion) > 0)
            usage("Cannot be compatible with version " + value + " (--compatible): this is version " +
                  kLanguageVersion + " of the language.");
        options_.compatible = value;
    }

    void take_color(const std::string &value) {
        if (value != "never" && value != "always" && value != "auto")
            usage("Invalid argument '" + value + "' for --color (should be never, always or auto).");
        options_.color_when = value;
    }

    void take_prologue(const std::string &value) {
        if (value != "never" && value != "always" && value != "auto")
            usage("Invalid argument '" + value + "' for --prologue-searching (should be never, always or auto).");
        options_.prologue = value;
    }

    void take_pass_verbosity(const std::string &value) {
        if (value.empty() || value.size() > 5 || value.find_first_not_of("0123456789") != std::string::npos) {
            usage("Invalid --vp argument '" + value + "' (should be one to five digits).");
            return;
        }
        for (size_t i = 0; i < value.size(); ++i)
            options_.verbosity[i + 1] += value[i] - '0';
    }

    void take_server(const std::string &value) {
        options_.use_server = true;
        if (value == "default") return;
        Outcome<std::string> url = client::parse_url(value);
        if (url)
            options_.server.url = std::move(*url);
        else
            usage(url.fault().message() + " (--use-server).");
    }

    void take_list(const std::string &value, Action action) {
        if (options_.list_pattern) usage("Only one of -l and -L may be given, once.");
        options_.action = action;
        options_.list_pattern = value;
    }

    static bool is_name(const std::string &name) {
        if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return false;
        return std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
    }

    static NameValue split(const std::string &text) {
        size_t equal = text.find('=');
        if (equal == std::string::npos) return {text, ""};
        return {text.substr(0, equal), text.substr(equal + 1)};
    }

    void take_define(const std::string &value) {
        NameValue pair = split(value);
        bool has_value = value.find('=') != std::string::npos;
        std::string digits = pair.value.starts_with('-') ? pair.value.substr(1) : pair.value;
        bool word =
            std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
        if (!is_name(pair.name) || !word || (has_value && digits.empty()))
            usage("Invalid macro definition '" + value + "' (should be NAME or NAME=VALUE).");
        if (!has_value) pair.value = "1";
        if (const Limit *limit = find_limit(pair.name))
            if (const std::string why = why_no_value(*limit, pair.value); !why.empty())
                usage("Invalid value of -D " + value + ": " + why + ".");
        options_.defines.push_back(pair);
    }

    void take_pair(const std::string &value, const char *option, std::vector<NameValue> &field) {
        NameValue pair = split(value);
        if (!is_name(pair.name) || value.find('=') == std::string::npos)
            usage(std::string("Invalid ") + option + " argument '" + value + "' (should be NAME=VALUE).");
        field.push_back(pair);
    }

    // Names of a script's options have dashes, too.
    void take_option_value(const std::string &value) {
        const NameValue pair = split(value);
        if (pair.name.empty() || value.find('=') == std::string::npos)
            usage("Invalid --option argument '" + value + "' (should be NAME=VALUE).");
        options_.option_values.push_back(pair);
    }

    void take_module_name(std::string value) {
        if (value.ends_with(".ko")) value.resize(value.size() - 3);
        if (!is_module_name(value))
            usage("Invalid module name '" + value + "' (should be " + std::string(kModuleNameRule) + ").");
        options_.module_name = value;
    }

    void take_timeout(const std::string &value) {
        double seconds = 0;
        if (!number(value, seconds) || !(seconds > 0) || seconds > 1e9)
            usage("Invalid timeout '" + value + "' (should be a positive number of seconds).",
                  advice_for_seconds(value));
        options_.timeout = value;
    }

    void take_rotation(const std::string &value) {
        size_t comma = value.find(',');
        uint32_t size = 0, count = 1;
        bool valid = number(value.substr(0, comma), size) && size >= 1;
        if (comma != std::string::npos) valid = valid && number(value.substr(comma + 1), count) && count >= 1;
        if (!valid) usage("Invalid file size argument '" + value + "' (should be MB or MB,N).");
        options_.rotate = value;
    }

    void place_words() {
        bool needs_file = options_.action == Action::Script && !options_.script_text;
        if (needs_file && !words_.empty()) {
            options_.script_file = words_.front();
            words_.erase(words_.begin());
        }
        options_.script_args = words_;
        options_.verbosity[0] = *std::min_element(options_.verbosity + 1, options_.verbosity + 6);
    }

    // False if there is nothing more to check: the tool says something of itself, or its words are wrong.
    bool take_tool(const ScriptWords &split) {
        list_tools(split, tools_, options_, diagnostics_);
        if (options_.action == Action::Script && split.tool) {
            if (!options_.script_text) options_.script_file = split.tool->path;
            for (const auto &[key, value] : take_tool_words(split, options_, diagnostics_))
                table_.at(key)(value);
        } else {
            if (split.tool) options_.tool = nullptr;
            if (!options_.option_values.empty())
                usage("The --option option is for scripts that declare options, with @option.");
        }
        return options_.action != Action::About && options_.action != Action::CheckTools && !diagnostics_.has_errors();
    }

    // The same command line once more, for one of the hosts' kernels. A process of that host is none of this machine.
    void become_build() {
        options_.remote.clear();
        options_.last_pass = 4;
        options_.target_pid = 0;
    }

    void check_conflicts() {
        for (const std::string &conflict : conflicts(options_, {!words_.empty(), given_.contains("sign-key")}))
            usage(conflict);
        if (options_.sign.key == "none") options_.sign.key.clear();
    }

    Diagnostics &diagnostics_;
    const RcFile &rc_;
    const std::vector<std::string> &tools_;
    const RcFile::Line *rc_line_ = nullptr;     // where the options come from; null: the command line
    std::string token_;                         // the option that is taken
    std::map<std::string, std::string> given_;  // with the first value of each
    Options options_;
    std::vector<std::string> words_;
    std::map<std::string, std::function<void(const std::string &)>> table_;
};

}  // namespace

Options parse_options(const std::vector<std::string> &args, Diagnostics &diagnostics, const RcFile &rc,
                      const std::vector<std::string> &tools) {
    Options options = Parser(args, rc, tools, diagnostics).parse();
    options.screen = choose_screen(options);
    return options;
}

std::string version_text() {
    return std::string("Tapir ") + TAPIR_VERSION + ", an implementation of the SystemTap language, version " +
           kLanguageVersion + ".\nLicence: GPL-2.0-or-later. There is no warranty, as far as the law allows.\n";
}

}  // namespace tapir::driver
