// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/cards.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/quoting.h"
#include "report/idle_waits.h"

namespace tapir::report {

namespace {

constexpr double kFork = 0.05, kKeeps = 0.7;
constexpr size_t kMostCallers = 2;

// A function's own value is a branch like those that it calls.
struct Branch {
    uint32_t node = 0;
    bool self = false;
    int64_t value = 0, before = 0;
    uint64_t count = 0;
};

class Maker {
  public:
    Maker(const CallTree &tree, const FrameTable &frames, const std::vector<Owner> &owners)
        : tree_(tree), frames_(frames), owners_(owners), children_(tree) {}
    std::vector<Card> make();

  private:
    const FrameText &frame(uint32_t node) const { return frames_[tree_.nodes[node].frame]; }
    Owner owner(uint32_t node) const { return owners_[tree_.nodes[node].frame]; }
    bool is_idle(uint32_t node) const { return node && owner(node) == Owner::Fact && frame(node).name == kIdle; }
    bool is_own(uint32_t node) const {
        return node && (owner(node) == Owner::Own || owner(node) == Owner::Script) && frame(node).resolved &&
               !only_starts(frame(node));
    }

    Branch branch_of(uint32_t node) const;
    // Returns the branch of the node's own value, without its children's.
    Branch self_of(uint32_t node) const;
    // The branches where it forks; none: it does not.
    std::vector<Branch> split(const Branch &branch) const;
    // The nodes that have most of it, from its own on.
    std::vector<uint32_t> way(const Branch &branch) const;
    void name(const Branch &branch, Card &card) const;
    void name_by(const Branch &branch, const std::vector<uint32_t> &way, Card &card) const;

    const CallTree &tree_;
    const FrameTable &frames_;
    const std::vector<Owner> &owners_;
    const Children children_;
};

Branch Maker::branch_of(uint32_t node) const {
    const TreeNode &at = tree_.nodes[node];
    return {node, false, at.total, at.old_total, at.count};
}

Branch Maker::self_of(uint32_t node) const {
    const TreeNode &at = tree_.nodes[node];
    Branch out{node, true, at.self, at.old_self, at.count};
    for (const uint32_t child : children_.of(node))
        out.count -= tree_.nodes[child].count;
    return out;
}

std::vector<Branch> Maker::split(const Branch &branch) const {
    if (branch.self || is_idle(branch.node)) return {};
    const double least = kFork * static_cast<double>(tree_.nodes[0].total);
    for (uint32_t node = branch.node;;) {
        std::vector<Branch> wide;
        for (const uint32_t child : children_.of(node)) {
            if (static_cast<double>(tree_.nodes[child].total) < least) break;
            wide.push_back(branch_of(child));
        }
        if (wide.size() >= 2) {
            if (static_cast<double>(tree_.nodes[node].self) >= least) wide.push_back(self_of(node));
            return wide;
        }
        if (wide.empty() || static_cast<double>(wide[0].value) < kKeeps * static_cast<double>(branch.value)) return {};
        node = wide[0].node;
    }
}

std::vector<uint32_t> Maker::way(const Branch &branch) const {
    std::vector<uint32_t> out = {branch.node};
    if (branch.self) return out;
    while (!children_.of(out.back()).empty()) {
        const uint32_t child = children_.of(out.back())[0];
        if (static_cast<double>(tree_.nodes[child].total) < kKeeps * static_cast<double>(branch.value)) break;
        out.push_back(child);
    }
    return out;
}

// Without an own function.
void Maker::name_by(const Branch &branch, const std::vector<uint32_t> &way, Card &card) const {
    const auto find = [&](auto good) { return std::find_if(way.begin(), way.end(), good); };
    const auto is_code = [this](uint32_t node) { return node && owner(node) != Owner::Fact; };
    const auto is_named = [&](uint32_t node) {
        return is_code(node) && frame(node).resolved && !only_starts(frame(node)) && !only_enters(frame(node));
    };
    auto at = find(is_named);
    // Where nothing has a name, it is the last file that is known; of what has no code, the reason for that.
    if (at == way.end()) {
        const auto last = std::find_if(way.rbegin(), way.rend(), is_code);
        at = last == way.rend() ? way.end() - 1 : last.base() - 1;
    }
    card.named = *at;
    // Its own time, which no own function has: what has called it, too.
    if (branch.self && !is_named(*at))
        for (uint32_t node = *at; node; node = tree_.nodes[node].parent)
            if (is_named(node)) {
                card.named = node;
                return;
            }
}

void Maker::name(const Branch &branch, Card &card) const {
    const std::vector<uint32_t> way = this->way(branch);
    const auto own = std::find_if(way.rbegin(), way.rend(), [this](uint32_t node) { return is_own(node); });
    if (own != way.rend()) {
        card.named = *own;
        // The function that it calls: the first behind it that has a name.
        for (auto next = own.base(); next != way.end() && card.calls.empty(); ++next)
            if (frame(*next).resolved && owner(*next) != Owner::Fact) card.calls = short_name(frame(*next));
    } else {
        name_by(branch, way, card);
    }
    card.owner = card.named ? owner(card.named) : Owner::Fact;
    card.name = card.named ? short_name(frame(card.named)) : "all";
    for (uint32_t node = card.named ? tree_.nodes[card.named].parent : 0; node; node = tree_.nodes[node].parent) {
        const FrameText &text = frame(node);
        const std::string caller = short_name(text);
        const std::string &last = card.callers.empty() ? card.name : card.callers.back();
        if (is_own(node) && card.callers.size() < kMostCallers && caller != last) card.callers.push_back(caller);
        if (owner(node) == Owner::Fact && text.name[0] != '[' && text.name != "--") card.label = text.name;
    }
}

std::vector<Card> Maker::make() {
    const TreeNode &root = tree_.nodes[0];
    if (root.total <= 0) return {};
    std::vector<Branch> branches = {branch_of(0)}, done;
    const auto wider = [](const Branch &a, const Branch &b) { return a.value > b.value; };
    const auto wider_card = [](const Card &a, const Card &b) { return a.value > b.value; };
    while (!branches.empty() && branches.size() + done.size() < kMostCards) {
        std::stable_sort(branches.begin(), branches.end(), wider);
        const Branch widest = branches.front();
        branches.erase(branches.begin());
        const std::vector<Branch> parts = split(widest);
        if (parts.empty())
            done.push_back(widest);
        else
            branches.insert(branches.end(), parts.begin(), parts.end());
    }
    done.insert(done.end(), branches.begin(), branches.end());
    std::stable_sort(done.begin(), done.end(), wider);
    // A fork of many has more.
    if (done.size() > kMostCards) done.resize(kMostCards);
    std::vector<Card> cards, idle;
    Card rest;
    rest.kind = Card::Kind::Elsewhere;
    rest.name = "elsewhere";
    rest.value = root.total;
    rest.before = root.old_total;
    rest.count = root.count;
    for (const Branch &branch : done) {
        Card card;
        card.node = branch.node;
        card.value = branch.value;
        card.before = branch.before;
        card.count = branch.count;
        name(branch, card);
        // As much as the box of the name, so that a reader finds it in the picture.
        if (!branch.self && !is_idle(branch.node) && card.named) {
            card.value = tree_.nodes[card.named].total;
            card.before = tree_.nodes[card.named].old_total;
            card.count = tree_.nodes[card.named].count;
        }
        rest.value -= card.value;
        rest.before -= card.before;
        rest.count -= card.count;
        if (is_idle(branch.node)) {
            card.kind = Card::Kind::Idle;
            const std::vector<uint32_t> way = this->way(branch);
            const std::string what = way.size() > 1 ? frame(way[1]).name : "";
            card.name = what.size() > 2 && what[0] == '[' ? "idle: " + what.substr(1, what.size() - 2) : "idle";
            card.owner = Owner::Fact;
            card.calls.clear();
            card.callers.clear();
        }
        (card.kind == Card::Kind::Idle ? idle : cards).push_back(std::move(card));
    }
    std::stable_sort(cards.begin(), cards.end(), wider_card);
    if (rest.value > 0 || rest.before > 0) cards.push_back(std::move(rest));
    cards.insert(cards.end(), idle.begin(), idle.end());
    return cards;
}

// Removes what stands between brackets, however deep they are; `open` is '<' or '('. Keeps what operators have in their
// names, "(anonymous namespace)" and the "(*Server)" of Go.
std::string without(std::string_view name, char open, char close) {
    std::string out;
    size_t depth = 0;
    for (size_t i = 0; i < name.size(); i++) {
        const std::string_view before = name.substr(0, i);
        const bool kept = before.empty() || before.ends_with("operator") ||
                          (open == '<' && before.ends_with("operator<")) ||
                          (open == '(' && (before.ends_with(".") || name.substr(i).starts_with("(anonymous")));
        if (name[i] == open && (depth || !kept)) {
            depth++;
        } else if (name[i] == close && depth && !before.ends_with("-")) {
            depth--;
        } else if (!depth) {
            out += name[i];
        }
    }
    // Brackets without an end: the name is not what it looks like.
    return depth ? std::string(name) : out;
}

}  // namespace

std::string Card::text(size_t width) const {
    std::string out = (label.empty() ? "" : label + ": ") + name;
    if (!calls.empty()) out += " › " + calls;
    for (size_t i = 0; i < callers.size(); i++) {
        const std::string longer = out + (i ? " < " : " in ") + callers[i];
        if (printable_width(longer) > width) break;
        out = longer;
    }
    return out;
}

std::string short_name(const FrameText &frame) {
    const std::string &name = frame.name;
    if (!frame.resolved || frame.origin == Origin::Script || frame.origin == Origin::Mark) return name;
    std::string out = name.substr(0, name.find(" [clone "));
    out = without(without(out, '<', '>'), '(', ')');
    constexpr std::string_view kAnonymous = "(anonymous namespace)::";
    for (size_t at = 0; (at = out.find(kAnonymous)) != std::string::npos;)
        out.erase(at, kAnonymous.size());
    for (const std::string_view end : {" const", " volatile", "[abi:cxx11]"})
        if (out.ends_with(end)) out.erase(out.size() - end.size());
    for (const char *suffix : {".isra.", ".constprop.", ".part.", ".cold", ".lto_priv.", ".llvm.", "@"})
        if (const size_t at = out.find(suffix); at != std::string::npos) out.erase(at);
    // The type that a template's function returns.
    const size_t blank = out.rfind(' ');
    if (blank != std::string::npos && out[0] != '<' && out.find_first_of("({") == std::string::npos &&
        out.find("operator") == std::string::npos)
        out.erase(0, blank + 1);
    return out.empty() ? name : out;
}

std::vector<Card> make_cards(const CallTree &tree, const FrameTable &frames, const std::vector<Owner> &owners) {
    return Maker(tree, frames, owners).make();
}

}  // namespace tapir::report
