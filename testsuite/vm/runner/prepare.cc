// SPDX-License-Identifier: GPL-2.0-or-later
#include "prepare.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/files.h"
#include "common/quoting.h"
#include "common/run_program.h"

namespace fs = std::filesystem;

namespace tapir::guest_tests {
namespace {

constexpr std::chrono::minutes kPatience{5};

std::string exports(const Case &test, const Places &places, const std::string &directory) {
    return "export W=" + shell_quoted(directory) + " R=" + shell_quoted(places.release) +
           " TREE=" + shell_quoted(places.tree) + " BIN=" + shell_quoted(places.bin) +
           " AREA=" + shell_quoted(places.source + "/" + test.area) +
           " STAPRUN=" + shell_quoted(places.bin + (places.records ? "/records-staprun" : "/staprun")) +
           " STAP=" + shell_quoted(places.bin + "/stap") + "\ncd \"$W\"\n";
}

// Runs a host shell text in the case's folder; returns "" or what it said before failing.
std::string run_on_host(const std::string &what, const std::string &text) {
    Collected output, errors;
    Program program{{"bash", "-euc", text}};
    program.environment = environment_with({"LC_ALL=C"});
    program.output = Stream::collected(output);
    program.errors = Stream::collected(errors);
    program.group = ProcessGroup::Own;
    program.death_signal = SIGTERM;
    const Outcome<Ending> ended = run_program(program, {kPatience});
    if (ended && ended->good()) return "";
    const std::string how =
        ended ? " failed with exit status " + std::to_string(ended->code()) : " failed: " + ended.fault().message();
    return what + how + "\n" + output.text + errors.text;
}

// `stap -p4` of one script into the case's folder as NAME.ko.
std::string translate(const std::string &script, const Case &test, const Places &places, const std::string &directory) {
    std::string name = fs::path(script).stem();
    std::string module = name;
    for (char &c : module)
        if (!isalnum(static_cast<unsigned char>(c))) c = '_';
    std::string text = exports(test, places, directory) + "\"$STAP\" -p4 -r \"$R\" -m " + shell_quoted(module) + " " +
                       test.stap_options + " " + shell_quoted(script) +
                       (test.script_arguments.empty() ? "" : " " + test.script_arguments) + " >/dev/null\n";
    if (module != name) text += "mv " + shell_quoted(module + ".ko") + " " + shell_quoted(name + ".ko") + "\n";
    return run_on_host("translating " + name + ".stp", text);
}

// Why what a case needs of the kernel's description cannot be had; "" if it can: stap finds what only it can tell.
std::string missing_description(const Case &test, const Places &places) {
    std::vector<std::pair<std::string, std::string>> needed;
    const std::string debug_info = "the debug information of ";
    if (test.needs_debug_info)
        needed.push_back({debug_info + "kernel " + places.release, "kernel.function(\"vfs_read@fs/read_write.c\")"});
    for (const std::string &module : test.debug_modules)
        needed.push_back({debug_info + "module " + module + " of kernel " + places.release,
                          "module(\"" + module + "\").function(\"*@*\")"});
    for (const std::string &point : test.points)
        needed.push_back({"probe point " + point, point});
    for (const auto &[name, point] : needed) {
        if (!output_of({places.bin + "/stap", "-r", places.release, "-l", point}, "", {kPatience}))
            return "needs " + name;
    }
    return "";
}

// The script for the guest's bash: requirements, setup, the case, checks; then a look for modules left loaded.
std::string guest_script(const Case &test, const Places &places, const std::string &directory) {
    std::string text = exports(test, places, directory) + ". " + shell_quoted(places.library) + "\n";
    // Cases run programs as other users.
    if (places.records) text += "export RECORDS=\"$W/.records\"\nmkdir -m 1777 \"$RECORDS\"\n";
    for (const std::string &requirement : test.requirements)
        text += "require " + requirement + "\n";
    for (const std::string &setup : test.setup)
        text += setup + " || fail 'setup failed'\n";
    for (const std::string &workload : test.workload)
        text += "( " + workload + " ) </dev/null >/dev/null 2>&1 &\n";
    std::string run = test.is_script ? "\"$STAPRUN\" \"$W/" + test.name + ".ko\" " + test.staprun_arguments
                                     : "bash -eu -c '. \"$1\"; . \"$2\"' " + shell_quoted(test.name) + " " +
                                           shell_quoted(places.library) + " " + shell_quoted(test.path);
    if (test.check.empty()) {
        text += run + "\nstatus=$?\n";
    } else {
        // The checks see what was printed, and so does the host.
        text += run + " >stdout 2>stderr\nstatus=$?\ncat stdout\ncat stderr >&2\n";
        for (const std::string &check : test.check)
            text += "( " + check + " ) || fail " + shell_quoted("check failed: " + check) + "\n";
    }
    return text + "leave_clean\nexit $status\n";
}

}  // namespace

Prepared prepare_case(const Case &test, const Places &places) {
    Prepared prepared;
    prepared.test = test;
    prepared.directory = places.work + "/" + test.id();
    std::error_code error;
    fs::remove_all(prepared.directory, error);
    fs::create_directories(prepared.directory, error);
    if (error) {
        prepared.failure = "cannot make " + prepared.directory + ": " + error.message();
        return prepared;
    }
    std::vector<std::string> scripts;
    if (test.is_script) scripts.push_back(test.path);
    for (const std::string &script : test.scripts)
        scripts.push_back(places.source + "/" + test.area + "/" + script);
    if (!scripts.empty() && access((places.bin + "/stap").c_str(), X_OK) != 0)
        prepared.skip = "there is no stap in " + places.bin;
    if (!scripts.empty() && access((places.bin + "/staprun").c_str(), X_OK) != 0)
        prepared.skip = "there is no staprun in " + places.bin;
    if (prepared.skip.empty()) prepared.skip = missing_description(test, places);
    if (!prepared.skip.empty()) return prepared;
    for (const std::string &command : test.host)
        if (prepared.failure.empty())
            prepared.failure = run_on_host(command, exports(test, places, prepared.directory) + command);
    for (const std::string &script : scripts)
        if (prepared.failure.empty()) prepared.failure = translate(script, test, places, prepared.directory);
    prepared.command = prepared.directory + "/.run";
    std::ofstream(prepared.command) << guest_script(test, places, prepared.directory);
    return prepared;
}

std::string check_records(const Prepared &prepared, const Places &places, bool &whole) {
    const fs::path testsuite = fs::path(places.library).parent_path().parent_path();
    std::string files;
    std::error_code error;
    for (const fs::directory_entry &file : fs::directory_iterator(prepared.directory + "/.records", error)) {
        if (file.path().extension() == ".partial") whole = false;
        if (file.path().extension() == ".json") files += " " + shell_quoted(file.path().native());
    }
    if (files.empty()) return "no session has written records; 'records: no, REASON' is for such a case\n";
    return run_on_host("reading the records",
                       "python3 " + shell_quoted((testsuite / "check_records.py").string()) + " " +
                           shell_quoted((testsuite.parent_path() / "docs/output.schema.json").string()) + files);
}

}  // namespace tapir::guest_tests
