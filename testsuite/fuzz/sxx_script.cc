// SPDX-License-Identifier: GPL-2.0-or-later
// Scripts of stap++ with a library: any bytes become a text, whose places are in the file.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/diagnostics.h"
#include "sxx/expand.h"

namespace {

using tapir::SourceFile;

// Lines never go back: each construct is a part of one.
void check_places(const SourceFile &made, const SourceFile &written) {
    uint32_t last = 1;
    for (size_t at = 0; at <= made.text().size(); ++at) {
        uint32_t line = 0, column = 0;
        made.locate(at, line, column);
        if (line < last || column == 0) std::abort();
        // A line's end is a place, too.
        if (column > written.line(line).size() + 2) std::abort();
        last = line;
    }
}

// A text without any construct stays.
void check_plain(const std::string &text, const SourceFile &made) {
    if (text.find_first_of("$@") == std::string::npos && !text.starts_with("#!") && made.text() != text) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const std::string all(reinterpret_cast<const char *>(data), size);
    const size_t end = std::min(all.find('\0'), size);
    const auto file = [](const char *name, std::string text) {
        return std::make_shared<SourceFile>(name, std::move(text), tapir::Origin::Tapset);
    };
    const auto script = file("t.sxx", all.substr(0, end)), library = file("a.sxx", all.substr(std::min(end + 1, size)));
    tapir::sxx::Settings settings;
    settings.values = {{"exec_path", "/bin/server"}, {"arg_a", "1\n2"}};
    settings.mapped = {{"/lib/liba-1.so", "/lib/liba-1.so"}};
    settings.find = [&](const std::string &name) { return name == "a" ? library : nullptr; };
    tapir::Diagnostics diagnostics;
    tapir::sxx::Expander expander(std::move(settings), diagnostics);
    const std::unique_ptr<SourceFile> made = expander.expand(script);
    check_places(*made, *script);
    check_plain(std::string(script->text()), *made);
    for (const auto &used : expander.libraries())
        check_places(*used.text, *library);
    render_all(diagnostics, true);
    tapir::sxx::argument_list(expander.arguments());
    return 0;
}
