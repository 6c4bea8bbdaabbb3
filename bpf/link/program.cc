// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "bpf/link/image.h"

namespace tapir::bpf {

// Puts the functions that an entry needs behind it. Each gets what LLVM does not make: a way out of every loop for the
// verifier, a result where it has none, and addresses of the arena as numbers.
class ProgramMaker {
  public:
    ProgramMaker(const Image &image, const std::map<std::string, uint32_t> &outside, Program &out)
        : image_(image), outside_(outside), out_(out) {}

    bool run(const Function &entry, std::string &error) {
        wanted_.push_back(&entry);
        for (size_t i = 0; i < wanted_.size() && error_.empty(); i++)
            add(*wanted_[i]);
        for (const Call &call : calls_) {
            long distance = static_cast<long>(out_.functions[call.function].at) - static_cast<long>(call.at) - 1;
            out_.code[call.at].immediate = static_cast<int32_t>(distance);
        }
        if (error_.empty()) measure();
        error = error_;
        return error_.empty();
    }

  private:
    struct Call {
        size_t at, function;
    };

    size_t want(const Function *function) {
        auto found = std::ranges::find(wanted_, function);
        if (found == wanted_.end()) found = wanted_.insert(wanted_.end(), function);
        return static_cast<size_t>(found - wanted_.begin());
    }

    size_t put(Instruction i) {
        out_.code.push_back(i);
        return out_.code.size() - 1;
    }

    void fail(const Function &function, const std::string &what) {
        if (error_.empty()) error_ = function.name + "(): " + what;
    }

    static long target_of(const Code &code, size_t at) {
        const Instruction &i = code[at];
        return static_cast<long>(at) + 1 + (i.code == kGotoFar ? i.immediate : i.offset);
    }

    void add(const Function &function) {
        struct Jump {
            size_t at;
            long to;  // in the old code; -1: the way out of loops
        };
        const Code &code = function.code;
        std::vector<size_t> now(code.size() + 1);
        std::vector<Jump> jumps;
        std::vector<size_t> &called = called_.emplace_back();
        auto reference = function.references.begin();
        out_.functions.push_back({function.name, static_cast<unsigned>(out_.code.size()), function.registers});
        if (auto number = outside_.find(function.name); number != outside_.end()) {
            put(make(kCall, 0, 0, 0, static_cast<int32_t>(number->second)));
            put(make(kExit, 0));
            loops_.push_back(false);
            return;
        }
        for (size_t k = 0; k < code.size(); k++) {
            Instruction i = code[k];
            bool refers = reference != function.references.end() && reference->at == k;
            now[k] = out_.code.size();
            if (i.code == kLoadWord) {
                if (k + 1 == code.size()) return fail(function, "ends within an instruction");
                if (refers) {
                    put_address(function, i, *reference++);
                } else {
                    put(i);
                    put(code[k + 1]);
                }
                now[++k] = out_.code.size();
            } else if (i.code == kCall && i.source() == kCallsFunction) {
                std::string name = refers ? reference++->symbol : "a place without a name";
                const Function *to = image_.function(name);
                if (!to) return fail(function, "calls " + name + (refers ? "(), which is not there" : ""));
                size_t number = want(to);
                called.push_back(number);
                calls_.push_back({put(i), number});
            } else if (i.is_jump()) {
                long to = target_of(code, k);
                if (to <= static_cast<long>(k)) jumps.push_back({put(make(kMayGoto, 0)), -1});
                if (i.code == kGotoFar) i = make(kGoto, 0);
                jumps.push_back({put(i), to});
            } else {
                if (i.code == kExit && !function.returns) put(make(kSetImmediate, 0));
                put(i);
            }
        }
        now[code.size()] = out_.code.size();
        size_t way_out = out_.code.size();
        bool loops = std::ranges::any_of(jumps, [](const Jump &jump) { return jump.to < 0; });
        if (loops) put_way_out(function);
        loops_.push_back(loops);
        for (const Jump &jump : jumps) {
            if (jump.to > static_cast<long>(code.size())) return fail(function, "jumps out of itself");
            long distance = static_cast<long>(jump.to < 0 ? way_out : now[static_cast<size_t>(jump.to)]) -
                            static_cast<long>(jump.at) - 1;
            if (distance != static_cast<int16_t>(distance)) return fail(function, "is too long for its jumps");
            out_.code[jump.at].offset = static_cast<int16_t>(distance);
        }
    }

    void put_address(const Function &function, Instruction i, const Reference &reference) {
        std::optional<uint64_t> at;
        auto place = image_.functions_.find(function.name);
        if (reference.section >= 0 && place != image_.functions_.end()) {
            at = image_.places_[place->second.first][static_cast<size_t>(reference.section)];
        } else {
            at = image_.address(reference.symbol);
        }
        if (!at) return fail(function, "needs " + reference.symbol + ", which is not there");
        put(make(kSetImmediate32, i.destination(), 0, 0,
                 static_cast<int32_t>(static_cast<uint32_t>(*at + static_cast<uint64_t>(reference.addend)))));
    }

    // The verifier's limit of turns ended a loop. It is counted, and the function ends with 0.
    void put_way_out(const Function &function) {
        std::optional<uint64_t> looped = image_.address("tapir_bpf_looped");
        if (!looped) return fail(function, "has a loop, and nothing counts loops that end too early");
        put(make(kSetImmediate32, 1, 0, 0, static_cast<int32_t>(static_cast<uint32_t>(*looped))));
        put(make(kSetRegister, 1, 1, kCastOffset, kCastToArena));
        put(make(kSetImmediate, 2, 0, 0, 1));
        put(make(kAtomic64, 1, 2, 0, 0));
        put(make(kSetImmediate, 0));
        put(make(kExit, 0));
    }

    // Functions do not call themselves, so chains end.
    void measure() {
        struct Chain {
            unsigned depth = 0, stack = 0, frame = 0;
        };
        constexpr unsigned kStackUnit = 32, kLoopBytes = 16;  // the kernel counts turns of loops on the stack
        std::vector<std::optional<Chain>> known(wanted_.size());
        std::vector<bool> open(wanted_.size());
        auto chain_of = [&](auto &self, size_t f) -> Chain {
            if (known[f]) return *known[f];
            if (open[f]) {
                fail(*wanted_[f], "calls itself");
                return {};
            }
            open[f] = true;
            Chain longest;
            for (size_t to : called_[f]) {
                Chain chain = self(self, to);
                longest.depth = std::max(longest.depth, chain.depth);
                longest.stack = std::max(longest.stack, chain.stack);
                longest.frame = std::max(longest.frame, chain.frame);
            }
            longest.depth++;
            unsigned own = wanted_[f]->stack_bytes + (loops_[f] ? kLoopBytes : 0);
            longest.stack += std::max((own + kStackUnit - 1) / kStackUnit, 1u) * kStackUnit;
            longest.frame += wanted_[f]->frame_bytes;
            known[f] = longest;
            return longest;
        };
        Chain chain = chain_of(chain_of, 0);
        out_.depth = chain.depth;
        out_.stack_bytes = chain.stack;
        out_.frame_bytes = chain.frame;
    }

    const Image &image_;
    const std::map<std::string, uint32_t> &outside_;
    Program &out_;
    std::string error_;
    std::vector<const Function *> wanted_;
    std::vector<std::vector<size_t>> called_;  // by number in wanted_: the numbers of those that it calls
    std::vector<bool> loops_;                  // likewise: whether it has loops
    std::vector<Call> calls_;
};

bool Image::make_program(const Function &entry, Program &out, std::string &error,
                         const std::map<std::string, uint32_t> &outside) const {
    return ProgramMaker(*this, outside, out).run(entry, error);
}

}  // namespace tapir::bpf
