// SPDX-License-Identifier: GPL-2.0-or-later
// Loads each function of BPF objects into the running kernel, and prints what the verifier says of it: a line
//   NAME loaded INSTRUCTIONS PROCESSED OWN DEPTH STACK CODE
// or NAME refused REASON, with tabs between. PROCESSED is what the verifier went through in the function and all that
// it needs, OWN in the function itself; DEPTH functions call each other, with STACK bytes of BPF's stack; CODE is the
// bytes of the processor's code.
//
//   bpf-load-functions OBJECT... [-- NAME...]
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>

#include "bpf/load/bpf_kernel.h"

namespace {

using namespace tapir::bpf;

constexpr uint64_t kArenaBytes = uint64_t{64} << 20;

// Calls the function with numbers that do not matter: the verifier looks at a function of a program for any.
Function entry_for(const Function &function, int map) {
    Function entry;
    entry.name = "entry";
    entry.returns = true;
    entry.code.push_back(make(kLoadWord, 0, kIsMap, 0, map));
    entry.code.push_back({});
    for (unsigned i = 0; i < function.registers; i++)
        entry.code.push_back(make(kSetImmediate, i + 1));
    entry.references.push_back({entry.code.size(), function.name, -1, 0});
    entry.code.push_back(make(kCall, 0, kCallsFunction));
    entry.code.push_back(make(kSetImmediate, 0));
    entry.code.push_back(make(kExit, 0));
    return entry;
}

std::string last_lines(const std::string &log) {
    constexpr size_t kEnd = 600;
    std::string end = log.size() > kEnd ? log.substr(log.size() - kEnd) : log;
    for (char &c : end)
        if (c == '\n') c = '|';
    return end;
}

struct Result {
    size_t instructions = 0, depth = 0, stack = 0, jited = 0;
    uint64_t processed = 0;
    std::vector<std::string> needs;  // itself included
    std::string refused;
};

Result try_function(const Image &image, const Function &function, int map) {
    Result result;
    Program program;
    if (!image.make_program(entry_for(function, map), program, result.refused)) return result;
    for (size_t i = 1; i < program.functions.size(); i++)
        result.needs.push_back(program.functions[i].name);
    Loaded loaded = load(program, Type::kKprobe, "tapir_test");
    if (!loaded.error.empty()) result.refused = loaded.error + ": " + last_lines(loaded.log);
    result.instructions = program.code.size();
    result.depth = program.depth;
    result.stack = program.stack_bytes;
    result.jited = loaded.jited_bytes;
    result.processed = loaded.processed;
    return result;
}

// A function is verified once in a program, for itself. So what is left of a program's number, without that of all
// others that the function needs, is the function's.
std::map<std::string, uint64_t> own_numbers(const std::map<std::string, Result> &results) {
    std::vector<std::string> order;
    for (const auto &[name, result] : results)
        if (result.refused.empty()) order.push_back(name);
    std::ranges::sort(order, {}, [&](const std::string &name) { return results.at(name).needs.size(); });
    std::map<std::string, uint64_t> own;
    for (const std::string &name : order) {
        uint64_t number = results.at(name).processed;
        for (const std::string &needed : results.at(name).needs)
            if (needed != name) number -= std::min(number, own[needed]);
        own[name] = number;
    }
    return own;
}

int run(const std::vector<std::string> &paths, const std::set<std::string> &wanted) {
    std::vector<Object> objects(paths.size());
    std::string error;
    Image image;
    Arena arena;
    bool ok = true;
    for (size_t i = 0; ok && i < paths.size(); i++)
        ok = read_object(paths[i], objects[i], error);
    ok = ok && image.link(std::move(objects), error) && arena.create(kArenaBytes, error);
    if (ok && !arena.place(image)) {
        ok = false;
        error = "the arena has no room for the data";
    }
    if (!ok) {
        std::fprintf(stderr, "bpf-load-functions: %s\n", error.c_str());
        return 2;
    }
    std::map<std::string, Result> results;
    for (const std::string &name : image.function_names())
        if (wanted.empty() || wanted.contains(name))
            results[name] = try_function(image, *image.function(name), arena.map());
    std::map<std::string, uint64_t> own = own_numbers(results);
    int status = 0;
    for (const auto &[name, result] : results) {
        if (result.refused.empty()) {
            std::printf("%s\tloaded\t%zu\t%llu\t%llu\t%zu\t%zu\t%zu\n", name.c_str(), result.instructions,
                        static_cast<unsigned long long>(result.processed), static_cast<unsigned long long>(own[name]),
                        result.depth, result.stack, result.jited);
        } else {
            std::printf("%s\trefused\t%s\n", name.c_str(), result.refused.c_str());
            status = 1;
        }
    }
    return status;
}

}  // namespace

int main(int argc, char **argv) {
    std::vector<std::string> paths;
    std::set<std::string> wanted;
    bool names = false;
    for (int i = 1; i < argc; i++) {
        if (!std::strcmp(argv[i], "--")) {
            names = true;
        } else if (names) {
            wanted.insert(argv[i]);
        } else {
            paths.push_back(argv[i]);
        }
    }
    return run(paths, wanted);
}
