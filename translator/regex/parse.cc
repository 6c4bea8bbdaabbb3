// SPDX-License-Identifier: GPL-2.0-or-later
// Recursive descent over the expression. A part of the graph under construction is a fragment: the node it is entered
// by and the node all its ends lead to, whose `out` is still open.
#include <cctype>
#include <memory>
#include <optional>

#include "regex/nfa.h"

namespace tapir::regex {

namespace {

constexpr int kUnlimited = -1;
constexpr int kMaxRepeat = 1000;
constexpr int kMaxDepth = 200;

// The parsed expression; repetition needs several copies of a part, so the graph is built from this tree.
struct Tree {
    enum class Kind { Bytes, LineStart, LineEnd, Sequence, Choice, Repeat, Group };
    Kind kind = Kind::Sequence;
    ByteSet bytes;
    std::vector<std::unique_ptr<Tree>> parts;
    int least = 0, most = 0;  // Repeat
    uint32_t group = 0;       // Group: its number, from 1
};
using TreePtr = std::unique_ptr<Tree>;

TreePtr make(Tree::Kind kind) {
    auto tree = std::make_unique<Tree>();
    tree->kind = kind;
    return tree;
}

class Parser {
  public:
    Parser(std::string_view pattern, Error &error) : text_(pattern), error_(error) {}

    TreePtr run() {
        TreePtr tree = choice();
        // SystemTap leaves out a ')' at the very end that closes nothing.
        if (tree && at_ + 1 < text_.size()) return fail("unbalanced ')'", at_);
        return tree;
    }
    uint32_t groups() const { return groups_; }

  private:
    TreePtr fail(std::string message, size_t where) {
        if (error_.message.empty()) error_ = {std::move(message), where};
        return nullptr;
    }
    bool more() const { return at_ < text_.size(); }
    bool take(char c) {
        if (!more() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    TreePtr choice() {
        if (++depth_ > kMaxDepth) return fail("groups are nested too deeply", at_);
        TreePtr tree = make(Tree::Kind::Choice);
        do {
            TreePtr part = sequence();
            if (!part) return nullptr;
            tree->parts.push_back(std::move(part));
        } while (take('|'));
        --depth_;
        return tree;
    }

    TreePtr sequence() {
        TreePtr tree = make(Tree::Kind::Sequence);
        while (more() && text_[at_] != '|' && text_[at_] != ')') {
            TreePtr part = repeat();
            if (!part) return nullptr;
            tree->parts.push_back(std::move(part));
        }
        return tree;
    }

    TreePtr repeat() {
        TreePtr part = atom();
        while (part && more()) {
            int least = 0, most = kUnlimited;
            if (take('*')) {
            } else if (take('+')) {
                least = 1;
            } else if (take('?')) {
                most = 1;
            } else if (text_[at_] == '{') {
                if (!interval(least, most)) return nullptr;
            } else {
                break;
            }
            TreePtr tree = make(Tree::Kind::Repeat);
            tree->least = least;
            tree->most = most;
            tree->parts.push_back(std::move(part));
            part = std::move(tree);
        }
        return part;
    }

    bool interval(int &least, int &most) {
        const size_t open = at_++;
        std::optional<int> low = number();
        if (!low) return fail("expected a number after '{'", open) != nullptr;
        least = most = *low;
        if (take(',')) most = number().value_or(kUnlimited);
        if (!take('}')) return fail("unclosed '{'", open) != nullptr;
        if (least > kMaxRepeat || most > kMaxRepeat)
            return fail("repetition count above " + std::to_string(kMaxRepeat), open) != nullptr;
        if (most != kUnlimited && most < least) return fail("repetition counts in the wrong order", open) != nullptr;
        return true;
    }

    std::optional<int> number() {
        constexpr int kTooLarge = kMaxRepeat + 1;
        std::optional<int> value;
        while (more() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
            value = std::min(value.value_or(0) * 10 + (text_[at_++] - '0'), kTooLarge);
        }
        return value;
    }

    TreePtr atom() {
        const size_t here = at_;
        const char c = text_[at_++];
        switch (c) {
            case '(': {
                TreePtr tree = make(Tree::Kind::Group);
                tree->group = ++groups_;
                tree->parts.push_back(choice());
                if (!tree->parts[0]) return nullptr;
                return take(')') ? std::move(tree) : fail("unclosed '('", here);
            }
            case '[':
                return bracket(here);
            case '^':
                return make(Tree::Kind::LineStart);
            case '$':
                return make(Tree::Kind::LineEnd);
            case '.': {
                TreePtr tree = make(Tree::Kind::Bytes);
                tree->bytes.set();
                tree->bytes.reset(0);
                return tree;
            }
            case '*':
            case '+':
            case '?':
            case '{':
                return fail(std::string("nothing before '") + c + "' to repeat", here);
            case '\\':
                if (!more()) return fail("trailing backslash", here);
                if (text_[at_] >= '1' && text_[at_] <= '9') return fail("back-references are not supported", here);
                return byte(text_[at_++]);
            default:
                return byte(c);
        }
    }

    static TreePtr byte(char c) {
        TreePtr tree = make(Tree::Kind::Bytes);
        tree->bytes.set(static_cast<unsigned char>(c));
        return tree;
    }

    // A byte in brackets: as itself, or behind a backslash, which POSIX does not have there. False at the end.
    bool take_byte(unsigned char &byte) {
        if (more() && text_[at_] == '\\') ++at_;
        if (!more()) return false;
        byte = static_cast<unsigned char>(text_[at_++]);
        return true;
    }

    // After '[': a first ']' is literal, '-' is literal at either end.
    TreePtr bracket(size_t open) {
        TreePtr tree = make(Tree::Kind::Bytes);
        const bool negated = take('^');
        for (bool first = true; first || !more() || text_[at_] != ']'; first = false) {
            if (!more()) return fail("unclosed character class", open);
            if (text_.substr(at_, 2) == "[:") {
                if (!named_class(tree->bytes)) return nullptr;
                continue;
            }
            const size_t begin = at_;
            unsigned char low = 0;
            if (!take_byte(low)) return fail("unclosed character class", open);
            unsigned char high = low;
            if (at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']') {
                ++at_;
                if (!take_byte(high)) return fail("unclosed character class", open);
                if (high < low) return fail("character range in the wrong order", begin);
            }
            for (unsigned b = low; b <= high; ++b)
                tree->bytes.set(b);
        }
        ++at_;
        if (negated) tree->bytes.flip();
        tree->bytes.reset(0);
        return tree;
    }

    bool named_class(ByteSet &bytes) {
        static constexpr struct {
            std::string_view name;
            int (*test)(int);
        } kClasses[] = {{"alpha", isalpha}, {"digit", isdigit}, {"alnum", isalnum}, {"upper", isupper},
                        {"lower", islower}, {"space", isspace}, {"blank", isblank}, {"punct", ispunct},
                        {"print", isprint}, {"graph", isgraph}, {"cntrl", iscntrl}, {"xdigit", isxdigit}};
        const size_t end = text_.find(":]", at_ + 2);
        if (end == std::string_view::npos) return fail("unclosed character class", at_) != nullptr;
        const std::string_view name = text_.substr(at_ + 2, end - at_ - 2);
        for (const auto &known : kClasses) {
            if (known.name != name) continue;
            for (int b = 1; b < 128; ++b) {
                if (known.test(b)) bytes.set(static_cast<size_t>(b));
            }
            at_ = end + 2;
            return true;
        }
        return fail("unknown character class [:" + std::string(name) + ":]", at_) != nullptr;
    }

    std::string_view text_;
    Error &error_;
    size_t at_ = 0;
    int depth_ = 0;
    uint32_t groups_ = 0;
};

// Builds the graph from the end: each part gets its successor and returns its entry.
class GraphBuilder {
  public:
    GraphBuilder(Nfa &nfa, bool tags) : nfa_(nfa), tags_(tags) {}

    bool too_large() const { return nfa_.nodes.size() > Nfa::kMaxNodes; }

    int add(Node::Kind kind, int out, int other = -1) {
        if (too_large()) return 0;
        nfa_.nodes.push_back({kind, out, other, {}, 0});
        return static_cast<int>(nfa_.nodes.size()) - 1;
    }

    int build(const Tree &tree, int next) {
        if (too_large()) return next;
        switch (tree.kind) {
            case Tree::Kind::Bytes: {
                int node = add(Node::Kind::Bytes, next);
                nfa_.nodes[static_cast<size_t>(node)].bytes = tree.bytes;
                return node;
            }
            case Tree::Kind::LineStart:
                return add(Node::Kind::LineStart, next);
            case Tree::Kind::LineEnd:
                return add(Node::Kind::LineEnd, next);
            case Tree::Kind::Sequence:
                for (auto it = tree.parts.rbegin(); it != tree.parts.rend(); ++it)
                    next = build(**it, next);
                return next;
            case Tree::Kind::Choice: {
                int entry = build(*tree.parts.back(), next);
                for (size_t i = tree.parts.size() - 1; i-- > 0;)
                    entry = add(Node::Kind::Fork, build(*tree.parts[i], next), entry);
                return entry;
            }
            case Tree::Kind::Group:
                return tag(2 * tree.group, build(*tree.parts[0], tag(2 * tree.group + 1, next)));
            case Tree::Kind::Repeat:
                return repeat(tree, next);
        }
        return next;
    }

  private:
    int tag(uint32_t number, int next) {
        if (!tags_) return next;
        int node = add(Node::Kind::Tag, next);
        nfa_.nodes[static_cast<size_t>(node)].tag = number;
        return node;
    }

    int repeat(const Tree &tree, int next) {
        const Tree &part = *tree.parts[0];
        if (tree.most == kUnlimited) {
            int loop = add(Node::Kind::Fork, -1, next);
            int body = build(part, loop);
            if (!too_large()) nfa_.nodes[static_cast<size_t>(loop)].out = body;
            next = loop;
        } else {
            const int end = next;
            for (int i = tree.least; i < tree.most; ++i)
                next = add(Node::Kind::Fork, build(part, next), end);
        }
        for (int i = 0; i < tree.least; ++i)
            next = build(part, next);
        return next;
    }

    Nfa &nfa_;
    bool tags_;
};

}  // namespace

bool parse(std::string_view pattern, bool tags, Nfa &nfa, Error &error) {
    Parser parser(pattern, error);
    TreePtr tree = parser.run();
    if (!tree) return false;
    GraphBuilder builder(nfa, tags);
    nfa.start = builder.build(*tree, builder.add(Node::Kind::Accept, -1));
    nfa.groups = parser.groups();
    if (!builder.too_large()) return true;
    error = {"too large", 0};
    return false;
}

}  // namespace tapir::regex
