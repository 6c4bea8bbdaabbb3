// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/sxx_values.h"

#include "base/help.h"
#include "base/name_patterns.h"
#include "common/files.h"
#include "common/find_program.h"
#include "common/process_id.h"
#include "dwarf/object.h"
#include "target/process_root.h"
#include "target/program_files.h"
#include "target/running_files.h"

namespace tapir::driver {
namespace {

class Collector {
  public:
    Collector(const Options &options, Diagnostics &diagnostics) : options_(options), diagnostics_(diagnostics) {}

    SxxValues run() {
        const SxxOptions &sxx = options_.sxx;
        for (const SxxArgument &argument : sxx.arguments)
            found_.values["arg_" + argument.name] = argument.value;
        if (!options_.program.empty()) take_program();
        if (options_.target_pid) take_target();
        if (sxx.master_pid) take_children();
        if (sxx.sample_pid && is_there("--sample-pid", sxx.sample_pid)) take_files(sxx.sample_pid);
        if (found_.values.contains("exec_path")) {
            // All processes that run the program are meant.
            found_.values.try_emplace("pid_ok", "1");
            found_.values.try_emplace("target", "ANY");
        }
        return std::move(found_);
    }

  private:
    void wrong(const std::string &what, const std::string &help) {
        add_help(diagnostics_.report(Tag::UsageError, what + "."), help);
    }

    void take(const std::string &path) {
        found_.mapped.push_back({path, target::former_path(path).substr(target::root_of_path(path).size())});
    }

    void take_program() {
        std::string path = options_.program;
        if (path.find('/') == std::string::npos && !is_file(path))
            if (const Outcome<std::string> along = find_program(path)) path = *along;
        if (!is_file(path)) {
            const std::string near = similar_text(target::similar_programs(path));
            return wrong("--exec: there is no file '" + path + "'" + near, "");
        }
        found_.values["exec_path"] = path;
        std::string error;
        const auto program = dwarf::Object::open(path, error);
        if (!program) return wrong("--exec: '" + path + "' is no program: " + error, "");
        for (const std::string &library : target::needed_libraries(*program))
            take(library);
    }

    bool is_there(const std::string &option, int64_t pid) {
        const std::string why = why_no_process(pid);
        if (!why.empty()) wrong(option + ": " + why, "");
        return why.empty();
    }

    // The program of a process, unless --exec names it.
    bool take_program_of(const std::string &option, int64_t pid) {
        if (!is_there(option, pid)) return false;
        if (found_.values.contains("exec_path")) return true;
        const std::string program = target::program_of_process(pid);
        if (program.empty()) {
            wrong(option + ": the program of process " + std::to_string(pid) + " cannot be seen",
                  "another user's process is root's to look at, and the kernel's threads have no program; --exec PATH "
                  "names one");
            return false;
        }
        found_.values["exec_path"] = program;
        return true;
    }

    void take_files(int64_t pid) {
        for (const std::string &path : target::mapped_files(pid, "*"))
            take(path);
    }

    void take_target() {
        if (!take_program_of("-x", options_.target_pid)) return;
        found_.values["pid_ok"] = "pid() == target()";
        found_.values["target"] = std::to_string(options_.target_pid);
        take_files(options_.target_pid);
    }

    void take_children() {
        const int64_t master = options_.sxx.master_pid;
        if (!take_program_of("--master", master)) return;
        const std::vector<int64_t> children = child_processes(master);
        if (children.empty())
            return wrong("--master: process " + std::to_string(master) + " has no child processes",
                         "-x " + std::to_string(master) + " is about the process itself");
        std::string condition, list;
        for (const int64_t pid : children) {
            condition += (condition.empty() ? "(pid() == " : " || pid() == ") + std::to_string(pid);
            list += (list.empty() ? "" : " ") + std::to_string(pid);
        }
        found_.values["pid_ok"] = condition + ")";
        found_.values["target"] = list;
        take_files(children.front());
    }

    const Options &options_;
    Diagnostics &diagnostics_;
    SxxValues found_;
};

}  // namespace

SxxValues sxx_values(const Options &options, Diagnostics &diagnostics) {
    return Collector(options, diagnostics).run();
}

}  // namespace tapir::driver
