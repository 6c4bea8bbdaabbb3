// SPDX-License-Identifier: GPL-2.0-or-later
// Makes many different system calls with known arguments, the same in every run: all memory it hands over is static and
// touched, no address is random, descriptors are numbered from 3.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#define CALL(name, ...) syscall(SYS_##name, ##__VA_ARGS__)

extern char __executable_start, end;

static char buffer[65536], more[4096], long_text[100];
static struct stat stat_buffer;
static struct statfs statfs_buffer;
static struct statx statx_buffer;
static struct iovec parts[3] = {{"one", 3}, {"two\n", 4}, {long_text, 50}}, room[2] = {{buffer, 5}, {more, 100}};
static struct timespec short_time = {0, 1000000}, two_times[2] = {{1, 2}, {3, 4}}, got_time, zero_time;
static struct timeval timevals[2] = {{5, 6}, {7, 8}}, no_wait;
static struct utimbuf utimes_old = {100, 200};
static struct itimerval timer_value = {{0, 0}, {100, 5}}, timer_old, timer_off;
static struct itimerspec spec_value = {{1, 2}, {1000, 4}}, spec_old;
static struct rlimit limit, new_limit = {500, 1000};
static struct rusage usage;
static struct sigaction action;
static struct pollfd fds[2];
static struct epoll_event event = {EPOLLIN | EPOLLET, {.u64 = 7}}, events[4];
static struct sembuf operations[2] = {{0, 1, SEM_UNDO}, {0, -1, IPC_NOWAIT}};
static struct {
    long type;
    char text[16];
} message = {1, "message"};
static struct sockaddr_in inet = {AF_INET}, inet_got;
static struct sockaddr_in6 inet6 = {AF_INET6};
static struct sockaddr_un local = {AF_UNIX};
static struct msghdr header;
static struct mmsghdr headers[2];
static struct utsname uts;
static struct sysinfo information;
static struct tms cpu_times;
static struct timezone zone;
static struct sched_param parameter;
static struct flock lock;
static struct { unsigned long long current, most; } old64, new64 = {700, ~0ull};
static unsigned long long signals = 1ull << (SIGUSR1 - 1) | 1ull << (SIGUSR2 - 1), signals_old, all_signals = ~0ull,
                          no_signals;
static int pair[2], number, option = 1, status;
static unsigned int futex_word = 5;
static long offset;
static gid_t groups[64];
static siginfo_t info;
static stack_t stack = {more, 0, 4096}, old_stack;
static fd_set read_set, write_set;
static struct mq_attr queue_attributes = {0, 4, 64};
static char *arguments[] = {"/proc/self/exe", "with \"quotes\"", NULL}, *no_environment[] = {"A=b", NULL};
static timer_t timer_id;
static struct sigevent timer_event;
static unsigned long long cpu_mask;
static struct {
    unsigned version;
    int pid;
} capabilities = {0x20080522, 0};
static aio_context_t aio;
static struct { unsigned long long flags, mode, resolve; } how = {O_RDONLY | O_CLOEXEC, 0, 0};
static struct { unsigned long mask, size; } pselect_mask;

static void touch_everything(void) {
    volatile char *p;

    for (p = &__executable_start; p < &end; p += 4096)
        (void)*p;
    for (p = (char *)&stat_buffer; p < &end; p += 4096)
        *p = *p;
}

static void file_contents(void) {
    int fd, other;

    CALL(mkdir, "/tmp/every", 0755);
    CALL(chdir, "/tmp/every");
    CALL(getcwd, buffer, 100);
    fd = CALL(open, "file", O_RDWR | O_CREAT | O_TRUNC, 0644);
    CALL(write, fd, "hello, world\n", 13);
    CALL(write, fd, long_text, 60);
    CALL(write, fd, "\0\1\2\377\"\\", 6);
    CALL(pwrite64, fd, "at four", 7, 4);
    CALL(writev, fd, parts, 3);
    CALL(pwritev, fd, parts, 2, 100, 0);
    CALL(pwritev2, fd, parts, 1, 100, 0, 0);
    CALL(lseek, fd, -5, SEEK_END);
    CALL(lseek, fd, 0, SEEK_SET);
    CALL(read, fd, buffer, 10);
    CALL(pread64, fd, buffer, 10, 3);
    CALL(readv, fd, room, 2);
    CALL(preadv, fd, room, 2, 1, 0);
    CALL(fsync, fd);
    CALL(fdatasync, fd);
    CALL(syncfs, fd);
    CALL(sync);
    CALL(fstat, fd, &stat_buffer);
    CALL(ftruncate, fd, 50);
    CALL(fallocate, fd, 1, 0, 4096);
    CALL(fadvise64, fd, 0, 100, 2);
    CALL(readahead, fd, 0, 100);
    CALL(sync_file_range, fd, 0, 10, 3);
    CALL(flock, fd, 2 | 4);
    CALL(fchmod, fd, 0600);
    CALL(fchown, fd, 0, 0);
    lock = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 2};
    CALL(fcntl, fd, F_SETLK, &lock);
    CALL(fcntl, fd, F_GETFD);
    CALL(fcntl, fd, F_SETFD, FD_CLOEXEC);
    CALL(fcntl, fd, F_GETFL);
    CALL(fcntl, fd, F_SETFL, O_APPEND);
    other = CALL(fcntl, fd, F_DUPFD_CLOEXEC, 20);
    CALL(close, other);
    other = CALL(dup, fd);
    CALL(dup2, fd, other);
    CALL(dup3, fd, 30, O_CLOEXEC);
    CALL(sendfile, other, fd, &offset, 4);
    CALL(copy_file_range, fd, NULL, other, NULL, 3, 0);
    CALL(fsetxattr, fd, "user.name", "value", 5, XATTR_CREATE);
    CALL(setxattr, "file", "user.other", "v", 1, 0);
    CALL(getxattr, "file", "user.other", more, 10);
    CALL(fgetxattr, fd, "user.name", more, 10);
    CALL(lgetxattr, "file", "user.none", NULL, 0);
    CALL(listxattr, "file", more, 100);
    CALL(flistxattr, fd, more, 100);
    CALL(removexattr, "file", "user.other");
    CALL(close, 30);
    CALL(close, other);
    CALL(close, fd);
    CALL(close, -1);
    CALL(close_range, 900, 1000, 0);
}

static void paths(void) {
    int fd, other;

    CALL(open, "/does/not/exist", O_RDONLY);
    CALL(open, "/tmp/every", O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    fd = CALL(openat, AT_FDCWD, "/tmp/every", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    other = CALL(openat2, fd, "file", &how, sizeof(how));
    CALL(close, other);
    CALL(openat, fd, "new", O_WRONLY | O_CREAT | O_EXCL, 0640);
    CALL(creat, "created", 0600);
    CALL(getdents64, fd, buffer, 1000);
    CALL(stat, "file", &stat_buffer);
    CALL(lstat, "file", &stat_buffer);
    CALL(newfstatat, fd, "file", &stat_buffer, AT_SYMLINK_NOFOLLOW);
    CALL(statx, fd, "file", AT_SYMLINK_NOFOLLOW, STATX_SIZE | STATX_MODE, &statx_buffer);
    CALL(statfs, "/tmp", &statfs_buffer);
    CALL(fstatfs, fd, &statfs_buffer);
    CALL(access, "file", R_OK | W_OK);
    CALL(faccessat, fd, "nofile", F_OK);
    CALL(faccessat2, fd, "file", X_OK, AT_EACCESS);
    CALL(link, "file", "linked");
    CALL(linkat, fd, "file", AT_FDCWD, "linked2", 0);
    CALL(symlink, "file", "symbolic");
    CALL(symlinkat, "target", fd, "symbolic2");
    CALL(readlink, "symbolic", buffer, 100);
    CALL(readlinkat, fd, "symbolic2", buffer, 100);
    CALL(rename, "linked", "renamed");
    CALL(renameat, fd, "renamed", AT_FDCWD, "again");
    CALL(renameat2, fd, "again", fd, "created", RENAME_NOREPLACE);
    CALL(chmod, "file", 0640);
    CALL(fchmodat, fd, "file", 0644);
    CALL(chown, "file", 0, -1);
    CALL(lchown, "symbolic", 0, 0);
    CALL(fchownat, fd, "file", 1, 2, AT_SYMLINK_NOFOLLOW);
    CALL(utime, "file", &utimes_old);
    CALL(utimes, "file", timevals);
    CALL(futimesat, fd, "file", timevals);
    CALL(utimensat, fd, "file", two_times, 0);
    CALL(truncate, "file", 10);
    CALL(mknod, "fifo", S_IFIFO | 0644, 0);
    CALL(mknodat, fd, "null", S_IFCHR | 0600, 0x103);
    CALL(mkdirat, fd, "directory", 0700);
    CALL(unlinkat, fd, "directory", AT_REMOVEDIR);
    CALL(unlink, "linked2");
    CALL(rmdir, "/tmp/nothing");
    CALL(fchdir, fd);
    CALL(umask, 022);
    CALL(umask, 027);
    CALL(chroot, "/does/not/exist");
    CALL(mount, "none", "/does/not/exist", "tmpfs", MS_NOSUID | MS_NODEV, "size=1m");
    CALL(umount2, "/does/not/exist", 2);
    CALL(acct, "/does/not/exist");
    CALL(swapoff, "/does/not/exist");
}

static void descriptors(void) {
    int epoll, watch, timer, signal_fd, event_fd;

    CALL(pipe, pair);
    CALL(pipe2, pair, O_NONBLOCK | O_CLOEXEC);
    CALL(write, pair[1], "pipe", 4);
    fds[0] = (struct pollfd){pair[0], POLLIN | POLLPRI, 0};
    fds[1] = (struct pollfd){pair[1], POLLOUT, 0};
    CALL(poll, fds, 2, 10);
    CALL(ppoll, fds, 1, &zero_time, &no_signals, 8);
    FD_SET(pair[0], &read_set);
    FD_SET(pair[1], &write_set);
    CALL(select, pair[1] + 1, &read_set, &write_set, NULL, &no_wait);
    pselect_mask.mask = (unsigned long)&signals;
    pselect_mask.size = 8;
    CALL(pselect6, 0, NULL, NULL, NULL, &zero_time, &pselect_mask);
    CALL(tee, pair[0], pair[1], 0, 2);
    CALL(splice, pair[0], NULL, pair[1], NULL, 0, SPLICE_F_NONBLOCK);
    CALL(vmsplice, pair[1], parts, 1, SPLICE_F_NONBLOCK);
    CALL(ioctl, pair[0], FIONREAD, &number);
    CALL(ioctl, pair[0], TCGETS, more);
    CALL(ioctl, pair[0], TIOCGWINSZ, more);
    CALL(epoll_create, 1);
    epoll = CALL(epoll_create1, EPOLL_CLOEXEC);
    CALL(epoll_ctl, epoll, EPOLL_CTL_ADD, pair[0], &event);
    CALL(epoll_wait, epoll, events, 4, 0);
    CALL(epoll_pwait, epoll, events, 4, 0, &signals, 8);
    CALL(epoll_ctl, epoll, EPOLL_CTL_DEL, pair[0], NULL);
    CALL(eventfd, 3);
    event_fd = CALL(eventfd2, 1, EFD_SEMAPHORE | EFD_NONBLOCK);
    CALL(read, event_fd, buffer, 8);
    CALL(inotify_init);
    watch = CALL(inotify_init1, IN_NONBLOCK | IN_CLOEXEC);
    CALL(inotify_add_watch, watch, "/tmp/every", IN_CREATE | IN_DELETE | IN_ISDIR);
    CALL(inotify_rm_watch, watch, 1);
    timer = CALL(timerfd_create, CLOCK_MONOTONIC, TFD_NONBLOCK);
    CALL(timerfd_settime, timer, TFD_TIMER_ABSTIME, &spec_value, &spec_old);
    CALL(timerfd_gettime, timer, &spec_old);
    signal_fd = CALL(signalfd4, -1, &signals, 8, SFD_NONBLOCK | SFD_CLOEXEC);
    CALL(read, signal_fd, buffer, 128);
    CALL(memfd_create, "memory", 3);
    CALL(getrandom, buffer, 8, GRND_NONBLOCK);
    CALL(fanotify_mark, -1, 1, 1, AT_FDCWD, "/");
    CALL(io_setup, 4, &aio);
    CALL(io_getevents, aio, 0, 1, events, &zero_time);
    CALL(io_destroy, aio);
    CALL(userfaultfd, ~0);
    CALL(name_to_handle_at, AT_FDCWD, "/tmp", NULL, NULL, 0);
}

static void memory(void) {
    char *p = (char *)CALL(mmap, NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CALL(mmap, NULL, 0, PROT_NONE, MAP_SHARED, 0, 0);
    p[0] = 1;
    CALL(mprotect, p, 4096, PROT_READ | PROT_EXEC);
    CALL(mprotect, p, 4096, PROT_NONE);
    CALL(madvise, p, 4096, MADV_DONTNEED);
    CALL(mincore, p, 4096, more);
    CALL(msync, p, 4096, MS_ASYNC);
    CALL(mlock, p + 4096, 4096);
    CALL(mlock2, p + 4096, 4096, 1);
    CALL(munlock, p + 4096, 4096);
    CALL(mremap, p, 8192, 4096, 0);
    CALL(mremap, p, 4096, 16384, MREMAP_MAYMOVE);
    CALL(munmap, p, 4096);
    CALL(munlockall);
    CALL(brk, 0);
    CALL(membarrier, 0, 0, 0);
    CALL(pkey_alloc, 0, 1);
    CALL(get_mempolicy, &number, more, 64, 0, 0);
    CALL(remap_file_pages, 0, 0, 0, 0, 0);
}

static void processes(void) {
    int child;

    CALL(getpid);
    CALL(gettid);
    CALL(getppid);
    CALL(getpgrp);
    CALL(getpgid, 0);
    CALL(getsid, 0);
    CALL(setpgid, 0, 0);
    CALL(getuid);
    CALL(geteuid);
    CALL(getgid);
    CALL(getegid);
    CALL(getresuid, &number, &number, &number);
    CALL(getresgid, &number, &number, &number);
    CALL(setuid, 0);
    CALL(setgid, 0);
    CALL(setreuid, -1, 0);
    CALL(setregid, -1, 0);
    CALL(setresuid, -1, -1, 0);
    CALL(setresgid, -1, -1, 0);
    CALL(setfsuid, 0);
    CALL(setfsgid, 0);
    CALL(getgroups, 64, groups);
    groups[0] = 5;
    groups[1] = 6;
    CALL(setgroups, 2, groups);
    CALL(getrlimit, RLIMIT_NOFILE, &limit);
    CALL(setrlimit, RLIMIT_CORE, &new_limit);
    CALL(prlimit64, 0, RLIMIT_CORE, &new64, &old64);
    CALL(getrusage, RUSAGE_SELF, &usage);
    CALL(getpriority, PRIO_PROCESS, 0);
    CALL(setpriority, PRIO_PROCESS, 0, 5);
    CALL(ioprio_get, 1, 0);
    CALL(sched_yield);
    CALL(sched_getscheduler, 0);
    CALL(sched_getparam, 0, &parameter);
    CALL(sched_setscheduler, 0, SCHED_BATCH, &parameter);
    CALL(sched_get_priority_max, SCHED_FIFO);
    CALL(sched_get_priority_min, SCHED_RR);
    CALL(sched_rr_get_interval, 0, &got_time);
    CALL(sched_getaffinity, 0, 8, &cpu_mask);
    CALL(prctl, PR_SET_NAME, "every");
    CALL(prctl, PR_GET_DUMPABLE);
    CALL(prctl, PR_SET_PDEATHSIG, SIGKILL);
    CALL(arch_prctl, 0x1003, &offset);
    CALL(personality, 0xffffffff);
    CALL(capget, &capabilities, NULL);
    CALL(getcpu, &number, NULL, NULL);
    CALL(uname, &uts);
    CALL(sysinfo, &information);
    CALL(times, &cpu_times);
    CALL(set_tid_address, &number);
    CALL(get_robust_list, 0, &offset, &offset);
    CALL(kcmp, 1, 1, 0, 0, 0);
    CALL(unshare, 0);
    CALL(setns, -1, CLONE_NEWNET);
    CALL(sethostname, "tapir-host", 10);
    CALL(seccomp, 2, 0, NULL);
    CALL(ptrace, PTRACE_CONT, 999999, NULL, NULL);
    CALL(pidfd_open, 999999, 0);
    child = CALL(fork);
    if (!child) {
        touch_everything();
        CALL(execve, "/does/not/exist", arguments, no_environment);
        CALL(execve, arguments[0], arguments, no_environment);
        _exit(1);
    }
    CALL(wait4, child, &status, 0, NULL);
    child = CALL(clone, SIGCHLD, NULL, NULL, NULL, 0);
    if (!child) CALL(exit_group, 3);
    CALL(waitid, P_PID, child, &info, WEXITED, NULL);
    CALL(wait4, -1, &status, WNOHANG, &usage);
}

static void signals_and_time(void) {
    action.sa_handler = SIG_IGN;
    CALL(rt_sigaction, SIGUSR2, &action, NULL, 8);
    CALL(rt_sigaction, SIGUSR2, NULL, &action, 8);
    CALL(rt_sigprocmask, SIG_BLOCK, &signals, &signals_old, 8);
    CALL(rt_sigprocmask, SIG_SETMASK, &all_signals, NULL, 8);
    CALL(rt_sigprocmask, SIG_SETMASK, &no_signals, NULL, 8);
    CALL(rt_sigpending, &signals_old, 8);
    CALL(rt_sigtimedwait, &signals, NULL, &short_time, 8);
    CALL(sigaltstack, &stack, &old_stack);
    CALL(kill, 999999, SIGTERM);
    CALL(kill, 999999, 0);
    CALL(tkill, 999999, SIGUSR1);
    CALL(tgkill, 999999, 999999, 34);
    CALL(alarm, 100);
    CALL(alarm, 0);
    CALL(getitimer, ITIMER_REAL, &timer_old);
    CALL(setitimer, ITIMER_REAL, &timer_value, &timer_old);
    CALL(setitimer, ITIMER_REAL, &timer_off, NULL);
    timer_event.sigev_notify = SIGEV_SIGNAL;
    timer_event.sigev_signo = SIGALRM;
    CALL(timer_create, CLOCK_MONOTONIC, &timer_event, &timer_id);
    CALL(timer_settime, 0, 0, &spec_value, NULL);
    CALL(timer_gettime, 0, &spec_old);
    CALL(timer_getoverrun, 0);
    CALL(timer_delete, 0);
    CALL(time, NULL);
    CALL(gettimeofday, timevals, &zone);
    CALL(settimeofday, NULL, NULL);
    CALL(clock_gettime, CLOCK_MONOTONIC, &got_time);
    CALL(clock_getres, CLOCK_BOOTTIME, &got_time);
    CALL(clock_settime, CLOCK_MONOTONIC, &short_time);
    CALL(clock_nanosleep, CLOCK_MONOTONIC, 0, &short_time, NULL);
    CALL(nanosleep, &short_time, &got_time);
    CALL(nanosleep, (void *)16, NULL);
    CALL(futex, &futex_word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 4, &short_time);
    CALL(futex, &futex_word, FUTEX_WAKE, 1);
}

static void sockets(void) {
    int server, client, accepted;

    server = CALL(socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    inet.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    inet.sin_port = htons(34567);
    CALL(setsockopt, server, SOL_SOCKET, SO_REUSEADDR, &option, sizeof(option));
    number = sizeof(option);
    CALL(getsockopt, server, SOL_SOCKET, SO_TYPE, &option, &number);
    CALL(bind, server, &inet, sizeof(inet));
    CALL(listen, server, 5);
    client = CALL(socket, AF_INET, SOCK_STREAM, IPPROTO_TCP);
    CALL(connect, client, &inet, sizeof(inet));
    number = sizeof(inet_got);
    accepted = CALL(accept4, server, NULL, NULL, SOCK_NONBLOCK);
    CALL(getsockname, accepted, &inet_got, &number);
    CALL(getpeername, accepted, &inet_got, &number);
    CALL(sendto, client, "data", 4, MSG_NOSIGNAL, NULL, 0);
    CALL(recvfrom, accepted, buffer, 10, MSG_PEEK, NULL, NULL);
    header.msg_iov = parts;
    header.msg_iovlen = 2;
    CALL(sendmsg, client, &header, MSG_DONTWAIT);
    header.msg_iov = room;
    CALL(recvmsg, accepted, &header, 0);
    CALL(shutdown, client, SHUT_WR);
    CALL(accept, accepted, NULL, NULL);
    CALL(socketpair, AF_UNIX, SOCK_DGRAM, 0, pair);
    headers[0].msg_hdr.msg_iov = parts;
    headers[0].msg_hdr.msg_iovlen = 1;
    CALL(sendmmsg, pair[0], headers, 1, 0);
    headers[0].msg_hdr.msg_iov = room;
    CALL(recvmmsg, pair[1], headers, 1, MSG_DONTWAIT, NULL);
    client = CALL(socket, AF_UNIX, SOCK_SEQPACKET, 0);
    strcpy(local.sun_path, "/tmp/every/none");
    CALL(connect, client, &local, sizeof(local));
    client = CALL(socket, AF_INET6, SOCK_DGRAM, IPPROTO_UDP);
    inet6.sin6_port = htons(9);
    inet6.sin6_addr = in6addr_loopback;
    CALL(sendto, client, "six", 3, 0, &inet6, sizeof(inet6));
    CALL(socket, AF_NETLINK, SOCK_RAW, 0);
}

static void communication(void) {
    long shared;
    int id;

    id = CALL(semget, IPC_PRIVATE, 1, IPC_CREAT | 0600);
    CALL(semop, id, operations, 1);
    CALL(semtimedop, id, operations + 1, 1, &short_time);
    CALL(semctl, id, 0, GETVAL, 0);
    CALL(semctl, id, 0, IPC_RMID, 0);
    id = CALL(msgget, 0x1234, IPC_CREAT | IPC_EXCL | 0644);
    CALL(msgsnd, id, &message, 8, IPC_NOWAIT);
    CALL(msgrcv, id, &message, 8, 0, MSG_NOERROR);
    CALL(msgctl, id, IPC_RMID, NULL);
    id = CALL(shmget, IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    shared = CALL(shmat, id, NULL, SHM_RDONLY);
    CALL(shmdt, shared);
    CALL(shmctl, id, IPC_RMID, NULL);
    id = CALL(mq_open, "every", O_RDWR | O_CREAT | O_NONBLOCK, 0600, &queue_attributes);
    CALL(mq_timedsend, id, "queued", 6, 1, NULL);
    CALL(mq_timedreceive, id, buffer, 64, &number, NULL);
    CALL(mq_getsetattr, id, NULL, &queue_attributes);
    CALL(mq_unlink, "every");
    CALL(add_key, "user", "tapir", "secret", 6, -2);
    CALL(keyctl, 0, -3, 0);
    CALL(bpf, 100, NULL, 0);
    CALL(perf_event_open, NULL, 0, -1, -1, 0);
    CALL(delete_module, "no_such_module", O_NONBLOCK);
    CALL(quotactl, 0, NULL, 0, NULL);
    CALL(landlock_create_ruleset, NULL, 0, 1);
}

int main(int argc, char **argv) {
    int old = personality(0xffffffff);

    if (!(old & ADDR_NO_RANDOMIZE)) {
        personality(old | ADDR_NO_RANDOMIZE);
        execv("/proc/self/exe", argv);
    }
    if (argc > 1) return 0;
    close_range(3, ~0u, 0);
    touch_everything();
    unshare(CLONE_NEWIPC);  // numbers from 0
    umask(022);
    CALL(write, -1, "begin", 5);
    file_contents();
    paths();
    descriptors();
    memory();
    sockets();
    communication();
    signals_and_time();
    processes();
    CALL(write, -1, "end", 3);
    return 0;
}
