// SPDX-License-Identifier: GPL-2.0-or-later
// Names of Python's functions in C are those that the interpreter has at the same places.
#include "unwind/python_builtins.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "common/files.h"

namespace tapir::unwind {
namespace {

// "PLACE NAME PATH" of each function that modules and types have, by where their objects say that its code is: a name
// that begins with a dot is that of a module's function.
constexpr char kAsk[] = R"(
import ctypes, importlib, sys, types, warnings
warnings.simplefilter("ignore")
for module in sorted(sys.builtin_module_names) + ["json", "re", "hashlib", "math", "datetime", "_pickle", "_struct", "zlib", "array", "unicodedata"]:
    try:
        importlib.import_module(module)
    except Exception:
        pass
maps = []
for line in open("/proc/self/maps"):
    part = line.split(None, 5)
    if len(part) > 5 and part[5].startswith("/"):
        first, end = (int(text, 16) for text in part[0].split("-"))
        maps.append((first, end, int(part[2], 16), part[5].strip()))
word = lambda address: ctypes.c_uint64.from_address(address).value
def say(definition, name):
    code = word(definition + 8)
    for first, end, place, path in maps:
        if first <= code < end:
            print("%x %s %s" % (code - first + place, name, path))
for module in list(sys.modules.values()):
    for value in list(getattr(module, "__dict__", {}).values()):
        if type(value) is types.BuiltinFunctionType:
            of_module = isinstance(value.__self__, types.ModuleType)
            say(word(id(value) + 16), "." + value.__name__ if of_module else value.__qualname__)
todo, done = [object], set()
while todo:
    one = todo.pop()
    if one in done:
        continue
    done.add(one)
    todo += type.__subclasses__(one)
    for value in list(one.__dict__.values()):
        if type(value) is type(str.join):
            say(word(id(value) + 40), value.__qualname__)
)";

using Names = std::map<uint64_t, std::set<std::string>>;

// By file.
std::map<std::string, Names> ask(const std::string &python) {
    char path[] = "/tmp/ask_XXXXXX";
    close(mkstemp(path));
    std::ofstream(path) << kAsk;
    std::map<std::string, Names> all;
    FILE *pipe = popen((python + " -I " + path).c_str(), "r");
    char line[1024];
    while (pipe && fgets(line, sizeof line, pipe)) {
        std::istringstream in(line);
        uint64_t place = 0;
        std::string name, file;
        in >> std::hex >> place >> name >> file;
        all[file][place].insert(name);
    }
    EXPECT_EQ(pipe ? pclose(pipe) : -1, 0);
    std::filesystem::remove(path);
    return all;
}

std::vector<Builtin> builtins_of(const std::string &path) {
    FileImage image;
    EXPECT_EQ(image.open(path), 0) << path;
    return python_builtins(image);
}

bool is_one_of(const std::string &name, const std::set<std::string> &names) {
    const size_t dot = name.rfind('.');
    return names.contains(name) || names.contains("." + name.substr(dot == std::string::npos ? 0 : dot + 1));
}

// Functions that the interpreter makes at run time have no table in its file.
TEST(PythonBuiltins, AreThoseThatTheInterpreterHas) {
    if (access("/usr/bin/python3", X_OK) != 0) GTEST_SKIP() << "no /usr/bin/python3";
    unsigned same = 0, missing = 0;
    for (const auto &[path, names] : ask("/usr/bin/python3")) {
        std::map<uint64_t, std::string> found;
        for (const Builtin &one : builtins_of(path)) {
            EXPECT_GT(one.end, one.start);
            found[one.start] = one.name;
        }
        for (const auto &[place, wanted] : names) {
            const auto at = found.find(place);
            if (at == found.end()) {
                missing++;
            } else {
                same++;
                EXPECT_TRUE(is_one_of(at->second, wanted)) << path << ": " << at->second << " is " << *wanted.begin();
            }
        }
    }
    EXPECT_GT(same, 1000u);
    EXPECT_LT(missing * 33, same + missing);
}

TEST(PythonBuiltins, OtherFilesHaveNone) {
    EXPECT_TRUE(builtins_of("/bin/sh").empty());
    EXPECT_TRUE(builtins_of("/proc/self/exe").empty());
}

// Tables found in a damaged file lie within it.
TEST(PythonBuiltins, DamagedFilesEnd) {
    char directory[] = "/tmp/builtins_XXXXXX";
    ASSERT_NE(mkdtemp(directory), nullptr);
    const std::string path = std::string(directory) + "/module";
    std::ofstream(path + ".c") << R"(
typedef struct { const char *name; void *code; int flags; const char *doc; } Method;
static void *spin(void *self) { return self; }
static void *call(void *self) { return spin; }
static Method methods[] = {{"spin", spin, 8, 0}, {"self", spin, 8, 0}, {0}};
static struct { int number; void *what; } slots[] = {{64, methods}, {50, call}, {0, 0}};
struct { const char *name; int bytes, item; unsigned flags; void *slots; } spec = {"odd.Wheel", 16, 0, 1, slots};
struct { long references; void *kind; void *rest[3]; const char *name, *doc; long size; void *methods; } module =
    {1, 0, {0}, "odd.wheels", 0, 0, (Method[]){{"turn", call, 4, "turns"}, {0}}};
void *PyInit_odd(void) { return &module; }
)";
    ASSERT_EQ(system(("gcc -w -O1 -shared -fPIC -o " + path + " " + path + ".c").c_str()), 0);
    std::set<std::string> names;
    for (const Builtin &one : builtins_of(path))
        names.insert(one.name);
    EXPECT_EQ(names, (std::set<std::string>{"Wheel.spin", "wheels.turn"}));
    const std::string whole = *read_file(path);
    srand(12);
    for (int round = 0; round < 300; round++) {
        std::string bytes = whole.substr(0, round % 3 ? whole.size() : static_cast<size_t>(rand()) % whole.size());
        for (int i = 0; i < 20 && !bytes.empty(); i++)
            bytes[static_cast<size_t>(rand()) % bytes.size()] = static_cast<char>(rand());
        MemoryImage image(bytes);
        for (const Builtin &one : python_builtins(image))
            ASSERT_LE(one.start, bytes.size());
    }
    std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace tapir::unwind
