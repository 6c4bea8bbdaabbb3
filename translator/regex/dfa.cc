// SPDX-License-Identifier: GPL-2.0-or-later
// Subset construction. The search is unanchored: every state also contains the start of the expression, entered anew.
#include <algorithm>
#include <map>

#include "regex/nfa.h"

namespace tapir::regex {

namespace {

using NodeSet = std::vector<int>;  // sorted; only Bytes, LineEnd and Accept nodes

// Follows forks (and ^ at the start, $ at the end) from nodes.
class Closure {
  public:
    explicit Closure(const Nfa &nfa) : nfa_(nfa), seen_(nfa.nodes.size(), 0) {}

    // The set that the added nodes lead to without a byte.
    void begin(bool at_start, bool at_end) {
        at_start_ = at_start;
        at_end_ = at_end;
        ++round_;
        set_.clear();
        accepts_ = false;
    }
    void add(int node) {
        stack_.push_back(node);
        while (!stack_.empty()) {
            int top = stack_.back();
            stack_.pop_back();
            if (top < 0 || seen_[static_cast<size_t>(top)] == round_) continue;
            seen_[static_cast<size_t>(top)] = round_;
            visit(top);
        }
    }
    bool accepts() const { return accepts_; }
    NodeSet result() {
        std::sort(set_.begin(), set_.end());
        return set_;
    }

  private:
    void visit(int number) {
        const Node &node = nfa_.nodes[static_cast<size_t>(number)];
        switch (node.kind) {
            case Node::Kind::Bytes:
                set_.push_back(number);
                break;
            case Node::Kind::Accept:
                accepts_ = true;
                break;
            case Node::Kind::Tag:
                stack_.push_back(node.out);
                break;
            case Node::Kind::LineStart:
                if (at_start_) stack_.push_back(node.out);
                break;
            case Node::Kind::LineEnd:
                set_.push_back(number);
                if (at_end_) stack_.push_back(node.out);
                break;
            case Node::Kind::Fork:
                stack_.push_back(node.other);
                stack_.push_back(node.out);
                break;
        }
    }

    const Nfa &nfa_;
    std::vector<uint32_t> seen_;  // the round in which a node was met last
    uint32_t round_ = 0;
    NodeSet set_;
    std::vector<int> stack_;
    bool at_start_ = false, at_end_ = false, accepts_ = false;
};

class Determiniser {
  public:
    Determiniser(const Nfa &nfa, Dfa &dfa) : nfa_(nfa), dfa_(dfa), closure_(nfa) {}

    bool run() {
        dfa_.classes = static_cast<uint16_t>(find_classes(nfa_, dfa_.byte_class));
        for (size_t b = 256; b-- > 0;)
            sample_[dfa_.byte_class[b]] = static_cast<unsigned char>(b);
        sets_ = {{}, {}};  // kDead and kMatch
        closure_.begin(true, false);
        closure_.add(nfa_.start);
        known_[{}] = Dfa::kDead;
        // The start has a state of its own even if its set comes again later: only there can '^' pass.
        if (closure_.accepts()) {
            dfa_.start = Dfa::kMatch;
        } else {
            dfa_.start = static_cast<uint16_t>(sets_.size());
            sets_.push_back(closure_.result());
        }
        for (size_t i = 2; i < sets_.size(); ++i) {
            if (sets_.size() > Dfa::kMaxStates) return false;
            expand(i);
        }
        fixed_row(Dfa::kDead, false);
        fixed_row(Dfa::kMatch, true);
        dfa_.states = static_cast<uint16_t>(sets_.size());
        return true;
    }

  private:
    // Returns the state of the closure's present content.
    uint16_t state() {
        if (closure_.accepts()) return Dfa::kMatch;
        NodeSet set = closure_.result();
        auto [it, fresh] = known_.try_emplace(set, static_cast<uint16_t>(sets_.size()));
        if (fresh) sets_.push_back(std::move(set));
        return it->second;
    }

    void expand(size_t number) {
        const NodeSet set = sets_[number];
        dfa_.next.resize(sets_.size() * dfa_.classes);
        for (size_t c = 0; c < dfa_.classes; ++c) {
            closure_.begin(false, false);
            for (int node : set) {
                const Node &from = nfa_.nodes[static_cast<size_t>(node)];
                if (from.kind == Node::Kind::Bytes && from.bytes[sample_[c]]) closure_.add(from.out);
            }
            closure_.add(nfa_.start);
            uint16_t target = state();
            dfa_.next.resize(sets_.size() * dfa_.classes);
            dfa_.next[number * dfa_.classes + c] = target;
        }
        closure_.begin(number == dfa_.start, true);
        for (int node : set)
            closure_.add(node);
        dfa_.at_end.resize(sets_.size());
        dfa_.at_end[number] = closure_.accepts();
    }

    void fixed_row(uint16_t number, bool accepts) {
        dfa_.next.resize(sets_.size() * dfa_.classes);
        dfa_.at_end.resize(sets_.size());
        for (size_t c = 0; c < dfa_.classes; ++c)
            dfa_.next[number * dfa_.classes + c] = number;
        dfa_.at_end[number] = accepts;
    }

    const Nfa &nfa_;
    Dfa &dfa_;
    Closure closure_;
    std::array<unsigned char, 256> sample_{};  // a byte of each class
    std::vector<NodeSet> sets_;
    std::map<NodeSet, uint16_t> known_;
};

// Merges states that no string distinguishes, by refining a partition until it is stable.
void minimise(Dfa &dfa) {
    const size_t states = dfa.states, classes = dfa.classes;
    std::vector<uint16_t> block(states);
    for (size_t s = 0; s < states; ++s)
        block[s] = s == Dfa::kMatch ? 1 : dfa.at_end[s] ? 2 : 0;
    for (size_t count = 0;;) {
        std::map<std::vector<uint16_t>, uint16_t> rows;
        std::vector<uint16_t> refined(states);
        for (size_t s = 0; s < states; ++s) {
            std::vector<uint16_t> row{block[s]};
            for (size_t c = 0; c < classes; ++c)
                row.push_back(block[dfa.next[s * classes + c]]);
            refined[s] = rows.try_emplace(std::move(row), static_cast<uint16_t>(rows.size())).first->second;
        }
        block = std::move(refined);
        if (rows.size() == count) break;
        count = rows.size();
    }
    // kDead and kMatch are the first two states, so their blocks are 0 and 1.
    Dfa small;
    small.byte_class = dfa.byte_class;
    small.classes = dfa.classes;
    small.groups = dfa.groups;
    small.start = block[dfa.start];
    small.states = static_cast<uint16_t>(*std::max_element(block.begin(), block.end()) + 1);
    small.next.resize(small.states * classes);
    small.at_end.resize(small.states);
    for (size_t s = 0; s < states; ++s) {
        for (size_t c = 0; c < classes; ++c)
            small.next[block[s] * classes + c] = block[dfa.next[s * classes + c]];
        small.at_end[block[s]] = dfa.at_end[s];
    }
    dfa = std::move(small);
}

}  // namespace

bool compile(std::string_view pattern, Dfa &dfa, Error &error) {
    dfa = Dfa{};
    Nfa nfa;
    if (!parse(pattern, false, nfa, error)) return false;
    dfa.groups = nfa.groups;
    if (!Determiniser(nfa, dfa).run()) {
        error = {"needs too many states", 0};
        return false;
    }
    minimise(dfa);
    return true;
}

bool matches(const Dfa &dfa, std::string_view text) {
    uint16_t state = dfa.start;
    for (char c : text)
        state = dfa.next[static_cast<size_t>(state) * dfa.classes + dfa.byte_class[static_cast<unsigned char>(c)]];
    return dfa.at_end[state] != 0;
}

}  // namespace tapir::regex
