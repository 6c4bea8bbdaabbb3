// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions of the kernel in which threads wait, and for what. Names are of 5.10 to 7.2; those that a kernel lacks do no harm. A
 * name may end with `*`. The innermost function that is here decides, unless it is weak: then its callers may know better.
 */
#include <tapir/string.h>
#include <tapir/wait.h>

struct wait_function {
	const char *name;
	u8 kind, flags;
};

#define STRONG(kind, name)                                                                                                         \
	{                                                                                                                          \
		name, TAPIR_WAIT_##kind, 0                                                                                         \
	}
#define WEAK(kind, name)                                                                                                           \
	{                                                                                                                          \
		name, TAPIR_WAIT_##kind, TAPIR_WAIT_WEAK                                                                           \
	}
#define SKIP(name)                                                                                                                 \
	{                                                                                                                          \
		name, TAPIR_WAIT_OTHER, TAPIR_WAIT_SKIP                                                                            \
	}

static const struct wait_function functions[] = {
    /* The kernel does not keep these with its scheduler's code, in some releases or in all. */
    SKIP("__traceiter_*"),
    SKIP("wait_woken"),
    SKIP("preempt_schedule*"),
    SKIP("__cond_resched*"),
    SKIP("finish_task_switch"),

    STRONG(CHILD, "do_wait"),
    STRONG(CHILD, "__do_wait"),
    STRONG(CHILD, "kernel_wait4"),
    STRONG(CHILD, "kernel_waitid*"),
    STRONG(CHILD, "wait_for_vfork_done"),

    STRONG(CONNECT, "inet_csk_accept"),
    STRONG(CONNECT, "inet_csk_wait_for_connect"),
    STRONG(CONNECT, "inet_wait_for_connect"),
    STRONG(CONNECT, "__inet_stream_connect"),
    STRONG(CONNECT, "sk_stream_wait_connect"),
    STRONG(CONNECT, "unix_accept"),
    STRONG(CONNECT, "unix_stream_connect"),
    STRONG(CONNECT, "vsock_accept"),
    STRONG(CONNECT, "vsock_connect"),
    STRONG(CONNECT, "vsock_stream_connect"),

    WEAK(DISK, "io_schedule"),
    WEAK(DISK, "io_schedule_timeout"),
    WEAK(DISK, "blk_io_schedule"),
    WEAK(DISK, "bit_wait_io"),
    WEAK(DISK, "__wait_on_buffer"),
    WEAK(DISK, "__lock_buffer"),
    WEAK(DISK, "submit_bio_wait"),
    WEAK(DISK, "bio_await"),
    WEAK(DISK, "blk_execute_rq"),
    WEAK(DISK, "blk_mq_get_tag"),
    WEAK(DISK, "blk_queue_enter"),
    WEAK(DISK, "__bio_queue_enter"),
    WEAK(DISK, "rq_qos_wait"),
    WEAK(DISK, "blkdev_issue_flush"),
    WEAK(DISK, "dio_await_one"),
    WEAK(DISK, "__blockdev_direct_IO"),
    WEAK(DISK, "__iomap_dio_rw"),
    WEAK(DISK, "iomap_dio_complete"),
    WEAK(DISK, "inode_dio_wait"),
    WEAK(DISK, "__inode_dio_wait"),
    WEAK(DISK, "__blkdev_direct_IO*"),
    WEAK(DISK, "blkdev_direct_IO*"),
    WEAK(DISK, "scsi_execute*"),
    STRONG(DISK, "request_wait_answer"),
    STRONG(DISK, "rpc_wait_bit_killable"),
    STRONG(DISK, "nfs_wait_bit_killable"),

    STRONG(FILE, "filemap_fault"),
    STRONG(FILE, "filemap_read"),
    STRONG(FILE, "filemap_get_pages"),
    STRONG(FILE, "filemap_splice_read"),
    STRONG(FILE, "generic_file_buffered_read"),
    STRONG(FILE, "generic_file_read_iter"),
    STRONG(FILE, "do_read_cache_folio"),
    STRONG(FILE, "do_read_cache_page"),
    STRONG(FILE, "do_swap_page"),
    STRONG(FILE, "handle_userfault"),
    STRONG(FILE, "handle_mm_fault"),
    STRONG(FILE, "__handle_mm_fault"),

    STRONG(FLOCK, "locks_lock_inode_wait"),
    STRONG(FLOCK, "fcntl_setlk"),
    STRONG(FLOCK, "do_lock_file_wait"),
    STRONG(FLOCK, "__break_lease"),

    STRONG(FUTEX, "futex_wait*"),
    STRONG(FUTEX, "__futex_wait"),
    STRONG(FUTEX, "futex_do_wait"),
    STRONG(FUTEX, "futex_sleep_multiple"),
    STRONG(FUTEX, "futex_lock_pi*"),
    STRONG(FUTEX, "do_futex"),

    /* Threads of the kernel without work. */
    STRONG(IDLE, "worker_thread"),
    STRONG(IDLE, "rescuer_thread"),
    STRONG(IDLE, "kthreadd"),
    STRONG(IDLE, "kthread_worker_fn"),
    STRONG(IDLE, "smpboot_thread_fn"),
    STRONG(IDLE, "rcu_gp_fqs_loop"),
    STRONG(IDLE, "rcu_gp_kthread"),
    STRONG(IDLE, "rcu_tasks_one_gp"),
    STRONG(IDLE, "rcu_tasks_kthread"),
    STRONG(IDLE, "rcu_nocb_*"),
    STRONG(IDLE, "nocb_gp_wait"),
    STRONG(IDLE, "nocb_cb_wait"),
    STRONG(IDLE, "kswapd_try_to_sleep"),
    STRONG(IDLE, "kswapd"),
    STRONG(IDLE, "kcompactd"),
    STRONG(IDLE, "khugepaged*"),
    STRONG(IDLE, "ksm_scan_thread"),
    STRONG(IDLE, "oom_reaper"),
    STRONG(IDLE, "kauditd_thread"),
    STRONG(IDLE, "kjournald2"),
    STRONG(IDLE, "irq_thread"),
    STRONG(IDLE, "irq_wait_for_interrupt"),
    STRONG(IDLE, "io_wq_worker"),
    STRONG(IDLE, "io_wqe_worker"),
    STRONG(IDLE, "io_sq_thread"),
    STRONG(IDLE, "devtmpfsd*"),
    STRONG(IDLE, "psi_rtpoll_worker"),
    STRONG(IDLE, "psi_poll_worker"),
    STRONG(IDLE, "scsi_error_handler"),
    STRONG(IDLE, "svc_recv"),
    STRONG(IDLE, "watchdog"),

    STRONG(IPC, "do_semtimedop"),
    STRONG(IPC, "__do_semtimedop"),
    STRONG(IPC, "do_msgrcv"),
    STRONG(IPC, "do_msgsnd"),
    STRONG(IPC, "wq_sleep"),

    STRONG(JOURNAL, "jbd2_*"),
    STRONG(JOURNAL, "__jbd2_*"),
    STRONG(JOURNAL, "start_this_handle"),
    STRONG(JOURNAL, "add_transaction_credits"),
    STRONG(JOURNAL, "wait_transaction_*"),
    STRONG(JOURNAL, "do_get_write_access"),
    STRONG(JOURNAL, "xlog_*"),
    STRONG(JOURNAL, "xfs_log_*"),
    STRONG(JOURNAL, "btrfs_commit_transaction"),
    STRONG(JOURNAL, "btrfs_wait_for_commit"),
    STRONG(JOURNAL, "btrfs_sync_log"),
    STRONG(JOURNAL, "wait_current_trans"),
    STRONG(JOURNAL, "wait_for_commit"),

    STRONG(MUTEX, "__mutex_lock*"),
    STRONG(MUTEX, "mutex_lock*"),
    STRONG(MUTEX, "__ww_mutex_lock*"),
    STRONG(MUTEX, "ww_mutex_lock*"),
    STRONG(MUTEX, "__down"),
    STRONG(MUTEX, "__down_common"),
    STRONG(MUTEX, "__down_interruptible"),
    STRONG(MUTEX, "__down_killable"),
    STRONG(MUTEX, "__down_timeout"),
    STRONG(MUTEX, "__lock_sock"),
    /* With PREEMPT_RT these are below locks of any kind, and below a futex with inheritance of priorities always. */
    WEAK(MUTEX, "rt_mutex_*"),
    WEAK(MUTEX, "__rt_mutex_*"),
    WEAK(MUTEX, "rtlock_slowlock*"),
    WEAK(MUTEX, "rt_spin_lock"),

    STRONG(PIPE, "pipe_read"),
    STRONG(PIPE, "pipe_write"),
    STRONG(PIPE, "anon_pipe_read"),
    STRONG(PIPE, "anon_pipe_write"),
    STRONG(PIPE, "fifo_pipe_read"),
    STRONG(PIPE, "fifo_pipe_write"),
    STRONG(PIPE, "fifo_open"),
    STRONG(PIPE, "pipe_wait*"),
    STRONG(PIPE, "wait_for_partner"),
    STRONG(PIPE, "splice_from_pipe_next"),
    STRONG(PIPE, "splice_to_pipe"),
    STRONG(PIPE, "ipipe_prep"),
    STRONG(PIPE, "opipe_prep"),

    STRONG(POLL, "ep_poll"),
    STRONG(POLL, "do_epoll_wait"),
    STRONG(POLL, "poll_schedule_timeout"),
    STRONG(POLL, "do_poll"),
    STRONG(POLL, "do_select"),
    STRONG(POLL, "do_sys_poll"),
    STRONG(POLL, "core_sys_select"),
    STRONG(POLL, "io_cqring_wait*"),
    STRONG(POLL, "read_events"),
    STRONG(POLL, "eventfd_read"),
    STRONG(POLL, "signalfd_dequeue"),
    STRONG(POLL, "signalfd_read*"),
    STRONG(POLL, "inotify_read"),
    STRONG(POLL, "fanotify_read"),

    WEAK(RECEIVE, "__skb_wait_for_more_packets"),
    WEAK(RECEIVE, "__skb_recv_datagram"),
    WEAK(RECEIVE, "sk_wait_data"),
    STRONG(RECEIVE, "tcp_recvmsg*"),
    STRONG(RECEIVE, "tcp_splice_read"),
    STRONG(RECEIVE, "unix_stream_data_wait"),
    STRONG(RECEIVE, "unix_stream_read_generic"),
    STRONG(RECEIVE, "__unix_dgram_recvmsg"),
    STRONG(RECEIVE, "unix_dgram_recvmsg"),
    STRONG(RECEIVE, "__skb_recv_udp"),
    STRONG(RECEIVE, "udp_recvmsg"),
    STRONG(RECEIVE, "udpv6_recvmsg"),
    STRONG(RECEIVE, "netlink_recvmsg"),
    STRONG(RECEIVE, "packet_recvmsg"),
    STRONG(RECEIVE, "vsock_*recvmsg"),

    STRONG(RECLAIM, "try_to_free_pages"),
    STRONG(RECLAIM, "do_try_to_free_pages"),
    STRONG(RECLAIM, "try_to_free_mem_cgroup_pages"),
    STRONG(RECLAIM, "shrink_node*"),
    STRONG(RECLAIM, "throttle_direct_reclaim"),
    STRONG(RECLAIM, "reclaim_throttle"),
    STRONG(RECLAIM, "wait_iff_congested"),
    STRONG(RECLAIM, "mem_cgroup_handle_over_high"),
    STRONG(RECLAIM, "__mem_cgroup_handle_over_high"),
    STRONG(RECLAIM, "mem_cgroup_oom_synchronize"),
    STRONG(RECLAIM, "__alloc_pages_slowpath"),
    STRONG(RECLAIM, "try_to_compact_pages"),
    STRONG(RECLAIM, "balance_pgdat"),

    STRONG(RWSEM, "rwsem_down_*"),
    STRONG(RWSEM, "__down_read*"),
    STRONG(RWSEM, "__down_write*"),
    STRONG(RWSEM, "down_read*"),
    STRONG(RWSEM, "down_write*"),
    STRONG(RWSEM, "percpu_rwsem_wait"),
    STRONG(RWSEM, "__percpu_down_read*"),
    STRONG(RWSEM, "percpu_down_write"),
    STRONG(RWSEM, "rwbase_*"),
    STRONG(RWSEM, "__rwbase_*"),

    STRONG(SEND, "sk_stream_wait_memory"),
    STRONG(SEND, "sk_stream_wait_close"),
    STRONG(SEND, "sock_alloc_send_pskb"),
    STRONG(SEND, "sock_wait_for_wmem"),
    STRONG(SEND, "unix_wait_for_peer"),

    STRONG(SLEEP, "do_nanosleep"),
    STRONG(SLEEP, "hrtimer_nanosleep"),
    STRONG(SLEEP, "common_nsleep*"),
    STRONG(SLEEP, "msleep*"),
    STRONG(SLEEP, "usleep_range*"),
    STRONG(SLEEP, "timerfd_read*"),
    STRONG(SLEEP, "__do_sys_pause"),
    STRONG(SLEEP, "__x64_sys_pause"),
    STRONG(SLEEP, "__ia32_sys_pause"),
    STRONG(SLEEP, "sigsuspend"),
    STRONG(SLEEP, "do_sigtimedwait"),

    STRONG(STOPPED, "do_signal_stop"),
    STRONG(STOPPED, "ptrace_stop"),
    STRONG(STOPPED, "do_jobctl_trap"),
    STRONG(STOPPED, "__refrigerator"),
    STRONG(STOPPED, "do_freezer_trap"),
    WEAK(STOPPED, "get_signal"),

    STRONG(TERMINAL, "n_tty_read"),
    STRONG(TERMINAL, "n_tty_write"),
    STRONG(TERMINAL, "tty_wait_until_sent"),

    WEAK(WRITEBACK, "folio_wait_bit_common"),
    WEAK(WRITEBACK, "folio_wait_writeback*"),
    WEAK(WRITEBACK, "wait_on_page_bit_common"),
    WEAK(WRITEBACK, "wait_on_page_writeback"),
    WEAK(WRITEBACK, "__lock_page*"),
    WEAK(WRITEBACK, "__folio_lock*"),
    WEAK(WRITEBACK, "__filemap_fdatawait_range"),
    STRONG(WRITEBACK, "balance_dirty_pages*"),
    STRONG(WRITEBACK, "wb_wait_for_completion"),
    STRONG(WRITEBACK, "__inode_wait_for_writeback"),
    STRONG(WRITEBACK, "__writeback_inodes_sb_nr"),
};

/* `pattern` may have one `*`, which stands for anything. */
static bool matches(const char *pattern, const char *name)
{
	u32 length = tapir_strlen(name, TAPIR_MESSAGE_MAX), head = 0, tail;

	while (pattern[head] && pattern[head] != '*') {
		if (pattern[head] != name[head])
			return false;
		head++;
	}
	if (!pattern[head])
		return !name[head];
	tail = tapir_strlen(pattern + head + 1, TAPIR_MESSAGE_MAX);
	return length >= head + tail && !tapir_str_compare(pattern + head + 1, name + length - tail, TAPIR_MESSAGE_MAX);
}

enum tapir_wait_kind tapir_wait_kind_of(const char *function, u32 *flags)
{
	u32 i;

	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		if (matches(functions[i].name, function)) {
			*flags = functions[i].flags;
			return functions[i].kind;
		}
	}
	*flags = 0;
	return TAPIR_WAIT_OTHER;
}
