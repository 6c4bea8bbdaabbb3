// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/known_captures.h"

#include <algorithm>
#include <random>

namespace tapir::capture {

namespace {

template <typename T>
size_t number_of(std::vector<T> &list, const T &value, bool &fresh) {
    const auto at = std::find(list.begin(), list.end(), value);
    const auto index = static_cast<size_t>(at - list.begin());
    fresh = at == list.end();
    if (fresh) list.push_back(value);
    return index;
}

// Whether it could be written is the writer's caller's to see.
void seal(KnownCapture &out) {
    [[maybe_unused]] const Outcome<void> written = out.writer().finish("finished");
}

Meta known_meta(const std::string &title, const std::string &unit) {
    Meta meta;
    meta.script = "known.stp";
    meta.version = "0.1.0";
    meta.kernel = "6.1.0";
    meta.title = title;
    meta.unit = unit;
    meta.clock = "soft";
    meta.started = 1'700'000'000'000'000'000;
    meta.duration = 5'000'000'000;
    meta.hz = 997;
    meta.cpus = 2;
    return meta;
}

// A server with two threads; every kind of frame.
void add_server(KnownCapture &out, int64_t more) {
    const std::vector<Label> first = thread_labels(100, 100, "server"), second = thread_labels(100, 101, "worker");
    out.sample({"main", "loop", "handle_request", "parse_header"}, 20, 2000, first);
    out.sample({"main", "loop", "handle_request", "render", "libc.so.6!memcpy"}, 30, 3000 + more, first);
    out.sample({"main", "loop", "handle_request", "render", "libc.so.6!memcpy"}, 5, 500, second);
    out.sample({"main", "loop", "libc.so.6!epoll_wait", "k!do_syscall_64", "k!ep_poll"}, 7, 700, first);
    out.sample({"start_thread", "worker", "walk", "walk", "walk", "visit"}, 11, 1100, second);
    out.sample({"start_thread", "worker", "walk", "visit"}, 3, 300, second);
    out.sample({"start_thread", "worker", "_ZN5boost4asio6detail9scheduler3runEv"}, 4, 400, second);
    out.sample({"main", "loop", "t!handler.py:serve"}, 6, 600, first);
}

void write_clean(Write write, const std::string &unit) {
    KnownCapture out(std::move(write));
    out.writer().meta(known_meta(unit.empty() ? "on-CPU" : "off-CPU", unit));
    add_server(out, 0);
    out.writer().text(1, "hello\n");
    seal(out);
}

void write_before(Write write) {
    KnownCapture out(std::move(write));
    out.writer().meta(known_meta("off-CPU", "microseconds"));
    add_server(out, -2500);
    out.sample({"main", "loop", "old_way", "malloc_slow"}, 40, 4000, thread_labels(100, 100, "server"));
    seal(out);
}

void write_after(Write write) {
    KnownCapture out(std::move(write));
    out.writer().meta(known_meta("off-CPU", "microseconds"));
    add_server(out, 0);
    out.sample({"main", "loop", "new_way", "malloc_fast"}, 40, 4000, thread_labels(100, 100, "server"));
    seal(out);
}

// Between 10 and 20 % of the samples are not as they should be.
void write_poor(Write write, const std::string &how) {
    KnownCapture out(std::move(write));
    out.writer().meta(known_meta("on-CPU", "samples"));
    add_server(out, 0);
    const std::vector<std::string> deep(27, "recurse");
    if (how == "cut") out.writer().sample({out.stack(deep, End::Cut), 0, 15, 1500, 0, {}});
    if (how == "deep") out.writer().sample({out.stack(deep, End::Limit), 0, 15, 1500, 0, {}});
    if (how == "stripped") out.sample({"main", "!libc.so.6", "!libc.so.6"}, 15, 1500);
    if (how == "dropped") out.writer().loss({Loss::Output, 15});
    if (how == "skipped") out.writer().probe({"timer.profile", 101, {{"busy", 15}}});
    if (how == "overflow") out.writer().loss({Loss::Overflow, 15});
    if (how == "array") out.writer().loss({Loss::Array, 15});
    if (how == "full") {
        out.writer().stack({999999, End::None, End::TableFull, {}});
        out.writer().sample({999999, 0, 15, 1500, 0, {}});
        out.writer().loss({Loss::StackTable, 15});
    }
    if (how == "killed") {
        out.writer().flush();
        return;
    }
    seal(out);
}

void write_nothing(Write write) {
    KnownCapture out(std::move(write));
    out.writer().meta(known_meta("on-CPU", "samples"));
    seal(out);
}

// Small as a file, and large in memory.
void write_bomb(Write write) {
    KnownCapture out(std::move(write));
    out.writer().meta(known_meta("on-CPU", "samples"));
    add_server(out, 0);
    const std::string text(4'000'000, 'x');
    for (uint64_t i = 0; i < 300; i++)
        out.writer().text(i, text);
    seal(out);
}

// Nothing but stacks without a frame.
void write_unknown(Write write) {
    KnownCapture out(std::move(write));
    out.writer().meta(known_meta("on-CPU", "samples"));
    out.writer().stack({8, End::None, End::Exec, {}});
    out.writer().stack({9, End::None, End::Machine, {}});
    out.writer().sample({8, 0, 1, 1, 0, {}});
    out.writer().sample({9, 0, 2, 2, 0, {}});
    out.writer().sample({999999, 0, 3, 3, 0, {}});
    out.writer().sample({kNoStack, 0, 4, 4, 0, {}});
    seal(out);
}

// Twelve causes of losses, and frames without a name in as many files.
void write_ragged(Write write) {
    KnownCapture out(std::move(write));
    out.writer().meta(known_meta("on-CPU", "samples"));
    add_server(out, 0);
    for (unsigned i = 1; i <= 12; i++) {
        out.sample({"main", "!lib" + std::to_string(i) + ".so"}, i, 100 * i);
        out.writer().probe({"probe " + std::to_string(i), 100, {{"cause " + std::to_string(i), i}}});
    }
    seal(out);
}

// Names that try to be something else.
void write_hostile(Write write) {
    KnownCapture out(std::move(write));
    Meta meta = known_meta("</title><script>hostile('title')</script>", "\"units\" & 'more' </script>");
    meta.host = "</script><script>hostile('host')</script>";
    meta.command = "stap '\x1b[31m</script><script>hostile(1)</script>' --> ]]> " + std::string(1'000'000, 'c');
    meta.target = "<img src=x onerror=hostile('target')>\n42";
    meta.program = "/srv/<script>hostile('program')</script>";
    meta.zone = INT64_MIN;
    out.writer().meta(meta);
    const std::vector<std::string> names = {"</script><script>hostile('name')</script>",
                                            "<img src=x onerror=hostile('img')>",
                                            "a\"b'c`d${hostile('js')}",
                                            "]]></script><svg onload=hostile('svg')>",
                                            "-->",
                                            "line\nfeed\r\ttab",
                                            std::string("nul\0byte", 8),
                                            "\xff\xfe invalid \xc3",
                                            "\xe2\x80\xae"
                                            "desrever",
                                            "no\xef\xbf\xbe"
                                            "character\xef\xbf\xbf",
                                            "\x1b[31mred\x1b]0;title\a",
                                            "semi;colon 42",
                                            "__proto__",
                                            "constructor",
                                            "\\u003c/script\\u003e",
                                            "std::vector<std::pair<int, char>>::operator[](unsigned long)",
                                            std::string(5000, 'w')};
    for (size_t i = 0; i < names.size(); i++)
        out.sample({"main", names[i], "leaf" + std::to_string(i)}, i + 1, static_cast<int64_t>(i + 1) * 10,
                   thread_labels(1, static_cast<int64_t>(i), names[i]));
    out.writer().text(0, "\x1b[31mred\n</script>\n");
    out.writer().message(Severity::Warning, "</li></ul><script>hostile('note')</script>");
    out.writer().probe({"kernel.function(\"</script>\")", 300, {{"<b>busy</b>", 1}}});
    seal(out);
}

// Memory that is freed where it was not taken: 1,234,567 samples of two stacks are below zero.
void write_below(Write write) {
    KnownCapture out(std::move(write));
    Meta meta = known_meta("memory that is in use", "bytes");
    meta.clock = "probe";
    meta.hz = 0;
    meta.host = "web1";
    meta.program = meta.target = "/usr/bin/server";
    meta.command = "stap -o memory.html -x 812 -T 7 memory.stp";
    out.writer().meta(meta);
    add_server(out, 0);
    out.sample({"main", "loop", "free_request", "free"}, 1'234'560, -9'876'543'200, thread_labels(100, 100, "server"));
    out.sample({"main", "loop", "close_all", "free"}, 7, -10, thread_labels(100, 100, "server"));
    seal(out);
}

// One sample each 10 ms for 4 s, busy in the third second. The newest comes first, as from the kernel.
void write_timed(Write write, uint64_t without) {
    KnownCapture out(std::move(write));
    out.writer().meta(known_meta("on-CPU", "samples"));
    const std::vector<Label> labels = thread_labels(100, 100, "server");
    for (uint64_t tick = 400; tick-- > 0;) {
        const bool busy = tick >= 200 && tick < 300;
        std::vector<std::string> stack = {"main", "loop"};
        if (busy)
            stack.emplace_back("spin");
        else
            stack.emplace_back(tick % 3 ? "idle" : "poll");
        out.sample(stack, 1, 1, labels, (tick + 1) * 10'000'000);
    }
    if (without) out.sample({"main", "loop", "late"}, without, static_cast<int64_t>(without), labels);
    seal(out);
}

// A thread that waits for events and for a lock, and one that waits for work.
void write_waits(Write write) {
    KnownCapture out(std::move(write));
    Meta meta = known_meta("off-CPU time", "microseconds");
    meta.clock = "probe";
    out.writer().meta(meta);
    const std::vector<Label> labels = thread_labels(100, 100, "server");
    out.sample({"main", "epoll_wait", "k!do_epoll_wait", "k!schedule"}, 5, 700, labels);
    out.sample({"pool_thread", "pthread_cond_wait", "k!futex_wait", "k!schedule"}, 2, 200, labels);
    out.sample({"main", "handle_request", "libc.so.6!pthread_mutex_lock", "libc.so.6!__lll_lock_wait", "k!futex_wait",
                "k!schedule"},
               1, 100, labels);
    seal(out);
}

// Workers that wait for the lock of an order book, and for a disk.
void write_locks(Write write) {
    KnownCapture out(std::move(write));
    Meta meta = known_meta("waiting time", "microseconds");
    meta.clock = "probe";
    meta.hz = 0;
    meta.host = "web1";
    meta.program = "/usr/bin/server";
    meta.target = "/usr/bin/server";
    meta.command = "stap -o waits.html -x 812 -T 7 offcpu.stp";
    out.writer().meta(meta);
    const std::vector<std::string> futex = {"k!entry_SYSCALL_64_after_hwframe",
                                            "k!do_syscall_64",
                                            "k!__x64_sys_futex",
                                            "k!do_futex",
                                            "k!futex_wait",
                                            "k!futex_wait_queue",
                                            "k!schedule"};
    const auto add = [&](std::vector<std::string> stack, const std::vector<std::string> &kernel, uint64_t count,
                         int64_t sum, int64_t thread) {
        stack.insert(stack.end(), kernel.begin(), kernel.end());
        out.sample(stack, count, sum, thread_labels(300, 300 + thread, thread ? "worker" : "server"));
    };
    for (int64_t thread = 1; thread <= 4; thread++) {
        add({"libc.so.6!clone3", "libc.so.6!start_thread", "!libstdc++.so.6.0.30", "worker(int, int)",
             "place_order(Book&, int)", "libc.so.6!pthread_mutex_lock", "libc.so.6!__lll_lock_wait"},
            futex, 150, 1'200'000 + 60'000 * thread, thread);
        add({"libc.so.6!clone3", "libc.so.6!start_thread", "!libstdc++.so.6.0.30", "worker(int, int)",
             "place_order(Book&, int)", "write_audit(Book&, int)", "libc.so.6!fsync"},
            {"k!entry_SYSCALL_64_after_hwframe", "k!do_syscall_64", "k!__x64_sys_fsync", "k!vfs_fsync_range",
             "k!ext4_sync_file", "k!jbd2_log_wait_commit", "k!schedule"},
            15, 290'000 + 5'000 * thread, thread);
    }
    add({"libc.so.6!_start", "libc.so.6!__libc_start_main", "main", "libstdc++.so.6.0.30!std::thread::join()",
         "libc.so.6!pthread_join"},
        futex, 4, 1'290'000, 0);
    seal(out);
}

// The memory that a program has allocated and not freed.
void write_leak(Write write) {
    KnownCapture out(std::move(write));
    Meta meta = known_meta("memory not freed", "bytes");
    meta.clock = "probe";
    meta.hz = 0;
    meta.program = "/usr/bin/server";
    meta.host = "web1";
    meta.command = "stap -o leak.html -x 812 -T 60 leaks.stp";
    out.writer().meta(meta);
    const std::vector<std::string> loop = {"libc.so.6!_start", "libc.so.6!__libc_start_main", "main", "worker_loop"};
    const auto add = [&](std::vector<std::string> more, uint64_t count, int64_t each) {
        more.insert(more.begin(), loop.begin(), loop.end());
        out.sample(more, count, static_cast<int64_t>(count) * each);
    };
    add({"handle_request", "parse_headers", "keep_header", "strdup_pool", "libc.so.6!malloc"}, 3100, 1536);
    add({"handle_request", "open_session", "libstdc++.so.6!operator new(unsigned long)", "libc.so.6!malloc"}, 640,
        2048);
    add({"handle_request", "cache::put<std::pair<int, char>>(std::string const&)", "libc.so.6!malloc"}, 90, 4096);
    add({"log_request", "libc.so.6!malloc"}, 12, 64);
    seal(out);
}

// The capture of the documentation: a web server, `slow` times as long in compression as it should be.
void write_web(Write write, uint64_t slow) {
    KnownCapture out(std::move(write));
    Meta meta = known_meta("CPU time", "samples");
    meta.host = "web1";
    meta.kernel = "6.1.0-56-amd64";
    meta.program = "/usr/bin/server";
    meta.target = "/usr/bin/server";
    meta.command = "stap --times -o server.html -x 812 -T 5 oncpu.stp";
    meta.started -= slow == 1 ? 86'400'000'000'000 : 0;
    out.writer().meta(meta);
    std::mt19937_64 random(5);
    const std::vector<Label> labels = thread_labels(812, 812, "server");
    const std::vector<std::string> request = {"libc.so.6!__libc_start_main", "main", "worker_loop", "handle_events",
                                              "handle_request"};
    const auto add = [&](std::vector<std::string> more, uint64_t count) {
        // Compression comes in a burst.
        const bool burst = more[0] == "compress";
        more.insert(more.begin(), request.begin(), request.end());
        for (uint64_t i = 0; i < count; i++)
            out.sample(more, 1, 1, labels,
                       burst ? 2'000'000'000 + random() % 1'300'000'000 : 1 + random() % 4'999'000'000);
    };
    const std::vector<std::string> send = {"send_response", "libc.so.6!writev", "k!do_syscall_64", "k!do_writev",
                                           "k!sock_write_iter"};
    const auto sent = [&](std::vector<std::string> more, uint64_t count) {
        more.insert(more.begin(), send.begin(), send.end());
        add(more, count);
    };
    add({"parse_request", "parse_line"}, 60);
    add({"parse_request", "parse_headers", "hash_name"}, 45);
    add({"parse_request", "parse_headers", "libc.so.6!tolower"}, 20);
    add({"find_route", "match", "libpcre2-8.so.0!pcre2_match_8", "!libpcre2-8.so.0"}, 12);
    add({"find_route", "match", "libpcre2-8.so.0!pcre2_match_8"}, 33);
    add({"render", "template_run", "append", "libc.so.6!__memmove_avx_unaligned"}, 110);
    add({"render", "template_run", "escape_html"}, 75);
    add({"render", "template_run", "template_run", "template_run", "append"}, 40);
    add({"render", "cache_lookup", "libc.so.6!__strcmp_avx2"}, 25);
    add({"compress", "libz.so.1!deflate", "libz.so.1!longest_match"}, 90 * slow);
    add({"compress", "libz.so.1!deflate", "libz.so.1!deflate_slow"}, 40 * slow);
    add({"compress", "libz.so.1!deflate", "libz.so.1!crc32"}, 15 * slow);
    sent({"k!tcp_sendmsg", "k!tcp_sendmsg_locked", "k!tcp_push", "k!__tcp_push_pending_frames", "k!tcp_write_xmit",
          "k!__tcp_transmit_skb", "k!__ip_queue_xmit", "k!ip_output"},
         55);
    sent({"k!tcp_sendmsg", "k!tcp_sendmsg_locked", "k!skb_copy_to_page_nocache"}, 60);
    sent({"k!tcp_sendmsg", "k!release_sock"}, 12);
    add({"t!report.lua:format", "t!report.lua:row"}, 35);
    add({"log_request", "libc.so.6!vsnprintf", "libc.so.6!__vfprintf_internal"}, 30);
    for (const char *wait : {"k!ep_poll", "k!ep_send_events"})
        for (uint64_t i = 0; i < 30; i++)
            out.sample({"libc.so.6!__libc_start_main", "main", "worker_loop", "libc.so.6!epoll_wait", "k!do_syscall_64",
                        "k!do_epoll_wait", wait},
                       1, 1, labels, 1 + random() % 4'999'000'000);
    seal(out);
}

// 20,000 stacks of 20 to 64 frames, about 500,000 boxes.
void write_large(Write write) {
    KnownCapture out(std::move(write));
    Writer &writer = out.writer();
    writer.meta(known_meta("on-CPU", "samples"));
    for (uint32_t object = 0; object < 12; object++)
        writer.object({object, "/usr/lib/liblarge" + std::to_string(object) + ".so", "", 0, ""});
    std::mt19937_64 random(7);
    constexpr uint64_t kFunctions = 4000;
    for (uint64_t i = 0; i < kFunctions; i++)
        writer.name({FrameKind::File, 0, static_cast<uint32_t>(i % 12), i, ""},
                    {{"ns" + std::to_string(i % 37) + "::function_" + std::to_string(i), "", 0, 0}});
    std::vector<Frame> path;  // root first
    for (uint64_t id = 1; id <= 20000; id++) {
        const size_t depth = 20 + random() % 45;
        size_t keep = path.empty() ? 0 : random() % std::min(path.size(), size_t{34});
        if (id % 50 == 0) keep = std::min<size_t>(keep, 3);
        path.resize(keep);
        while (path.size() < depth) {
            const uint64_t function = random() % kFunctions;
            path.push_back({FrameKind::File, 0, static_cast<uint32_t>(function % 12), function, ""});
        }
        writer.stack({id, End::None, End::Complete, {path.rbegin(), path.rend()}});
        const auto count = 1 + static_cast<uint64_t>(random() % 40);
        writer.sample({id, 0, count, static_cast<int64_t>(count), 0,
                       thread_labels(1, static_cast<int64_t>(1 + id % 8), "thread" + std::to_string(id % 8))});
    }
    seal(out);
}

}  // namespace

std::vector<Label> thread_labels(int64_t pid, int64_t tid, const std::string &comm) {
    return {{"pid", "", pid}, {"tid", "", tid}, {"comm", comm, 0}};
}

uint32_t KnownCapture::object(const std::string &path) {
    bool fresh = false;
    const auto number = static_cast<uint32_t>(number_of(objects_, path, fresh));
    uint32_t interpreter = 0;
    for (const auto &[files, of] : interpreters_)
        if (path.substr(path.rfind('/') + 1).starts_with(files)) interpreter = of;
    if (fresh) writer_.object({number, path, "", 0, "", interpreter});
    return number;
}

Frame KnownCapture::frame(const std::string &text) {
    if (text.starts_with("t!")) return {FrameKind::Text, 0, 0, 0, text.substr(2)};
    bool fresh = false;
    const uint64_t place = 0x1000 + 16 * number_of(texts_, text, fresh);
    if (text.starts_with("!")) return {FrameKind::File, 0, object("/usr/lib/" + text.substr(1)), place, ""};
    Frame out;
    out.place = place;
    std::string name = text;
    const size_t mark = text.find('!');
    if (text.starts_with("k!")) {
        out.kind = FrameKind::Kernel;
        name = text.substr(2);
    } else if (mark != std::string::npos) {
        out.object = object("/usr/lib/" + text.substr(0, mark));
        name = text.substr(mark + 1);
    } else {
        out.object = object("/usr/bin/server");
    }
    if (fresh) writer_.name(out, {{name, "", 0, 0}});
    return out;
}

uint64_t KnownCapture::stack(const std::vector<std::string> &root_first, End user) {
    bool fresh = false;
    std::vector<std::string> key = root_first;
    key.push_back(std::to_string(static_cast<int>(user)));
    const uint64_t id = 1 + number_of(stacks_, key, fresh);
    if (!fresh) return id;
    Stack out{id, End::None, user, {}};
    for (size_t i = root_first.size(); i-- > 0;) {
        out.frames.push_back(frame(root_first[i]));
        if (out.frames.back().kind == FrameKind::Kernel) out.kernel = End::Complete;
    }
    writer_.stack(out);
    return id;
}

void KnownCapture::sample(const std::vector<std::string> &root_first, uint64_t count, int64_t sum,
                          std::vector<Label> labels, uint64_t time) {
    writer_.sample({stack(root_first), 0, count, sum, time, std::move(labels)});
}

bool write_known(const std::string &name, Write write) {
    if (name == "clean") return write_clean(std::move(write), "microseconds"), true;
    if (name == "counts") return write_clean(std::move(write), ""), true;
    if (name == "before") return write_before(std::move(write)), true;
    if (name == "after") return write_after(std::move(write)), true;
    if (name == "bomb") return write_bomb(std::move(write)), true;
    if (name == "nothing") return write_nothing(std::move(write)), true;
    if (name == "ragged") return write_ragged(std::move(write)), true;
    if (name == "unknown") return write_unknown(std::move(write)), true;
    if (name == "hostile") return write_hostile(std::move(write)), true;
    if (name == "below") return write_below(std::move(write)), true;
    if (name == "timed") return write_timed(std::move(write), 0), true;
    if (name == "partly_timed") return write_timed(std::move(write), 25), true;
    if (name == "waits") return write_waits(std::move(write)), true;
    if (name == "locks") return write_locks(std::move(write)), true;
    if (name == "leak") return write_leak(std::move(write)), true;
    if (name == "web") return write_web(std::move(write), 2), true;
    if (name == "web-before") return write_web(std::move(write), 1), true;
    if (name == "large") return write_large(std::move(write)), true;
    for (const char *how : {"cut", "deep", "stripped", "dropped", "skipped", "array", "full", "overflow", "killed"})
        if (name == how) return write_poor(std::move(write), how), true;
    return false;
}

}  // namespace tapir::capture
