// SPDX-License-Identifier: GPL-2.0-or-later
// Texts of system calls: how every decoder shows what is in memory, of 64-bit and of 32-bit programs.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <memory>

#include "common/files.h"
#include "syscall_descriptors.h"
#include "testsuite/trees.h"

namespace tapir::test {
namespace {

constexpr u32 kCap = 512;

u64 address_of(const void *p) {
    return reinterpret_cast<u64>(p);
}

// The tables that are shipped.
class SyscallText : public ::testing::Test {
  protected:
    struct Tables {
        Diagnostics diagnostics;
        std::deque<SourceFile> files;
        syscalls::Table table;
        Descriptors descriptors;
        std::map<const syscalls::Call *, tapir_syscall> calls;
    };
    static void SetUpTestSuite() {
        tables_ = std::make_unique<Tables>();
        for (const char *name : {"syscall_flags", "syscall_structs", "syscalls"}) {
            const std::string path = tapir::source_dir() + "/tapsets/" + name + ".table";
            tables_->table.read(tables_->files.emplace_back(path, *read_file(path), Origin::Tapset),
                                tables_->diagnostics);
        }
        EXPECT_EQ(render_all(tables_->diagnostics, true), "");
    }
    static void TearDownTestSuite() { tables_.reset(); }

    // Low memory, for 32-bit programs; behind it is a page that cannot be read.
    void SetUp() override {
        void *p = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
        ASSERT_NE(p, MAP_FAILED);
        low_ = static_cast<u8 *>(p);
        ASSERT_EQ(mprotect(low_ + 4096, 4096, PROT_NONE), 0);
    }
    void TearDown() override { munmap(low_, 8192); }

    template <class T>
    u64 put(const std::vector<T> &values, size_t at = 0) {
        memcpy(low_ + at, values.data(), values.size() * sizeof(T));
        return address_of(low_ + at);
    }

    static const tapir_syscall &call(const std::string &name, bool narrow) {
        const syscalls::Call *found = tables_->table.find(name, narrow);
        if (!found) throw std::runtime_error("no call " + name);
        const auto [it, is_new] = tables_->calls.try_emplace(found);
        if (is_new) it->second = tables_->descriptors.call(*found);
        return it->second;
    }

    static std::string argstr(const std::string &name, std::vector<u64> args, bool narrow = false, u32 cap = kCap) {
        args.resize(TAPIR_SYSCALL_ARGUMENTS);
        std::vector<char> buffer(cap, 'x');
        tapir_syscall_argstr(&call(name, narrow), args.data(), narrow, buffer.data(), cap);
        EXPECT_LT(strnlen(buffer.data(), cap), cap);
        return buffer.data();
    }
    static std::string one(const std::string &name, u32 index, std::vector<u64> args, bool unquoted = false) {
        args.resize(TAPIR_SYSCALL_ARGUMENTS);
        char buffer[kCap];
        (unquoted ? tapir_syscall_unquoted : tapir_syscall_text)(&call(name, false), args.data(), false, index, buffer,
                                                                 kCap);
        return buffer;
    }
    static std::string hex(u64 n) {
        char text[24];
        snprintf(text, sizeof text, "%#llx", n);
        return text;
    }

    static std::unique_ptr<Tables> tables_;
    u8 *low_ = nullptr;
};
std::unique_ptr<SyscallText::Tables> SyscallText::tables_;

TEST_F(SyscallText, Numbers) {
    EXPECT_EQ(argstr("close", {~u64{0}}), "-1");
    EXPECT_EQ(argstr("read", {3, 0x1000, 18446744073709551615u}), "3, 0x1000, 18446744073709551615");
    EXPECT_EQ(argstr("read", {3, 0, 5}), "3, NULL, 5");
    EXPECT_EQ(argstr("read", {3, 0x1000, 4294967295u}, true), "3, 0x1000, 4294967295");
    EXPECT_EQ(argstr("lseek", {3, static_cast<u64>(-5), 2}), "3, -5, SEEK_END");
    EXPECT_EQ(argstr("lseek", {3, 0xfffffffbu, 2}, true), "3, -5, SEEK_END");
    EXPECT_EQ(argstr("pread64", {3, 0, 5, static_cast<u64>(-2)}), "3, NULL, 5, -2");
    EXPECT_EQ(argstr("pread64", {3, 0, 5, 7, 1}, true), "3, NULL, 5, 4294967303");
    EXPECT_EQ(argstr("fallocate", {3, 0, 1, 2, 3, 4}, true), "3, 0, 8589934593, 17179869187");
    EXPECT_EQ(argstr("getpid", {1, 2, 3}), "");
    EXPECT_EQ(argstr("umask", {022}), "022");
    EXPECT_EQ(argstr("fchmod", {1, 0}), "1, 000");
    EXPECT_EQ(argstr("fchmod", {1, 7}), "1, 007");
    EXPECT_EQ(argstr("fchmod", {1, 04755}), "1, 04755");
}

TEST_F(SyscallText, FlagsAndNames) {
    EXPECT_EQ(argstr("openat", {static_cast<u64>(AT_FDCWD), address_of("/etc/passwd"), O_CLOEXEC}),
              "AT_FDCWD, \"/etc/passwd\", O_RDONLY|O_CLOEXEC");
    EXPECT_EQ(argstr("openat", {5, address_of("x"), O_RDWR | O_CREAT | O_TRUNC, 0100644}),
              "5, \"x\", O_RDWR|O_CREAT|O_TRUNC, 0100644");
    EXPECT_EQ(argstr("open", {address_of("/tmp"), 020200000 | 2, 0600}), "\"/tmp\", O_RDWR|O_TMPFILE, 0600");
    EXPECT_EQ(argstr("open", {address_of(""), 0x40000000}), "\"\", O_RDONLY|0x40000000");
    EXPECT_EQ(argstr("dup3", {1, 2, 1}), "1, 2, 0x1 /* O_??? */");
    EXPECT_EQ(argstr("dup3", {1, 2, 0}), "1, 2, 0");
    EXPECT_EQ(argstr("access", {0, 0}), "NULL, F_OK");
    EXPECT_EQ(argstr("access", {0, 5}), "NULL, R_OK|X_OK");
    EXPECT_EQ(argstr("mprotect", {4096, 4096, 0}), "0x1000, 4096, PROT_NONE");
    EXPECT_EQ(argstr("mmap", {0, 8192, 3, 0x22, ~u64{0}, 0}),
              "NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0");
    EXPECT_EQ(argstr("lseek", {1, 0, 77}), "1, 0, 0x4d /* SEEK_??? */");
    EXPECT_EQ(argstr("waitid", {1, 5, 0, 0x80000004}), "P_PID, 5, NULL, WEXITED|__WCLONE, NULL");
    EXPECT_EQ(argstr("getrusage", {0xffffffff}), "RUSAGE_CHILDREN, NULL");
    EXPECT_EQ(argstr("getrusage", {0xffffffff}, true), "RUSAGE_CHILDREN, NULL");
    EXPECT_EQ(argstr("shmget", {0, 10, 01600}), "IPC_PRIVATE, 10, IPC_CREAT|0600");
    EXPECT_EQ(argstr("semget", {0x123, 1, 0}), "0x123, 1, 000");
    EXPECT_EQ(argstr("mknod", {0, 010644, 0}), "NULL, S_IFIFO|0644");
    EXPECT_EQ(argstr("mknod", {0, 020600, 0x103}), "NULL, S_IFCHR|0600, makedev(0x1, 0x3)");
    EXPECT_EQ(argstr("clone", {0x1200011, 0, 0, 0x7000, 0}),
              "child_stack=NULL, flags=CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x7000");
    EXPECT_EQ(argstr("kill", {1, 0}), "1, 0");
    EXPECT_EQ(argstr("kill", {1, 9}), "1, SIGKILL");
    EXPECT_EQ(argstr("tgkill", {1, 2, 33}), "1, 2, SIGRT_1");
    EXPECT_EQ(argstr("socket", {2, 1 | 02000000, 0}), "AF_INET, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_IP");
    EXPECT_EQ(argstr("socket", {1, 5, 0}), "AF_UNIX, SOCK_SEQPACKET, 0");
    EXPECT_EQ(argstr("futex", {0x1000, 128, 5, 0}), "0x1000, FUTEX_WAIT_PRIVATE, 5, NULL");
    EXPECT_EQ(argstr("futex", {0x1000, 129, 5}), "0x1000, FUTEX_WAKE_PRIVATE, 5");
    EXPECT_EQ(argstr("futex", {0x1000, 0x189, 5, 0, 0, 0xffffffff}),
              "0x1000, FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME, 5, NULL, FUTEX_BITSET_MATCH_ANY");
    EXPECT_EQ(argstr("futex", {0x1000, 1, 5}), "0x1000, FUTEX_WAKE, 5");
    EXPECT_EQ(argstr("personality", {0xffffffff}), "0xffffffff");
    EXPECT_EQ(argstr("personality", {0x40000}), "PER_LINUX|ADDR_NO_RANDOMIZE");
    EXPECT_EQ(argstr("fcntl", {3, 3, 9}), "3, F_GETFL");
    EXPECT_EQ(argstr("fcntl", {3, 4, 04002}), "3, F_SETFL, O_RDWR|O_NONBLOCK");
    EXPECT_EQ(argstr("fcntl", {3, 0, 10}), "3, F_DUPFD, 10");
}

TEST_F(SyscallText, Strings) {
    EXPECT_EQ(argstr("chdir", {address_of("a\"b\\\n\x01\x32\x01z\xff")}), R"("a\"b\\\n\0012\1z\377")");
    EXPECT_EQ(argstr("chdir", {16}), "0x10");
    EXPECT_EQ(argstr("chdir", {0}), "NULL");
    const std::string path(200, 'p');
    EXPECT_EQ(argstr("chdir", {address_of(path.c_str())}), "\"" + path + "\"");
    EXPECT_EQ(one("chdir", 0, {address_of("a\nb")}, true), "a\nb");
    EXPECT_EQ(one("chdir", 0, {16}, true), "0x10");
    EXPECT_EQ(one("chdir", 0, {0}, true), "NULL");
    EXPECT_EQ(one("close", 0, {7}, true), "7");
    EXPECT_EQ(one("close", 1, {7}), "");
    // A string that goes on where nothing can be read.
    memset(low_ + 4096 - 100, 'q', 100);
    EXPECT_EQ(argstr("chdir", {address_of(low_ + 4096 - 100)}), hex(address_of(low_ + 4096 - 100)));
    EXPECT_EQ(argstr("write", {1, address_of("hello\n"), 6}), "1, \"hello\\n\", 6");
    EXPECT_EQ(argstr("write", {1, address_of(path.c_str()), 200}), "1, \"" + path.substr(0, 32) + "\"..., 200");
    EXPECT_EQ(argstr("write", {1, address_of(path.c_str()), 32}), "1, \"" + path.substr(0, 32) + "\", 32");
    EXPECT_EQ(argstr("write", {1, address_of("ab\0c"), 4}), R"(1, "ab\0c", 4)");
    EXPECT_EQ(argstr("write", {1, 16, 4}), "1, 0x10, 4");
    EXPECT_EQ(argstr("write", {1, 0, 4}), "1, NULL, 4");
    EXPECT_EQ(argstr("write", {1, address_of(low_), 0}), "1, \"\", 0");
}

TEST_F(SyscallText, ListsOfStrings) {
    const char *argv[] = {"ls", "-l", nullptr}, *envp[] = {"A=1", "B=2", nullptr}, *none[] = {nullptr};
    const std::string vars = hex(address_of(envp)) + " /* 2 vars */";
    EXPECT_EQ(argstr("execve", {address_of("/bin/ls"), address_of(argv), address_of(envp)}),
              "\"/bin/ls\", [\"ls\", \"-l\"], " + vars);
    EXPECT_EQ(argstr("execve", {address_of("/bin/ls"), address_of(none), 0}), "\"/bin/ls\", [], NULL");
    const char *odd[] = {"ls", reinterpret_cast<const char *>(16), nullptr};
    EXPECT_EQ(one("execve", 1, {0, address_of(odd)}), "[\"ls\", 0x10]");
    std::vector<const char *> many(40, "x");
    many.push_back(nullptr);
    const std::string text = one("execve", 1, {0, address_of(many.data())});
    EXPECT_TRUE(text.ends_with("\"x\", ...]")) << text;
    EXPECT_EQ(one("execve", 1, {0, address_of(low_ + 4088 + 8)}), hex(address_of(low_ + 4096)));
    const u64 string = put(std::vector<char>{'h', 'i', 0}, 64);
    EXPECT_EQ(argstr("execve", {string, put(std::vector<u32>{static_cast<u32>(string), 0}), 0}, true),
              "\"hi\", [\"hi\"], NULL");
}

TEST_F(SyscallText, Structures) {
    const timespec time = {5, 7};
    EXPECT_EQ(argstr("nanosleep", {address_of(&time), 0}), "{tv_sec=5, tv_nsec=7}, NULL");
    EXPECT_EQ(argstr("nanosleep", {16, 32}), "0x10, 0x20");
    EXPECT_EQ(argstr("nanosleep", {put(std::vector<u32>{5, 7}), 0}, true), "{tv_sec=5, tv_nsec=7}, NULL");
    // The second half cannot be read.
    EXPECT_EQ(argstr("nanosleep", {address_of(low_ + 4088), 0}), hex(address_of(low_ + 4088)) + ", NULL");
    EXPECT_EQ(argstr("clock_nanosleep_time64", {1, 0, put(std::vector<u32>{1, 1, 7, 0}), 0}, true),
              "CLOCK_MONOTONIC, 0, {tv_sec=4294967297, tv_nsec=7}, NULL");
    const timespec both[] = {{0, UTIME_NOW}, {1, 2}};
    EXPECT_EQ(argstr("utimensat", {3, 0, address_of(both), 0x100}),
              "3, NULL, [{tv_sec=0, tv_nsec=UTIME_NOW}, {tv_sec=1, tv_nsec=2}], AT_SYMLINK_NOFOLLOW");
    const u64 limits[] = {~u64{0}, 100};
    EXPECT_EQ(argstr("prlimit64", {0, 7, address_of(limits), 0}),
              "0, RLIMIT_NOFILE, {rlim_cur=RLIM64_INFINITY, rlim_max=100}, NULL");
    const struct flock lock = {F_WRLCK, SEEK_SET, 1, 2, 0};
    EXPECT_EQ(argstr("fcntl", {3, F_SETLK, address_of(&lock)}),
              "3, F_SETLK, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=1, l_len=2}");
    struct kernel_action {
        void (*handler)(int);
        u64 flags, restorer, mask;
    } action = {SIG_IGN, 0x04000000, 0x1234, 1ull << (SIGUSR1 - 1)};
    EXPECT_EQ(argstr("rt_sigaction", {SIGINT, address_of(&action), 0, 8}),
              "SIGINT, {sa_handler=SIG_IGN, sa_mask=[USR1], sa_flags=SA_RESTORER, sa_restorer=0x1234}, NULL, 8");
    EXPECT_EQ(argstr("rt_sigaction", {SIGINT, put(std::vector<u32>{0, 0x10000000, 0, 1, 0}), 0, 8}, true),
              "SIGINT, {sa_handler=SIG_DFL, sa_mask=[HUP], sa_flags=SA_RESTART}, NULL, 8");
    const u32 event[] = {1, 5, 0};
    EXPECT_EQ(argstr("epoll_ctl", {3, 1, 4, address_of(event)}),
              "3, EPOLL_CTL_ADD, 4, {events=EPOLLIN, data={u32=5, u64=5}}");
}

TEST_F(SyscallText, Arrays) {
    const u64 fds[] = {3 | 1ull << 32, 4 | 4ull << 32};
    EXPECT_EQ(argstr("poll", {address_of(fds), 2, 100}), "[{fd=3, events=POLLIN}, {fd=4, events=POLLOUT}], 2, 100");
    EXPECT_EQ(argstr("poll", {address_of(fds), 0, 100}), "[], 0, 100");
    const iovec parts[] = {{const_cast<char *>("ab"), 2}, {const_cast<char *>("c"), 1}};
    EXPECT_EQ(argstr("writev", {1, address_of(parts), 2}),
              "1, [{iov_base=\"ab\", iov_len=2}, {iov_base=\"c\", iov_len=1}], 2");
    const u64 text = put(std::vector<char>{'a', 'b'}, 64);
    EXPECT_EQ(argstr("writev", {1, put(std::vector<u32>{static_cast<u32>(text), 2}), 1}, true),
              "1, [{iov_base=\"ab\", iov_len=2}], 1");
    const std::vector<u32> many(40, 7);
    const std::string groups = argstr("setgroups", {40, address_of(many.data())});
    EXPECT_EQ(groups.size(), strlen("40, []") + 32 * 3 + 3) << groups;
    EXPECT_TRUE(groups.ends_with("7, 7, ...]"));
    memset(low_ + 4092, 0, 4);
    EXPECT_EQ(argstr("setgroups", {2, address_of(low_ + 4092)}), "2, [0, " + hex(address_of(low_ + 4096)) + "]");
    EXPECT_EQ(argstr("setgroups", {2, address_of(low_ + 4096)}), "2, " + hex(address_of(low_ + 4096)));
    const u32 number = 5;
    EXPECT_EQ(argstr("accept", {3, 0, address_of(&number)}), "3, NULL, [5]");
}

TEST_F(SyscallText, Sets) {
    const u64 some = 1ull << (SIGINT - 1) | 1ull << (SIGTERM - 1), empty = 0, most = ~(1ull << (SIGKILL - 1)),
              real = 3ull << 31;
    const auto set = [&](const u64 &signals) { return argstr("rt_sigprocmask", {0, address_of(&signals), 0, 8}); };
    EXPECT_EQ(set(some), "SIG_BLOCK, [INT TERM], NULL, 8");
    EXPECT_EQ(set(empty), "SIG_BLOCK, [], NULL, 8");
    EXPECT_EQ(set(most), "SIG_BLOCK, ~[KILL], NULL, 8");
    EXPECT_EQ(set(real), "SIG_BLOCK, [RTMIN RT_1], NULL, 8");
    EXPECT_EQ(argstr("rt_sigprocmask", {0, address_of(&some), 0, 16}),
              "SIG_BLOCK, " + hex(address_of(&some)) + ", NULL, 16");
    EXPECT_EQ(argstr("sigprocmask", {2, put(std::vector<u32>{2}), 0}, true), "SIG_SETMASK, [INT], NULL");
    const u64 fds[] = {1 << 3 | 1ull << 63, 1};
    EXPECT_EQ(argstr("select", {66, address_of(fds), 0, 0, 0}), "66, [3 63 64], NULL, NULL, NULL");
    EXPECT_EQ(argstr("select", {8, address_of(fds), 0, 16, 0}), "8, [3], NULL, 0x10, NULL");
    const u64 mask[] = {address_of(&some), 8};
    EXPECT_EQ(argstr("pselect6", {0, 0, 0, 0, 0, address_of(mask)}),
              "0, NULL, NULL, NULL, NULL, {sigmask=[INT TERM], sigsetsize=8}");
}

TEST_F(SyscallText, SocketAddresses) {
    const auto shown = [](const void *a, u64 length) { return one("connect", 1, {3, address_of(a), length}); };
    sockaddr_in in = {};
    in.sin_family = AF_INET;
    in.sin_port = htons(80);
    inet_pton(AF_INET, "127.0.0.1", &in.sin_addr);
    EXPECT_EQ(shown(&in, sizeof in), "{sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"127.0.0.1\")}");
    EXPECT_EQ(shown(&in, 4), R"({sa_family=AF_INET, sa_data="\0P"})");
    EXPECT_EQ(shown(&in, 1), hex(address_of(&in)));
    EXPECT_EQ(shown(&in, 1000), hex(address_of(&in)));
    sockaddr_in6 in6 = {};
    in6.sin6_family = AF_INET6;
    in6.sin6_port = htons(443);
    in6.sin6_scope_id = 2;
    for (const char *text :
         {"::", "::1", "fe80::1:0:2", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "2001:db8::1:0:0:1", "1::", "1:0:3::"}) {
        inet_pton(AF_INET6, text, &in6.sin6_addr);
        char same[64];
        inet_ntop(AF_INET6, &in6.sin6_addr, same, sizeof same);
        EXPECT_EQ(shown(&in6, sizeof in6),
                  "{sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, \"" +
                      std::string(same) + "\", &sin6_addr), sin6_scope_id=2}");
    }
    sockaddr_un un = {};
    un.sun_family = AF_UNIX;
    strcpy(un.sun_path, "/tmp/s");
    EXPECT_EQ(shown(&un, sizeof un), "{sa_family=AF_UNIX, sun_path=\"/tmp/s\"}");
    EXPECT_EQ(shown(&un, 2), "{sa_family=AF_UNIX}");
    memcpy(un.sun_path, "\0ab", 3);
    EXPECT_EQ(shown(&un, 5), "{sa_family=AF_UNIX, sun_path=@\"ab\"}");
    sockaddr_nl nl = {};
    nl.nl_family = AF_NETLINK;
    nl.nl_pid = 7;
    nl.nl_groups = 0x1f;
    EXPECT_EQ(shown(&nl, sizeof nl), "{sa_family=AF_NETLINK, nl_pid=7, nl_groups=0000001f}");
    const u16 none[] = {0, 0};
    EXPECT_EQ(shown(none, 2), "{sa_family=AF_UNSPEC}");
    EXPECT_EQ(shown(low_ + 4094, 16), hex(address_of(low_ + 4094)));
}

TEST_F(SyscallText, PartsOfSocketAddresses) {
    const auto part = [](const void *a, s64 length, u32 what) {
        char buffer[64] = "before";
        tapir_sockaddr_part(address_of(a), length, what, buffer, sizeof buffer);
        return std::string(buffer);
    };
    sockaddr_in in = {};
    in.sin_family = AF_INET;
    in.sin_port = htons(8080);
    inet_pton(AF_INET, "10.0.0.255", &in.sin_addr);
    EXPECT_EQ(part(&in, sizeof in, TAPIR_SOCKADDR_IP), "10.0.0.255");
    EXPECT_EQ(part(&in, sizeof in, TAPIR_SOCKADDR_PORT), "8080");
    EXPECT_EQ(part(&in, sizeof in, TAPIR_SOCKADDR_SCOPE_ID), "");
    EXPECT_EQ(part(&in, 15, TAPIR_SOCKADDR_IP), "");
    EXPECT_EQ(part(&in, -1, TAPIR_SOCKADDR_IP), "");
    sockaddr_in6 in6 = {};
    in6.sin6_family = AF_INET6;
    in6.sin6_flowinfo = htonl(5);
    in6.sin6_scope_id = 6;
    in6.sin6_addr = in6addr_loopback;
    EXPECT_EQ(part(&in6, sizeof in6, TAPIR_SOCKADDR_IP), "::1");
    EXPECT_EQ(part(&in6, sizeof in6, TAPIR_SOCKADDR_FLOWINFO), "5");
    EXPECT_EQ(part(&in6, sizeof in6, TAPIR_SOCKADDR_SCOPE_ID), "6");
    EXPECT_EQ(part(low_ + 4096, sizeof in6, TAPIR_SOCKADDR_IP), "");
}

TEST_F(SyscallText, Messages) {
    iovec part = {const_cast<char *>("x"), 1};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    const std::string head = "3, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"x\", iov_len=1}], msg_iovlen=1, ";
    EXPECT_EQ(argstr("sendmsg", {3, address_of(&message), 0x4000}),
              head + "msg_controllen=0, msg_flags=0}, MSG_NOSIGNAL");
    alignas(8) char control[CMSG_SPACE(8)] = {};
    message.msg_control = control;
    message.msg_controllen = CMSG_LEN(8);
    cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_len = CMSG_LEN(8);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    const int fds[] = {4, 5};
    memcpy(CMSG_DATA(c), fds, sizeof fds);
    EXPECT_EQ(argstr("sendmsg", {3, address_of(&message), 0}),
              head +
                  "msg_control=[{cmsg_len=24, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[4, 5]}], "
                  "msg_controllen=24, "
                  "msg_flags=0}, 0");
    c->cmsg_len = 1000;
    EXPECT_EQ(argstr("sendmsg", {3, address_of(&message), 0}),
              head +
                  "msg_control=[{cmsg_len=1000, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS}], msg_controllen=24, "
                  "msg_flags=0}, 0");
}

TEST_F(SyscallText, Results) {
    const auto text = [](const char *name, s64 result) {
        char buffer[64];
        tapir_syscall_retstr(name ? &call(name, false) : nullptr, result, buffer, sizeof buffer);
        return std::string(buffer);
    };
    EXPECT_EQ(text("read", 5), "5");
    EXPECT_EQ(text("read", -2), "-2 (ENOENT)");
    EXPECT_EQ(text("read", -512), "-512 (ERESTARTSYS)");
    EXPECT_EQ(text("read", -5000), "-5000");
    EXPECT_EQ(text("lseek", -41), "-41");
    EXPECT_EQ(text("mmap", 0x7f0000001000), "0x7f0000001000");
    EXPECT_EQ(text("mmap", -12), "-12 (ENOMEM)");
    EXPECT_EQ(text("umask", 022), "022");
    EXPECT_EQ(text("umask", 0), "0");
    EXPECT_EQ(text("exit_group", 0), "?");
    EXPECT_EQ(text(nullptr, 3), "3");
}

TEST_F(SyscallText, NumbersOfVariables) {
    const u64 args[TAPIR_SYSCALL_ARGUMENTS] = {0xffffffff, 0xfffffffffffffffbu, 0xffffffff};
    EXPECT_EQ(tapir_syscall_number(&call("lseek", false), args, false, 0), -1);
    EXPECT_EQ(tapir_syscall_number(&call("lseek", false), args, false, 1), -5);
    EXPECT_EQ(tapir_syscall_number(&call("lseek", false), args, false, 9), 0);
    EXPECT_EQ(tapir_syscall_number(&call("open", false), args, false, 1), 0xfffffffb);
    const u64 low[TAPIR_SYSCALL_ARGUMENTS] = {1, 2, 3, 0xffffffff, 0xffffffff};
    EXPECT_EQ(tapir_syscall_number(&call("pread64", true), low, true, 3), -1);
    const tapir_syscall bare = {"x", nullptr, 0, 0};
    EXPECT_EQ(tapir_syscall_number(&bare, args, false, 0), 0);
    char buffer[16] = "before";
    tapir_syscall_argstr(&bare, args, false, buffer, sizeof buffer);
    EXPECT_STREQ(buffer, "");
}

TEST_F(SyscallText, CutAtTheCapacity) {
    const char *argv[] = {"ls", "-l", nullptr};
    const std::vector<u64> args = {address_of("/bin/ls"), address_of(argv), 0};
    const std::string whole = argstr("execve", args);
    for (u32 cap = 1; cap <= whole.size() + 1; ++cap)
        EXPECT_EQ(argstr("execve", args, false, cap), whole.substr(0, cap - 1));
}

// With any arguments, every call's text ends, within its buffer and in bounded time.
TEST_F(SyscallText, AnyArgumentsOfEveryCall) {
    u64 seed = 12345;
    const auto random = [&] { return seed = seed * 6364136223846793005u + 1442695040888963407u; };
    for (u32 i = 0; i < 4096; i += 8) {
        const u64 value = random() >> 32;
        const u64 word = i % 3 ? (value & 7 ? address_of(low_) + value % 4096 : value) : value % 40;
        memcpy(low_ + i, &word, 8);
    }
    for (const syscalls::Call &described : tables_->table.calls())
        for (int round = 0; round < 24; ++round) {
            std::vector<u64> args;
            for (int i = 0; i < TAPIR_SYSCALL_ARGUMENTS; ++i) {
                const u64 value = random() >> 20;
                args.push_back(value % 3 == 0   ? value % 64
                               : value % 3 == 1 ? address_of(low_) + value % 4100
                                                : random());
            }
            for (const bool narrow : {false, true})
                if (narrow || !described.narrow)
                    for (const u32 cap : {1u, 16u, 512u})
                        argstr(std::string(described.kernel), args, narrow, cap);
        }
}

TEST(SyscallNames, ErrorsAndSignals) {
    EXPECT_STREQ(tapir_errno_name(2), "ENOENT");
    EXPECT_STREQ(tapir_errno_name(531), "ENOGRACE");
    EXPECT_EQ(tapir_errno_name(0), nullptr);
    EXPECT_EQ(tapir_errno_name(41), nullptr);
    EXPECT_EQ(tapir_errno_name(-1), nullptr);
    EXPECT_EQ(tapir_errno_name(100000), nullptr);
    for (int i = 1; i < 134; ++i)
        if (const char *known = strerrorname_np(i)) {
            ASSERT_TRUE(tapir_errno_name(i)) << known;
            EXPECT_STREQ(tapir_errno_name(i), strcmp(known, "EWOULDBLOCK") == 0 ? "EAGAIN"
                                              : strcmp(known, "ENOTSUP") == 0   ? "EOPNOTSUPP"
                                                                                : known);
        }
    char buffer[16];
    for (int i = 1; i < 32; ++i) {
        tapir_signal_name(i, buffer, sizeof buffer);
        EXPECT_EQ(std::string(buffer),
                  "SIG" + std::string(sigabbrev_np(i) == std::string("POLL") ? "IO" : sigabbrev_np(i)));
    }
    tapir_signal_name(64, buffer, sizeof buffer);
    EXPECT_STREQ(buffer, "SIGRT_32");
    tapir_signal_name(65, buffer, sizeof buffer);
    EXPECT_STREQ(buffer, "65");
}

}  // namespace
}  // namespace tapir::test
