// SPDX-License-Identifier: GPL-2.0-or-later
// Determinising with tags. A state is a list of threads, best first; a thread is a node of the graph and, for each tag
// (an end of a group), where its value is: in a register, unset, or "here", the position before the next byte, which
// the edge that reads that byte puts into a register. Registers are numbered by first appearance in the list, so that
// two states that differ only in register names are one; the edge to it copies the values into their places.
#include <algorithm>
#include <map>

#include "regex/match_table.h"
#include "regex/nfa.h"

namespace tapir::regex {

namespace {

// Where a tag's value is: a register number or one of these.
using Source = uint8_t;
constexpr Source kHere = Table::kFromHere;
constexpr Source kUnset = Table::kFromUnset;
// While an edge is built: the position that was "here" before the byte.
constexpr Source kEdgeHere = 0xfd;

struct Thread {
    int node;
    int origin;  // threads with one number began at the same place; smaller is further left
    std::vector<Source> tags;
    auto operator<=>(const Thread &) const = default;
};

struct State {
    std::vector<Thread> threads;
    bool found = false;  // a match was found: later beginnings do not count any more
    auto operator<=>(const State &) const = default;
};

class TaggedBuilder {
  public:
    TaggedBuilder(const Nfa &nfa, Table &table, Error &error) : nfa_(nfa), table_(table), error_(error) {}

    bool run() {
        table_.classes = static_cast<uint16_t>(find_classes(nfa_, table_.byte_class));
        table_.groups = static_cast<uint8_t>(nfa_.groups + 1);
        for (size_t b = 256; b-- > 0;)
            sample_[table_.byte_class[b]] = static_cast<unsigned char>(b);
        number(State{});  // kDead
        State start;
        begin();
        enter(start, 0, true);
        table_.start = number(start);
        for (size_t i = 0; i < states_.size(); ++i) {
            if (states_.size() > Dfa::kMaxStates || too_large_) {
                error_ = {"needs too many states", 0};
                return false;
            }
            expand(i);
        }
        table_.states = static_cast<uint16_t>(states_.size());
        table_.registers = static_cast<uint8_t>(spare_used_ ? Table::kMaxRegisters : most_registers_);
        return true;
    }

  private:
    // ---- threads

    void begin() { seen_.assign(nfa_.nodes.size(), false); }

    // Appends the threads that `from` leads to without a byte, best first.
    void follow(State &state, Thread from, bool at_start, bool at_end) {
        std::vector<Thread> stack{std::move(from)};
        while (!stack.empty()) {
            Thread thread = std::move(stack.back());
            stack.pop_back();
            if (thread.node < 0 || seen_[static_cast<size_t>(thread.node)]) continue;
            seen_[static_cast<size_t>(thread.node)] = true;
            const Node &node = nfa_.nodes[static_cast<size_t>(thread.node)];
            Thread next = thread;
            next.node = node.out;
            switch (node.kind) {
                case Node::Kind::Bytes:
                case Node::Kind::Accept:
                    state.threads.push_back(std::move(thread));
                    break;
                case Node::Kind::LineEnd:
                    if (at_end) {
                        stack.push_back(std::move(next));
                    } else {
                        state.threads.push_back(std::move(thread));
                    }
                    break;
                case Node::Kind::LineStart:
                    if (at_start) stack.push_back(std::move(next));
                    break;
                case Node::Kind::Tag:
                    next.tags[node.tag] = kHere;
                    stack.push_back(std::move(next));
                    break;
                case Node::Kind::Fork: {
                    Thread other = std::move(thread);
                    other.node = node.other;
                    stack.push_back(std::move(other));
                    stack.push_back(std::move(next));
                    break;
                }
            }
        }
    }

    // A match may begin here.
    void enter(State &state, int origin, bool at_start) {
        Thread thread{nfa_.start, origin, std::vector<Source>(2 * (nfa_.groups + 1), kUnset)};
        thread.tags[0] = kHere;
        follow(state, std::move(thread), at_start, false);
    }

    const Node &node(const Thread &thread) const { return nfa_.nodes[static_cast<size_t>(thread.node)]; }

    // Returns the first accepting thread, or null.
    const Thread *accepting(const State &state) const {
        for (const Thread &thread : state.threads) {
            if (node(thread).kind == Node::Kind::Accept) return &thread;
        }
        return nullptr;
    }

    // Drops threads that can no longer be the leftmost match, and numbers the origins anew from 0.
    void prune(State &state) {
        if (const Thread *match = accepting(state)) {
            const int origin = match->origin;
            state.found = true;
            std::erase_if(state.threads, [&](const Thread &t) { return t.origin > origin; });
        }
        std::map<int, int> origins;
        for (const Thread &thread : state.threads)
            origins.try_emplace(thread.origin, 0);
        int next = 0;
        for (auto &[origin, fresh] : origins)
            fresh = next++;
        for (Thread &thread : state.threads)
            thread.origin = origins[thread.origin];
    }

    // ---- states and edges

    uint16_t number(State state) {
        prune(state);
        if (state.threads.empty()) state.found = true;  // the dead state
        auto [it, fresh] = known_.try_emplace(state, static_cast<uint16_t>(states_.size()));
        if (fresh) states_.push_back(std::move(state));
        return it->second;
    }

    void expand(size_t index) {
        const State from = states_[index];
        for (size_t c = 0; c < table_.classes; ++c) {
            State to;
            to.found = from.found;
            begin();
            int origin = 0;
            for (const Thread &thread : from.threads) {
                origin = std::max(origin, thread.origin + 1);
                const Node &at = node(thread);
                if (at.kind != Node::Kind::Bytes || !at.bytes[sample_[c]]) continue;
                Thread stepped{at.out, thread.origin, thread.tags};
                std::replace(stepped.tags.begin(), stepped.tags.end(), kHere, kEdgeHere);
                follow(to, std::move(stepped), false, false);
            }
            if (!to.found && index != Table::kDead) enter(to, origin, false);
            prune(to);
            table_.edge_ops.push_back(place_registers(to));
            table_.next.push_back(number(std::move(to)));
        }
        table_.accept.push_back(results(accepting(from)));
        State last;
        begin();
        for (const Thread &thread : from.threads)
            follow(last, thread, index == table_.start, true);
        prune(last);
        table_.accept_end.push_back(results(accepting(last)));
    }

    // Gives the values of a new state their registers; the list of operations that put them there.
    uint16_t place_registers(State &state) {
        std::map<Source, uint8_t> places;
        for (Thread &thread : state.threads) {
            for (Source &source : thread.tags) {
                if (source == kHere || source == kUnset) continue;
                source = places.try_emplace(source, static_cast<uint8_t>(places.size())).first->second;
            }
        }
        most_registers_ = std::max(most_registers_, places.size());
        if (most_registers_ >= Table::kMaxRegisters) too_large_ = true;
        std::vector<Table::Op> copies;
        for (const auto &[source, place] : places) {
            if (source != kEdgeHere && source != place) copies.push_back({place, source});
        }
        std::vector<Table::Op> ops = in_order(std::move(copies));
        auto here = places.find(kEdgeHere);
        if (here != places.end()) ops.push_back({here->second, Table::kFromHere});
        return list(std::move(ops));
    }

    // Returns copies that should happen at once, as a sequence: none overwrites a register that a later one reads.
    std::vector<Table::Op> in_order(std::vector<Table::Op> copies) {
        constexpr uint8_t kSpare = Table::kMaxRegisters - 1;
        std::vector<Table::Op> ops;
        while (!copies.empty()) {
            auto free = std::find_if(copies.begin(), copies.end(), [&](const Table::Op &copy) {
                return std::none_of(copies.begin(), copies.end(),
                                    [&](const Table::Op &other) { return other.from == copy.to; });
            });
            if (free == copies.end()) {
                // Only cycles are left: keep one value aside.
                const uint8_t kept = copies.front().to;
                ops.push_back({kSpare, kept});
                spare_used_ = true;
                for (Table::Op &copy : copies) {
                    if (copy.from == kept) copy.from = kSpare;
                }
                continue;
            }
            ops.push_back(*free);
            copies.erase(free);
        }
        return ops;
    }

    // Where the groups of a match are.
    uint16_t results(const Thread *match) {
        if (!match) return Table::kNo;
        std::vector<Table::Op> ops;
        for (size_t tag = 0; tag < match->tags.size(); ++tag) {
            Source source = tag == 1 ? kHere : match->tags[tag];
            ops.push_back({static_cast<uint8_t>(tag), source});
        }
        return list(std::move(ops));
    }

    // Lists that are equal are kept once.
    uint16_t list(std::vector<Table::Op> ops) {
        constexpr size_t kMaxOps = 0xfff0;
        ops.push_back({Table::kEnd, 0});
        std::vector<uint16_t> key;
        for (const Table::Op &op : ops)
            key.push_back(static_cast<uint16_t>(op.to << 8 | op.from));
        auto [it, fresh] = lists_.try_emplace(std::move(key), static_cast<uint16_t>(table_.ops.size()));
        if (fresh) table_.ops.insert(table_.ops.end(), ops.begin(), ops.end());
        if (table_.ops.size() > kMaxOps) too_large_ = true;
        return it->second;
    }

    const Nfa &nfa_;
    Table &table_;
    Error &error_;
    std::array<unsigned char, 256> sample_{};  // a byte of each class
    std::vector<bool> seen_;
    std::vector<State> states_;
    std::map<State, uint16_t> known_;
    std::map<std::vector<uint16_t>, uint16_t> lists_;
    size_t most_registers_ = 0;
    bool too_large_ = false;
    bool spare_used_ = false;
};

// Without groups the smallest automaton will do.
bool plain(std::string_view pattern, Table &table, Error &error) {
    Dfa dfa;
    if (!compile(pattern, dfa, error)) return false;
    table.states = dfa.states;
    table.classes = dfa.classes;
    table.start = dfa.start;
    table.byte_class = dfa.byte_class;
    table.next = dfa.next;
    for (uint16_t state = 0; state < dfa.states; ++state) {
        table.accept.push_back(state == Dfa::kMatch ? 0 : Table::kNo);
        table.accept_end.push_back(dfa.at_end[state] ? 0 : Table::kNo);
    }
    return true;
}

}  // namespace

bool compile_table(std::string_view pattern, bool groups, Table &table, Error &error) {
    table = Table{};
    error = Error{};
    if (!groups) return plain(pattern, table, error);
    Nfa nfa;
    if (!parse(pattern, true, nfa, error)) return false;
    if (nfa.groups + 1 > Table::kMaxGroups) {
        error = {"matched() can tell at most 9 groups apart", 0};
        return false;
    }
    return TaggedBuilder(nfa, table, error).run();
}

}  // namespace tapir::regex
