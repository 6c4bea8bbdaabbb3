// SPDX-License-Identifier: GPL-2.0-or-later
// How much frame memory the deepest run can need: constants of C, because only C knows sizes.
#include <vector>

#include "emit/c/writer.h"
#include "ir/call_order.h"

namespace tapir::emit {

namespace {

class FrameNeeds {
  public:
    explicit FrameNeeds(const ir::Module &module) : m_(module) {}
    std::string text();

  private:
    static std::string own(const std::string &name, const ir::Frame &frame) {
        return frame.empty() ? "0u" : "TAPIR_FRAME_BYTES(struct frame_" + name + ")";
    }
    static std::string need_of(int function);
    static std::vector<std::string> needs_of(const std::vector<int> &callees);
    void functions();
    void largest_function();
    void handler(size_t i, bool recursive);
    // Defines `name` as `plus` and the largest of `terms`.
    void maximum(const std::string &name, const std::vector<std::string> &terms, const std::string &plus);

    const ir::Module &m_;
    std::string lines_;
};

void FrameNeeds::maximum(const std::string &name, const std::vector<std::string> &terms, const std::string &plus) {
    std::string so_far = "0u";
    for (size_t k = 0; k < terms.size(); k++) {
        std::string step = name + "_" + std::to_string(k);
        lines_ += "\t" + step + " = TAPIR_LARGER(" + so_far + ", " + terms[k] + "),\n";
        so_far = step;
    }
    lines_ += "\t" + name + " = " + plus + " + " + so_far + ",\n";
}

// Returns the name of the constant for the frame memory of a function and all its callees; without recursion.
std::string FrameNeeds::need_of(int function) {
    return "need_fn" + std::to_string(function);
}

void FrameNeeds::functions() {
    std::vector<std::vector<size_t>> calls;
    for (const ir::Function &f : m_.functions)
        calls.emplace_back(f.callees.begin(), f.callees.end());
    for (const std::vector<size_t> &group : ir::call_order(calls)) {
        const int function = static_cast<int>(group[0]);
        maximum(need_of(function), needs_of(m_.functions[group[0]].callees),
                own(function_name(m_, function), m_.functions[group[0]].body.frame));
    }
}

std::vector<std::string> FrameNeeds::needs_of(const std::vector<int> &callees) {
    std::vector<std::string> names;
    for (int callee : callees)
        names.push_back(need_of(callee));
    return names;
}

void FrameNeeds::largest_function() {
    std::vector<std::string> frames;
    for (size_t i = 0; i < m_.functions.size(); i++)
        frames.push_back(own(function_name(m_, static_cast<int>(i)), m_.functions[i].body.frame));
    maximum("largest_function", frames, "0u");
}

void FrameNeeds::handler(size_t i, bool recursive) {
    const std::string name = "handler" + std::to_string(i);
    // Any chain of TAPIR_NESTING calls fits.
    const std::vector<std::string> terms =
        recursive ? std::vector<std::string>{"TAPIR_FRAMES(largest_function, TAPIR_NESTING)"}
                  : needs_of(m_.handlers[i].callees);
    maximum("need_" + name, terms, own(name, m_.handlers[i].body.frame));
}

std::string FrameNeeds::text() {
    bool recursive = false;
    for (const ir::Function &f : m_.functions)
        recursive |= f.recursive;
    if (recursive)
        largest_function();
    else
        functions();
    std::vector<std::string> tops;
    for (size_t i = 0; i < m_.handlers.size(); i++) {
        if (m_.handlers[i].same_as >= 0) continue;
        handler(i, recursive);
        tops.push_back("need_handler" + std::to_string(i));
    }
    maximum("need_frame", tops, "16u");
    return "enum {\n" + lines_ + "};\n\n";
}

}  // namespace

std::string frame_needs(const ir::Module &module) {
    return FrameNeeds(module).text();
}

}  // namespace tapir::emit
