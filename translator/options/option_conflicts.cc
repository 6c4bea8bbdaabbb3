// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/option_conflicts.h"

#include <algorithm>
#include <iterator>

#include "options/cost_options.h"
#include "options/interactive_options.h"
#include "options/live_options.h"
#include "options/output_format.h"
#include "options/picture_options.h"
#include "options/still_options.h"
#include "options/sxx_options.h"

namespace tapir::driver {
namespace {

class Conflicts {
  public:
    Conflicts(const Options &options, const CommandLine &command_line) : o(options), line(command_line) {}

    std::vector<std::string> find() {
        if (!o.remote_build) find_remote();
        find_server();
        for (auto *more : {still_conflicts, picture_conflicts, sxx_conflicts, format_conflicts, live_conflicts,
                           cost_conflicts, interactive_conflicts})
            for (std::string &conflict : more(o))
                add(std::move(conflict));
        find_scripts();
        find_others();
        return std::move(found_);
    }

  private:
    void add(std::string conflict) { found_.push_back(std::move(conflict)); }

    void find_server() {
        const client::Settings &server = o.server;
        if (!o.use_server) {
            if (!server.authority.empty() || !server.certificate.empty() || !server.key.empty() ||
                !server.token_file.empty())
                add("The --server-... options are for --use-server.");
            return;
        }
        if (o.action != Action::Script)
            add("Only scripts can be sent to a build server (--use-server); lists are of this machine.");
        if (!o.release.empty() && o.release.find('/') != std::string::npos)
            add("A build server (--use-server) has its own kernels: -r takes a release, not a directory.");
        if (!o.kbuild.empty() || !o.modinfo.empty() || o.keep_temporary || !o.dump_after.empty())
            add("The options -B, --modinfo, -k and --dump-after cannot be used with --use-server.");
        if (o.array_size_max)
            add("The server bounds the sizes of arrays: --array-size-max has no use with --use-server.");
        if (!server.certificate.empty() && server.key.empty())
            add("A certificate (--server-certificate) needs its private key (--server-key).");
    }

    void find_remote() {
        if (o.remote.empty()) {
            if (o.remote_prefix || !o.remote_ssh_options.empty() || o.remote_ssh != "ssh" ||
                o.remote_width != Options().remote_width || o.remote_deadline)
                add("The --remote-... options are for --remote.");
            if (o.merge) add("The --merge option is for --remote: it adds up what several hosts tell.");
            return;
        }
        if (o.merge && (o.action != Action::Script || o.remote_prefix))
            add("The --merge option is for scripts, and not for --remote-prefix: the report is of all hosts.");
        if (o.action != Action::Script && o.action != Action::Doctor)
            add("Only scripts and --doctor can be sent to other hosts (--remote).");
        if (o.vm) add("The --remote and --vm options exclude each other.");
        if (!o.release.empty()) add("The -r option has no use with --remote: each host has its kernel.");
        if (o.last_pass != 5) add("The -p option has no use with --remote; name a kernel with -r instead.");
        if (o.bulk || !o.rotate.empty() || o.load_and_detach || !o.ledger.empty())
            add("The options -b, -S, -F and --ledger cannot be used with --remote: nothing stays on the hosts.");
        if (keeps_samples(o) && !o.merge)
            add("Captures and pictures of samples (--record, -o FILE.html, FILE.svg and the like) cannot be used with "
                "--remote: run stap on the host, or add up all hosts with --merge.");
        if (o.json) add("The --json option is for this machine, not for other hosts (--remote).");
        if (!o.dump_after.empty()) add("The --dump-after option cannot be used with --remote.");
        if (o.remote_ssh.empty()) add("The name of the program is empty (--remote-ssh).");
    }

    static bool is_dump(Action action) {
        return action == Action::DumpFunctions || action == Action::DumpAliases || action == Action::DumpProbeTypes;
    }

    void find_scripts() {
        if (o.action == Action::Script && !o.script_file && !o.script_text && o.additional_text.empty())
            add("A script must be specified.");
        if (is_dump(o.action) && (o.script_text || !o.additional_text.empty() || line.has_words))
            add("Cannot specify a script with --dump-functions, --dump-probe-aliases or --dump-probe-types.");
        if (o.action == Action::Doctor && (o.script_text || line.has_words || !o.additional_text.empty()))
            add("Cannot specify a script with --doctor.");
    }

    void find_others() {
        if (o.sign.key.empty() && line.has_sign_key) add("The path of the key is empty (--sign-key).");
        if (o.sign.key.empty() && !(o.sign.certificate + o.sign.passphrase_file).empty())
            add("The options --sign-certificate and --sign-passphrase-file belong to a key (--sign-key).");
        if (o.json && o.action != Action::Doctor) add("The --json option is for --doctor.");
        if (o.json && o.vm) add("The --json option is for this machine, not for a guest (--vm).");
        if (o.suppress_time_limits && !o.guru) add("The --suppress-time-limits option is for guru mode: it needs -g.");
        if (!o.budget_file.empty() && o.budget.empty())
            add("--budget-file needs --budget: the share of each processor that this session may take.");
        if (o.list_pattern && o.script_text) add("Cannot specify a script with -l or -L.");
        if (o.target_pid && !o.command.empty()) add("You can't specify -c and -x options together.");
        if (!o.rotate.empty() && o.output.empty() && !o.bulk) add("The -S option needs an output file (-o).");
        if (o.vm && (o.bulk || !o.rotate.empty() || o.load_and_detach))
            add("The options -b, -S and -F have no use in a guest (--vm), which keeps nothing.");
        if (o.bundle && (o.action != Action::Script || o.last_pass != 4))
            add("The --bundle option is for a script and -p4: the module is made, and run elsewhere.");
        if (o.bundle && o.target_pid)
            add("The -x option has no use in a bundle (--bundle): give it to the bundle's program, ./run -x PID.");
        if (o.bundle && o.namespaces_pid)
            add("The --target-namespaces option has no use in a bundle (--bundle): give it to the bundle's program, "
                "./run -N PID.");
        static const char *const steps[] = {"parse", "elaborate", "infer", "optimize", "lower", "emit"};
        for (const std::string &name : o.dump_after)
            if (std::find(std::begin(steps), std::end(steps), name) == std::end(steps))
                add("Unknown step '" + name + "' for --dump-after.");
    }

    const Options &o;
    const CommandLine &line;
    std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> conflicts(const Options &options, const CommandLine &line) {
    return Conflicts(options, line).find();
}

}  // namespace tapir::driver
