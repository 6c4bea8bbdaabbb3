// SPDX-License-Identifier: GPL-2.0-or-later
// The C of every call's descriptors, compiled and compared with what the tables say.
#include "emit/c/syscall_tables.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>

#include "../../runtime/syscall_descriptors.h"
#include "common/files.h"
#include "testsuite/trees.h"

namespace tapir::emit {
namespace {

bool same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool same(const tapir_show &a, const tapir_show &b);

bool same_lists(const tapir_show *a, const tapir_show *b, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (!same(a[i], b[i])) return false;
    return true;
}

bool same_names(const tapir_names &a, const tapir_names &b) {
    if (a.count != b.count || a.plain != b.plain || a.permissions != b.permissions || !same_text(a.unknown, b.unknown))
        return false;
    for (u32 i = 0; i < a.count; ++i)
        if (a.names[i].value != b.names[i].value || a.names[i].mask != b.names[i].mask ||
            !same_text(a.names[i].name, b.names[i].name))
            return false;
    return true;
}

bool same_choices(const tapir_choice &a, const tapir_choice &b) {
    if (a.count != b.count) return false;
    for (u32 i = 0; i < a.count; ++i)
        if (a.cases[i].value != b.cases[i].value || a.cases[i].mask != b.cases[i].mask ||
            !same(*a.cases[i].show, *b.cases[i].show))
            return false;
    return true;
}

bool same(const tapir_show &a, const tapir_show &b) {
    if (a.kind != b.kind || a.other != b.other || memcmp(a.size, b.size, sizeof a.size) != 0 ||
        memcmp(a.at, b.at, sizeof a.at) != 0 || a.count != b.count || !same_text(a.name, b.name) || !a.of != !b.of)
        return false;
    if (!a.of) return true;
    switch (a.kind) {
        case TAPIR_SHOW_FLAGS:
        case TAPIR_SHOW_ENUM:
        case TAPIR_SHOW_SOCKADDR:
            return same_names(*static_cast<const tapir_names *>(a.of), *static_cast<const tapir_names *>(b.of));
        case TAPIR_SHOW_CHOICE:
            return same_choices(*static_cast<const tapir_choice *>(a.of), *static_cast<const tapir_choice *>(b.of));
        case TAPIR_SHOW_STRUCT:
        case TAPIR_SHOW_RECORD_HERE: {
            const auto &x = *static_cast<const tapir_struct *>(a.of), &y = *static_cast<const tapir_struct *>(b.of);
            return memcmp(x.size, y.size, sizeof x.size) == 0 && x.nfields == y.nfields &&
                   same_lists(x.fields, y.fields, x.nfields);
        }
        default:
            return same(*static_cast<const tapir_show *>(a.of), *static_cast<const tapir_show *>(b.of));
    }
}

TEST(SyscallTables, EveryCallIsWhatTheTablesSay) {
    Diagnostics diagnostics;
    std::deque<SourceFile> files;
    syscalls::Table table;
    for (const char *name : {"syscall_flags", "syscall_structs", "syscalls"}) {
        const std::string path = tapir::source_dir() + "/tapsets/" + name + ".table";
        ASSERT_TRUE(table.read(files.emplace_back(path, *read_file(path), Origin::Tapset), diagnostics));
    }
    ASSERT_GT(table.calls().size(), 400u);

    SyscallTables tables;
    std::string list;
    for (const syscalls::Call &call : table.calls())
        list += "\t" + tables.arguments(call) + ",\n";
    std::string pattern = std::filesystem::temp_directory_path() / "tapir-tables-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    const TemporaryDirectory directory(pattern);
    const std::string source = directory.path() + "/tables.c", object = directory.path() + "/tables.so";
    ASSERT_TRUE(write_file(source, "#include <tapir/tapir.h>\n" + tables.text() +
                                       "const struct tapir_show *const all[] = {\n" + list + "};\n"));
    const std::string command = "cc -std=gnu11 -Wall -Wextra -Werror -shared -fPIC -I" + tapir::source_dir() +
                                "/runtime/include -o " + object + " " + source;
    ASSERT_EQ(system(command.c_str()), 0);
    void *library = dlopen(object.c_str(), RTLD_NOW);
    ASSERT_TRUE(library) << dlerror();
    const auto *all = static_cast<const tapir_show *const *>(dlsym(library, "all"));
    ASSERT_TRUE(all);
    test::Descriptors descriptors;
    for (const syscalls::Call &call : table.calls()) {
        const tapir_syscall expected = descriptors.call(call);
        EXPECT_TRUE(call.args.empty() ? !*all : same_lists(*all, expected.args, call.args.size())) << call.kernel;
        ++all;
    }
    dlclose(library);
}

}  // namespace
}  // namespace tapir::emit
