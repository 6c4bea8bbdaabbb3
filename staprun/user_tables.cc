// SPDX-License-Identifier: GPL-2.0-or-later
#include "user_tables.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "command_files.h"
#include "common/descriptor.h"
#include "common/files.h"
#include "common/plain_text.h"
#include "common/regular_file.h"
#include "field.h"
#include "target_command.h"
#include "unwind/unwind_table.h"

namespace tapir::staprun {

namespace {

using unwind::Table;

constexpr size_t kMaxMaps = 1 << 20;
constexpr unsigned kMaxServed = 1000;  // at a time: output is waiting

std::string path_of(int descriptor) {
    std::vector<char> path(4096);
    const ssize_t length = readlink(format("/proc/self/fd/%d", descriptor).c_str(), path.data(), path.size());
    return length > 0 ? std::string(path.data(), static_cast<size_t>(length)) : std::string();
}

uint64_t now_ms() {
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1000000;
}

// All processes have the same one.
std::string_view own_vdso() {
    const unsigned long start = getauxval(AT_SYSINFO_EHDR);
    std::string maps;
    if (!start || read_file("/proc/self/maps", kMaxMaps, maps)) return {};
    const std::string head = format("%lx-", start);
    size_t at = maps.rfind("\n" + head);
    at = at == std::string::npos ? (maps.compare(0, head.size(), head) == 0 ? 0 : at) : at + 1;
    if (at == std::string::npos) return {};
    const unsigned long end = strtoul(maps.c_str() + at + head.size(), nullptr, 16);
    return {reinterpret_cast<const char *>(start), end > start ? end - start : 0};
}

// Makes the table of an open file, or of the vDSO if `file` is null.
bool make(unwind::Image *file, const std::string &path, bool lines, bool mangled, Table &table) {
    unwind::TableOptions options;
    options.lines = lines;
    options.mangled = mangled;
    unwind::TableFacts facts;
    if (!file) {
        unwind::MemoryImage image(own_vdso());
        options.path = "[vdso]";
        return unwind::make_table(image, options, table, facts).empty();
    }
    options.path = path;
    return unwind::make_table(*file, options, table, facts).empty();
}

// True if the module gave only the name of a file that a program serves (FUSE): staprun must not wait for that program.
bool is_name_only(int descriptor) {
    const int flags = descriptor >= 0 ? fcntl(descriptor, F_GETFL) : -1;
    return flags >= 0 && (flags & O_PATH) != 0;
}

// `block` is "" for an object without a table.
UserObject object_of(const std::string &path, std::string_view block) {
    UserObject object;
    object.block = block;
    object.path = path;
    if (block.empty()) return object;
    const auto *table = reinterpret_cast<const tapir_unwind_table *>(object.block.data());
    object.path = tapir_unwind_string(table, table->path);
    object.build_id = tapir_unwind_string(table, table->build_id);
    object.bias = table->bias;
    return object;
}

}  // namespace

std::string UserObject::function_at(uint32_t place, uint32_t &start) const {
    if (block.empty()) return {};
    const auto *table = reinterpret_cast<const tapir_unwind_table *>(block.data());
    const tapir_unwind_symbol *first = tapir_unwind_symbols(table), *last = first + table->nsymbols;
    const tapir_unwind_symbol *found = std::upper_bound(
        first, last, place, [](uint32_t at, const tapir_unwind_symbol &symbol) { return at < symbol.place; });
    if (found == first) return {};
    --found;
    if (place - found->place >= std::max(found->size, 1u)) return {};
    start = found->place;
    return tapir_unwind_string(table, found->name);
}

std::string_view UserObject::builtin_at(uint32_t place) const {
    const auto next = std::upper_bound(builtins.begin(), builtins.end(), place,
                                       [](uint32_t at, const unwind::Builtin &one) { return at < one.start; });
    return next != builtins.begin() && place < std::prev(next)->end ? std::prev(next)->name : std::string_view();
}

const UserObject *UserTables::object(uint32_t number) const {
    const auto found = objects_.find(number);
    return found == objects_.end() ? nullptr : &found->second;
}

int UserTables::learn_interpreters(unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        tapir_ioc_interpreter told = {};
        told.index = i;
        if (const int error = control_.interpreter(told)) return error;
        unwind::Interpreter interpreter{field(told.name), field(told.known), field(told.files), field(told.loop), {}};
        for (const auto &variable : told.variables)
            if (variable[0]) interpreter.variables.push_back(field(variable));
        interpreters_.push_back(std::move(interpreter));
    }
    return 0;
}

std::vector<std::string> UserTables::unknown_interpreters() const {
    std::vector<std::string> sentences;
    tapir_ioc_unknown_interpreter unknown = {};
    for (; control_.unknown_interpreter(unknown) == 0; unknown.index++) {
        const auto path = interpreter_paths_.find(unknown.index);
        if (path == interpreter_paths_.end() || unknown.number - 1 >= interpreters_.size()) continue;
        const unwind::Interpreter &interpreter = interpreters_[unknown.number - 1];
        sentences.push_back(format("frames of %s are missing: %s %s. Known are %s", interpreter.name.c_str(),
                                   path->second.c_str(), field(unknown.what).c_str(), interpreter.known.c_str()));
    }
    return sentences;
}

// Reports files that only have an interpreter's name, too: handlers then know that there is nothing to read.
uint32_t UserTables::tell_interpreter(uint32_t object, unwind::Image &image, const std::string &path) {
    if (interpreters_.empty()) return 0;
    tapir_ioc_put_interpreter put = {};
    put.index = object;
    put.interpreter = unwind::interpreter_of(image, interpreters_);
    unwind::Alike alike = {put.interpreter.number, false};
    if (!alike.number) alike = unwind::interpreter_alike(image, path, interpreters_);
    if (!alike.number || alike.starts) return alike.number;
    put.interpreter.number = alike.number;
    interpreter_paths_[object] = path;
    // If the module refuses for want of memory, there are no frames of its language.
    control_.put_interpreter(put);
    return alike.number;
}

void UserTables::answer(const tapir_ioc_unwind_want &want) {
    tapir_ioc_unwind_put put = {};
    put.index = want.index;
    Table table;
    std::string kept;
    std::string_view block;
    const std::string path = want.file >= 0 ? path_of(want.file) : "";
    // Where there is only a name, stacks say that they have no table.
    const bool readable = !is_name_only(want.file);
    unwind::FileImage image;
    const bool open = readable && want.file >= 0 && image.open(want.file) == 0;
    const uint32_t interpreter = open ? tell_interpreter(want.index, image, path) : 0;
    if (readable && want.file >= 0 && cache_.load(want.file, path, kept))
        block = kept;
    else if ((open || want.file < 0) && make(open ? &image : nullptr, path, lines_, mangled_, table))
        block = table.block();
    put.block = reinterpret_cast<uintptr_t>(block.data());
    put.length = block.size();
    // Refused, for want of memory: its stacks will say that they have no table.
    control_.unwind_put(put);
    if (keep_ && (!block.empty() || !path.empty())) {
        UserObject &object = objects_[want.index] = object_of(path, block);
        object.interpreter = interpreter;
        if (open && !block.empty()) object.builtins = unwind::python_builtins(image);
    }
    // Only then: stacks wait for it.
    if (want.file >= 0 && kept.empty() && !block.empty()) cache_.store(want.file, path, block);
    if (want.file >= 0) close(want.file);
}

bool UserTables::serve_one() {
    tapir_ioc_unwind_want want = {};
    if (control_.unwind_want(want)) return false;
    answer(want);
    return true;
}

bool UserTables::serve() {
    unsigned served = 0;
    while (served < kMaxServed && serve_one())
        served++;
    return served > 0;
}

void UserTables::serve(uint64_t milliseconds) {
    const uint64_t until = now_ms() + milliseconds;
    while (now_ms() < until && serve_one())
        ;
}

void UserTables::announce_processes() {
    DIR *processes = opendir("/proc");
    if (!processes) return;
    while (const dirent *entry = readdir(processes)) {
        int64_t pid = 0;
        if (parse_long(entry->d_name, pid)) announce_process(pid);
    }
    closedir(processes);
}

void UserTables::announce_process(int64_t pid) {
    tapir_ioc_unwind_process process = {};
    process.pid = pid;
    control_.unwind_process(process);
}

void UserTables::announce_file(const std::string &path) {
    const Descriptor descriptor(open_regular(path.c_str()));
    if (descriptor.get() < 0) return;
    tapir_ioc_unwind_file file = {};
    file.file = descriptor.get();
    control_.unwind_file(file);
}

void UserTables::announce_command(const std::string &command) {
    // Until the command has started its process runs this program.
    announce_file("/proc/self/exe");
    for (const std::string &path : files_of_command(command))
        announce_file(path);
}

void UserTables::announce_target(const std::string *command, int64_t pid) {
    if (command) announce_command(*command);
    // For a command, tables of its process: of the vDSO, and of the program that it runs until it executes the command.
    announce_process(command ? getpid() : pid);
    serve();
}

}  // namespace tapir::staprun
