// SPDX-License-Identifier: GPL-2.0-or-later
// make_seeds NAME DIRECTORY: writes the seeds of the fuzzer fuzz_NAME that are no text: objects with debug information
// in the shapes that this machine's compiler knows, their indexes, and BTF. Other fuzzers get none. Exits 1 when there
// is no compiler.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "dwarf/index.h"
#include "unit/dwarf/sample_program.h"
#include "unit/target/btf_writer.h"

namespace fs = std::filesystem;
using namespace tapir;

namespace {

// Small ones: what a fuzzer changes should matter.
constexpr const char *kOptions[] = {"-gdwarf-4 -O0",
                                    "-gdwarf-5 -O0",
                                    "-gdwarf-4 -O2",
                                    "-gdwarf-5 -O2",
                                    "-gdwarf-5 -O2 -gz",
                                    "-gdwarf-4 -O2 -fdebug-types-section",
                                    "-gdwarf-5 -O2 -fdebug-types-section",
                                    "-gdwarf-5 -O2 -gsplit-dwarf",
                                    "-gdwarf-5 -O2 -flto -ffat-lto-objects",
                                    "-gdwarf-5 -O1 -mcmodel=kernel -fno-asynchronous-unwind-tables"};

void write(const fs::path &path, const std::string &content) {
    std::ofstream(path, std::ios::binary) << content;
}

// The files made, or libraries of them; none without a compiler.
std::vector<fs::path> compile(const fs::path &directory, bool link = false) {
    std::vector<fs::path> objects;
    const fs::path source = directory / "program.c";
    write(source, dwarf::kProgram);
    for (const std::string options : kOptions) {
        if (link && options.find("kernel") != std::string::npos) continue;
        const fs::path object = directory / ("object" + std::to_string(objects.size()) + ".o");
        const std::string command = (link ? "gcc -shared -fPIC -w " : "gcc -c -w ") + options + " -o " +
                                    object.string() + " " + source.string();
        if (std::system(command.c_str()) == 0) objects.push_back(object);
    }
    fs::remove(source);
    return objects;
}

bool make(const std::string &name, const fs::path &directory) {
    if (name == "target_btf") {
        target::BtfWriter kernel;
        kernel.sample();
        write(directory / "kernel", kernel.blob());
        return true;
    }
    const bool indexes = name == "dwarf_index";
    if (name == "target_exits") return compile(directory, true).size() > 0;
    if (name != "dwarf_object" && !indexes) return true;
    const std::vector<fs::path> objects = compile(directory);
    for (size_t i = 0; indexes && i < objects.size(); ++i) {
        std::string error;
        const auto object = dwarf::Object::open(objects[i], error, "");
        if (object && object->dwarf()) write(directory / std::to_string(i), dwarf::build_index(*object, ""));
    }
    for (const fs::path &object : objects)
        if (indexes) fs::remove(object);
    return !objects.empty();
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 3) {
        std::fprintf(stderr, "make_seeds NAME DIRECTORY\n");
        return 1;
    }
    fs::create_directories(argv[2]);
    if (make(argv[1], argv[2])) return 0;
    std::fprintf(stderr, "make_seeds: no compiler made an object\n");
    return 1;
}
