// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstring>
#include <deque>

#include "fixture.h"

namespace tapir::test {
namespace {

// Structures as the kernel's, with other things before and between.
struct Dentry {
    u64 before = 1;
    const Dentry *parent = nullptr;
    u32 length = 0;
    const char *name = nullptr;
};
struct Vfsmount {
    u32 before = 2;
    const Dentry *root = nullptr;
};
struct Mount {
    Mount *parent = nullptr;
    const Dentry *mountpoint = nullptr;
    Vfsmount mount;
};

const tapir_path_layout kLayout = {offsetof(Dentry, parent),   offsetof(Dentry, name), offsetof(Dentry, length),
                                   offsetof(Vfsmount, root),   offsetof(Mount, mount), offsetof(Mount, parent),
                                   offsetof(Mount, mountpoint)};

class Path : public Runtime {
  protected:
    const Dentry *fs_root() {
        dentries_.push_back({1, nullptr, 1, "/"});
        dentries_.back().parent = &dentries_.back();
        return &dentries_.back();
    }
    const Dentry *below(const Dentry *parent, const char *name) {
        dentries_.push_back({1, parent, static_cast<u32>(strlen(name)), name});
        return &dentries_.back();
    }
    Mount *mount(const Dentry *root, Mount *parent = nullptr, const Dentry *mountpoint = nullptr) {
        mounts_.push_back({parent, mountpoint, {2, root}});
        if (!parent) mounts_.back().parent = &mounts_.back();
        return &mounts_.back();
    }
    static tapir_path at(const Dentry *dentry, const Mount *mount) {
        return {address(dentry), mount ? address(&mount->mount) : 0};
    }

    std::string path(tapir_path from, tapir_path root = {}, u32 cap = Buffer::cap) {
        Buffer to;
        memset(to.text, 'x', sizeof to.text);
        if (!c_) enter();
        tapir_path_text(c_, &kLayout, from, root, to.text, cap);
        EXPECT_LT(strnlen(to.text, Buffer::cap), cap);
        return to.text;
    }

    std::deque<Dentry> dentries_;
    std::deque<Mount> mounts_;
};

TEST_F(Path, IsThatOfAllMountsOrFromTheRootOfTheTask) {
    const Dentry *top = fs_root(), *srv = below(top, "srv"), *data = below(srv, "data");
    const Dentry *inner = fs_root(), *a = below(inner, "a"), *b = below(a, "b.txt");
    Mount *first = mount(top), *second = mount(inner, first, data);
    EXPECT_EQ(path(at(data, first)), "/srv/data");
    EXPECT_EQ(path(at(b, second)), "/srv/data/a/b.txt");
    EXPECT_EQ(path(at(inner, second)), "/srv/data");
    EXPECT_EQ(path(at(top, first)), "");
    EXPECT_EQ(path(at(b, second), at(srv, first)), "/data/a/b.txt");
    EXPECT_EQ(path(at(b, second), at(a, second)), "/b.txt");
    EXPECT_EQ(path(at(a, second), at(a, second)), "");
    // Not below the task's root, and mounted twice over.
    EXPECT_EQ(path(at(srv, first), at(a, second)), "/srv");
    EXPECT_EQ(path(at(below(fs_root(), "z"), nullptr), at(a, second)), "/z");
    Mount *third = mount(fs_root(), second, inner);
    EXPECT_EQ(path(at(third->mount.root, third)), "/srv/data");
    // A part of a file system is mounted: what is outside is not below its mount.
    Mount *part = mount(a, first, srv);
    EXPECT_EQ(path(at(b, part)), "/srv/b.txt");
    EXPECT_EQ(path(at(inner, part)), "<unknown>");
    finish();
}

TEST_F(Path, IsBoundedAndCut) {
    const Dentry *deepest = fs_root(), *root = deepest;
    Mount *only = mount(root);
    for (u32 i = 0; i < TAPIR_PATH_STEPS + 10; ++i)
        deepest = below(deepest, "d");
    EXPECT_EQ(path(at(deepest, only), {}, 16), ".../d/d/d/d/d/d");
    // A circle of directories.
    Dentry first{1, nullptr, 1, "1"}, second{1, &first, 1, "2"};
    first.parent = &second;
    EXPECT_EQ(path(at(&second, only), {}, 8), ".../1/2");
    EXPECT_EQ(path(at(below(root, "0123456789"), only), {}, 8), "/012345");
    // Longer than the scratch memory.
    const std::string name(255, 'n');
    const Dentry *long_one = root;
    for (int i = 0; i < 20; ++i)
        long_one = below(long_one, name.c_str());
    EXPECT_EQ(path(at(long_one, only), {}, 16), ".../nnnnnnnnnnn");
    // A length that is not the name's.
    Dentry odd{1, root, 0xffffffff, name.c_str()};
    EXPECT_EQ(path(at(&odd, only), {}, 8), "/nnnnnn");
    Dentry shorter{1, root, 9, "new\0other"};
    EXPECT_EQ(path(at(&shorter, only)), "/new");
    finish();
}

TEST_F(Path, FaultsAreErrors) {
    const Dentry *root = fs_root(), *file = below(below(root, "a"), "b");
    Mount *outer = mount(fs_root()), *only = mount(root, outer, below(outer->mount.root, "m"));
    const std::string whole = path(at(file, only));
    EXPECT_EQ(whole, "/m/a/b");
    finish();
    bool reached_end = false;
    for (u64 n = 1; n < 100 && !reached_end; ++n) {
        enter();
        tapir_host.fail_read = n;
        const std::string text = path(at(file, only));
        reached_end = tapir_host.fail_read != 0;
        tapir_host.fail_read = 0;
        EXPECT_EQ(c_->failed == 0, reached_end) << n;
        if (c_->failed) {
            EXPECT_EQ(text, "") << n;
            EXPECT_NE(std::string(c_->message).find("read fault"), std::string::npos);
        }
        finish();
    }
    EXPECT_TRUE(reached_end);
    Dentry nameless{1, root, 3, nullptr};
    path(at(&nameless, only));
    EXPECT_NE(c_->failed, 0u);
    finish();
}

struct Node {
    u32 before = 3;
    const Node *parent = nullptr;
    const char *name = nullptr;
};

class NodePath : public Runtime {
  protected:
    std::string path(const Node &node, u32 cap = Buffer::cap) {
        static const tapir_node_layout layout = {offsetof(Node, parent), offsetof(Node, name)};
        Buffer to;
        memset(to.text, 'x', sizeof to.text);
        if (!c_) enter();
        tapir_node_path_text(c_, &layout, address(&node), to.text, cap);
        EXPECT_LT(strnlen(to.text, Buffer::cap), cap);
        return to.text;
    }
};

TEST_F(NodePath, IsThatOfAllNodesBelowTheRoot) {
    const Node root{3, nullptr, ""}, a{3, &root, "system.slice"}, b{3, &a, "b c"};
    EXPECT_EQ(path(root), "/");
    EXPECT_EQ(path(a), "/system.slice");
    EXPECT_EQ(path(b), "/system.slice/b c");
    EXPECT_EQ(path(b, 8), "/system");
    finish();
}

TEST_F(NodePath, IsBoundedAndCut) {
    Node first{3, nullptr, "1"}, second{3, &first, "2"};
    first.parent = &second;
    EXPECT_EQ(path(second, 8), ".../1/2");
    const std::string name(255, 'n');
    const Node root{3, nullptr, ""};
    std::deque<Node> nodes = {root};
    for (int i = 0; i < 20; ++i)
        nodes.push_back({3, &nodes.back(), name.c_str()});
    EXPECT_EQ(path(nodes.back(), 16), ".../nnnnnnnnnnn");
    EXPECT_EQ(path(nodes[1], 16), "/nnnnnnnnnnnnnn");
    finish();
}

TEST_F(NodePath, FaultsAreErrors) {
    const Node root{3, nullptr, ""}, a{3, &root, "a"};
    path(a);
    finish();
    for (u64 n = 1; n <= 4; ++n) {
        enter();
        tapir_host.fail_read = n;
        EXPECT_EQ(path(a), "") << n;
        tapir_host.fail_read = 0;
        EXPECT_NE(c_->failed, 0u) << n;
        finish();
    }
}

}  // namespace
}  // namespace tapir::test
