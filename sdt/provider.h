// SPDX-License-Identifier: GPL-2.0-or-later
// Files that declare marks for dtrace: providers with their probes, among declarations of C.
//
//     provider shop { probe order__placed(int number, char *name); probe closed(); };
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::sdt {

inline constexpr size_t kMostArguments = 12;

// A parameter as C declares it, without its name: `before` and `after` are around the place of the name.
struct Argument {
    std::string before, after;
    std::string name;  // "" if it has none

    // As C declares a variable of that name, or none.
    std::string declaration(std::string_view variable) const;
};

struct Probe {
    std::string name;
    std::vector<Argument> arguments;
    std::string place;  // FILE:LINE of its name
};

struct Provider {
    std::string name;
    std::vector<Probe> probes;
};

// Gets a whole message: place, kind, text, the line, a caret below it, and a final newline.
using Report = std::function<void(const std::string &)>;

// Reads the text of a file and adds what it declares to `providers`; a provider may be continued. Lines like `# 3
// "x.d"` of the C preprocessor tell where the following ones are from. False after an error, which has been reported.
bool read_providers(std::string_view text, const std::string &file, std::vector<Provider> &providers,
                    const Report &report);

// Names as C has them: shop_order__placed_semaphore, SHOP_ORDER_PLACED.
std::string semaphore_name(const Provider &provider, const Probe &probe);
std::string macro_name(const Provider &provider, const Probe &probe);

// The header with a macro for each mark, and one that says whether the mark is looked at. `types`: also with a type for
// each argument.
std::string header_text(const std::vector<Provider> &providers, const std::string &source, bool types);
// C that defines the semaphores.
std::string semaphores_text(const std::vector<Provider> &providers, const std::string &source);

}  // namespace tapir::sdt
