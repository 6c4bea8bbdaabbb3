// SPDX-License-Identifier: GPL-2.0-or-later
// Names of the module's objects in C, and the bodies. Private to emit/.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "emit/c/c_text.h"
#include "ir/ir.h"

namespace tapir::emit {

// Names of entities at file scope.
std::string global_name(const ir::Module &module, int global);
std::string map_desc_name(const ir::Module &module, int global);
std::string function_name(const ir::Module &module, int function);
// "struct frame_x" is laid out by frame_struct().
std::string frame_struct(const std::string &name, const ir::Frame &frame);
// A function's return type, name and parameters.
std::string prototype(const ir::Module &module, int function);

// How a body reaches what surrounds it.
struct BodyContext {
    const char *cpu = "c->cpu";
    const char *context = "c";                                // argument for callees
    bool leaf = false;                                        // the hit is in the function's parameters
    bool attempt = false;                                     // ends with true if it did all
    std::string lockset = {};                                 // name of the handler's lock set
    const ir::Handler *saved = nullptr;                       // whose values of the call's entry are saved
    std::set<std::pair<ir::ValueKind, int64_t>> params = {};  // registers and pointers that are parameters
};

struct BodyText {
    std::string declarations, code;
};
BodyText body_text(const ir::Module &module, const ir::Body &body, const BodyContext &context);

// C for where a saved value is, in bytes from the first: all numbers (8 bytes), then all texts (MAXSTRINGLEN). That of
// the one after the last is the size of all.
std::string saved_offset(const ir::Handler &handler, size_t index);

// C for a number to add: as often as the hit counts.
std::string weighted(const ir::Inst &inst, const std::string &delta);

// Functions, snippets of embedded C, conditions.
std::string embedded_function(const ir::Module &module, int function);
std::string script_function(const ir::Module &module, int function);
std::string snippet_function(const ir::Module &module, int snippet);
std::string condition_function(const ir::Module &module, int condition);
// A leaf takes its kind's values (union tapir_leaf), so one may be written in several forms.
using probes::LeafForm;
const char *leaf_member(LeafForm form);
std::string handler_name(const ir::Module &module, int handler, LeafForm form);
// `form` matters for leaves only.
std::string handler_function(const ir::Module &module, int handler, LeafForm form);
std::string attempt_name(int handler);
std::string attempt_function(const ir::Module &module, int handler);
std::string lockset_name(const ir::Module &module, int handler);
// The handler whose body handler `handler` shares; itself if it has its own.
inline int body_handler(const ir::Module &module, int handler) {
    const int same = module.handlers[static_cast<size_t>(handler)].same_as;
    return same >= 0 ? same : handler;
}
// Does running the body reach a function that takes frame memory?
bool reaches_frame(const ir::Module &module, const std::vector<int> &callees);

// The parts before the functions, in this order. global_tables() has storage and descriptors.
std::string site_table(const ir::Module &module);
std::string format_tables(const ir::Module &module);
// True if the loader can make the text of a format's output. See struct tapir_item_format.
bool left_to_loader(const ir::Module &module, int format);
// Formats for which it does, in the order of their numbers, which are named number<format>.
std::vector<int> loader_formats(const ir::Module &module);
std::string regex_tables(const ir::Module &module);
std::string recall_tables(const ir::Module &module);
std::string global_tables(const ir::Module &module);
// And after them: the function that assigns initial values, and `need_frame`, bytes of frame memory.
std::string global_initialiser(const ir::Module &module);
std::string frame_needs(const ir::Module &module);

}  // namespace tapir::emit
