// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a script as BPF: begin and end probes, and kprobes while a command runs. For tests of what is below a loader.
//
//   bpf-run OBJECT COMMAND
//
// The object is that of the script with the runtime (testsuite/bpf/compile.sh).
//
// The output is that of staprun with the same script. Then a line "# N skipped, N loops cut" is written to stderr.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bpf/load/bpf_session.h"

extern "C" {
#include <tapir/abi.h>
#include <tapir/wire.h>

#include "items/histogram_item.h"
#include "items/item_text.h"
}

namespace {

using namespace tapir::bpf;

void print_items(const struct tapir_module &module, const char *data, uint32_t length) {
    for (uint32_t at = 0; at < length;) {
        u16 number = 0;
        __builtin_memcpy(&number, data + at, sizeof(number));
        u32 bytes = tapir_item_bytes(module.formats, module.nformats, data + at, length - at);
        if (!bytes) {
            std::fprintf(stderr, "bpf-run: a record holds no item\n");
            return;
        }
        if (number == TAPIR_ITEM_HISTOGRAM) {
            tapir_screen screen = {};
            size_t size = 0;
            char *picture = tapir_histogram_text(data + at, bytes, &screen, &size);
            std::fwrite(picture, 1, picture ? size : 0, stdout);
            std::free(picture);
        } else {
            const tapir_item_format *format = number < TAPIR_ITEM_FORMATS ? &module.formats[number] : nullptr;
            std::string text(tapir_item_text_most(format, bytes), '\0');
            text.resize(tapir_item_text(format, data + at, bytes, text.data(), static_cast<u32>(text.size())));
            std::fputs(text.c_str(), stdout);
        }
        at += bytes;
    }
}

int fail(const std::string &error) {
    std::fflush(stdout);
    std::fprintf(stderr, "bpf-run: %s\n", error.c_str());
    return 2;
}

int run(const char *object, const char *command) {
    std::vector<Object> objects(1);
    std::string error;
    Image image;
    if (!read_object(object, objects[0], error) || !image.link(std::move(objects), error)) return fail(error);
    Session session(image);
    auto print = [&](unsigned type, const char *data, uint32_t length) {
        if (type == TAPIR_REC_PRINT) {
            print_items(session.module(), data, length);
        } else if (type == TAPIR_REC_DATA) {
            std::fwrite(data, 1, length, stdout);
        } else {
            std::fflush(stdout);
            std::fprintf(stderr, "%s: %.*s\n", type == TAPIR_REC_ERROR ? "ERROR" : "WARNING", static_cast<int>(length),
                         data);
        }
    };
    if (!session.prepare(error) || !session.run_phase(TAPIR_PHASE_BEGIN, error)) return fail(error);
    session.read(print);
    if (!session.exit_requested()) {
        if (!session.attach(error)) return fail(error);
        std::fflush(stdout);
        if (std::system(command) == -1) return fail("the command cannot be run");
        session.detach();
    }
    session.read(print);
    if (!session.run_phase(session.errors() ? TAPIR_PHASE_ERROR : TAPIR_PHASE_END, error)) return fail(error);
    session.read(print);
    std::fflush(stdout);
    std::fprintf(stderr, "# %llu skipped, %llu loops cut\n", static_cast<unsigned long long>(session.skipped()),
                 static_cast<unsigned long long>(session.loops_cut()));
    return session.errors() ? 1 : 0;
}

}  // namespace

int main(int argc, char **argv) {
    constexpr int kWords = 3;
    if (argc != kWords) return fail("usage: bpf-run OBJECT COMMAND");
    return run(argv[1], argv[2]);
}
