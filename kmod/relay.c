// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Output over relay channels.
 *
 * A stream of one CPU has one writer at a time. Levels below NMI write DATA and CONTROL with interrupts off, so they do not nest.
 * NMI level has a stream of its own, and a handler of that level is not entered twice. So a record needs no lock.
 *
 * A stream that gets few records has one buffer for all CPUs, with a lock. That is CONTROL, and DATA if only handlers of the
 * session thread print. It saves the memory of buffers that would stay empty on each CPU.
 *
 * Order across CPUs: a snapshot takes the time T, then visits the CPUs that have written since the last one. It raises their clock
 * floors above T and notes the end of their streams. Later records have times above T, so everything up to T lies below the noted
 * positions. A silent stream takes the last snapshot's time as its floor before it writes again. So silent CPUs stay undisturbed.
 */
#include <linux/cpu.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/relay.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <tapir/context.h>
#include <tapir/format.h>
#include <tapir/port.h>
#include "compat/relay_channel.h"
#include "port_memory.h"
#include "relay.h"
#include "state.h"

#define TAPIR_SUBBUF_MIN      32768u /* a record fits, and not much is lost at the end */
#define TAPIR_SUBBUFS	      16u
#define TAPIR_SUBBUFS_MIN     4u
#define TAPIR_CONTROL_SUBBUFS 16u
#define TAPIR_NMI_SUBBUFS     4u
#define TAPIR_FEW_SUBBUF      12288u /* where there are but messages, each shorter than this: two of them */
#define TAPIR_FEW_SUBBUFS     2u
#define TAPIR_DATA_TOTAL      (128ull << 20) /* by default, shared by all CPUs, but not more or less for each than: */
#define TAPIR_DATA_MAX	      (2ull << 20)
#define TAPIR_DATA_MIN	      (256ull << 10)
#define TAPIR_SHORT_RECORD    128u /* bytes that are copied without memcpy(), whose start-up costs more */

struct tapir_stream_cpu {
	/* The writer's. */
	u64 floor;  /* no record may carry an earlier time */
	bool awake; /* written to since the last snapshot: the CPU is in tapir_awake */
	u64 records_produced, bytes_produced;
	u64 records_dropped, bytes_dropped;
	/* The snapshot's, written on the writer's CPU. */
	size_t snapshot_subbufs, snapshot_offset; /* complete sub-buffers, and bytes in the one after them */
	u64 snapshot_bytes, fresh_bytes;	  /* since START, and since the snapshot before */
	/* The reader's. */
	size_t read_offset; /* in the first sub-buffer that is not consumed */
	u64 records_delivered, bytes_delivered;
};
static DEFINE_PER_CPU(struct tapir_stream_cpu, tapir_streams[TAPIR_STREAMS]);

/* A stream with one buffer for all CPUs, which counts as that of CPU 0. Losses count where they happen, as of other streams. */
struct tapir_common {
	struct tapir_lock lock;
	bool used;
	struct tapir_stream_cpu state; /* under the lock, but for the reader's */
};
static struct tapir_common tapir_commons[TAPIR_STREAMS];
static DEFINE_PER_CPU(bool, tapir_common_busy); /* this CPU has, or waits for, such a lock; interrupts are off */

static struct rchan *tapir_channels[TAPIR_STREAMS];
static bool tapir_prints;    /* some handler does where it is hit */
static u64 tapir_data_bytes; /* of output, of each buffer */
bool tapir_reader;
static unsigned long tapir_progress; /* counts sub-buffers that the reader has freed */

static struct cpumask tapir_awake, tapir_visited; /* which CPUs the next snapshot is to visit, and which the last one has */
static u64 tapir_snapshot_time;
static u64 tapir_ready;	   /* bytes that the reader may take */
static bool tapir_waiting; /* the reader waits for news: the next record of a silent stream is news */

/* ---- life ---- */

static void tapir_channel_open(u32 stream, u64 bytes, u32 count)
{
	u64 size = max_t(u64, PAGE_ALIGN(div_u64(bytes, count)), TAPIR_SUBBUF_MIN);

	count = max_t(u64, min_t(u64, count, div64_u64(bytes, size)), TAPIR_SUBBUFS_MIN);
	tapir_channels[stream] = tapir_relay_open(size, count, tapir_commons[stream].used);
}

static bool tapir_handlers_print(void)
{
	u32 i;

	for (i = 0; i < tapir_module.nprobes; i++)
		if (tapir_module.probes[i].prints)
			return true;
	return false;
}

static u64 tapir_nmi_bytes(void)
{
	return tapir_prints ? TAPIR_NMI_SUBBUFS * TAPIR_SUBBUF_MIN : TAPIR_FEW_SUBBUFS * TAPIR_FEW_SUBBUF;
}

u64 tapir_relay_bytes(void)
{
	u64 cpus = num_online_cpus(), output = tapir_prints ? tapir_data_bytes * cpus : tapir_data_bytes;

	return output + tapir_nmi_bytes() * cpus + TAPIR_CONTROL_SUBBUFS * TAPIR_SUBBUF_MIN;
}

int tapir_relay_create(u64 bytes)
{
	tapir_prints = tapir_handlers_print();
	if (!bytes && !tapir_prints)
		bytes = TAPIR_DATA_MAX;
	else if (!bytes)
		bytes = clamp_t(u64, div_u64(TAPIR_DATA_TOTAL, num_online_cpus()), TAPIR_DATA_MIN, TAPIR_DATA_MAX);
	tapir_data_bytes = bytes;
	if (tapir_relay_bytes() >= tapir_port_spare())
		return -ENOMEM;
	tapir_commons[TAPIR_STREAM_DATA].used = !tapir_prints;
	tapir_commons[TAPIR_STREAM_CONTROL].used = true;
	/*
	 * A CPU gets its buffers where it begins to come online, of the channels there are then. Channels that are opened before it
	 * counts as online have none for it: it would have nothing to write to, and the session thread would wait for room there.
	 */
	cpus_read_lock();
	tapir_channel_open(TAPIR_STREAM_DATA, bytes, TAPIR_SUBBUFS);
	tapir_channel_open(TAPIR_STREAM_CONTROL, TAPIR_CONTROL_SUBBUFS * TAPIR_SUBBUF_MIN, TAPIR_CONTROL_SUBBUFS);
	if (tapir_prints)
		tapir_channel_open(TAPIR_STREAM_NMI, tapir_nmi_bytes(), TAPIR_NMI_SUBBUFS);
	else
		tapir_channels[TAPIR_STREAM_NMI] = tapir_relay_open(TAPIR_FEW_SUBBUF, TAPIR_FEW_SUBBUFS, false);
	cpus_read_unlock();
	if (tapir_channels[TAPIR_STREAM_DATA] && tapir_channels[TAPIR_STREAM_CONTROL] && tapir_channels[TAPIR_STREAM_NMI])
		return 0;
	tapir_relay_destroy();
	return -ENOMEM;
}

void tapir_relay_destroy(void)
{
	u32 stream;

	for (stream = 0; stream < TAPIR_STREAMS; stream++) {
		if (tapir_channels[stream])
			relay_close(tapir_channels[stream]);
		tapir_channels[stream] = NULL;
	}
}

/* ---- writing ---- */

static void tapir_record_write(struct tapir_record *record, u64 time, u8 type, u8 level, const void *data, u32 length)
{
	char *payload = (char *)(record + 1);
	u32 padded = ALIGN(length, 8);

	record->time = time;
	record->length = length;
	record->type = type;
	record->level = level;
	record->cpu = raw_smp_processor_id();
	if (padded != length)
		*(u64 *)(payload + padded - 8) = 0;
	memcpy(payload, data, length);
}

static void tapir_tell_reader(void)
{
	if (READ_ONCE(tapir_waiting) && xchg(&tapir_waiting, false))
		tapir_session_notify();
}

/*
 * Call before writing to a silent stream of this CPU. Either a running snapshot finds the CPU in the mask, or this function finds
 * the snapshot's time. An NMI in between does so for its own stream. Interrupts off.
 */
static noinline void tapir_stream_wakes(struct tapir_stream_cpu *state)
{
	cpumask_set_cpu(raw_smp_processor_id(), &tapir_awake);
	smp_mb__after_atomic();
	state->floor = max(state->floor, READ_ONCE(tapir_snapshot_time) + 1);
	barrier();
	WRITE_ONCE(state->awake, true);
	tapir_tell_reader();
}

static void tapir_record_lost(struct tapir_stream_cpu *state, u32 bytes)
{
	state->records_produced++;
	state->bytes_produced += bytes;
	state->records_dropped++;
	state->bytes_dropped += bytes;
}

/* In this CPU's buffer, or under the lock of that for all. Interrupts off. */
static bool tapir_record_put(u32 stream, struct tapir_stream_cpu *state, u8 type, u8 level, const void *data, u32 length,
			     u64 *after)
{
	struct rchan *channel = tapir_channels[stream];
	struct rchan_buf *buf = *this_cpu_ptr(channel->buf);
	u32 bytes = TAPIR_RECORD_SIZE(length);
	struct tapir_record *record;
	size_t subbufs;

	if (TAPIR_UNLIKELY(!buf))
		return false;
	subbufs = buf->subbufs_produced;
	record = relay_reserve(channel, bytes);
	if (TAPIR_UNLIKELY(!record))
		return false;
	state->records_produced++;
	state->bytes_produced += bytes;
	state->floor = max3(state->floor, *after + 1, ktime_get_mono_fast_ns());
	*after = state->floor;
	tapir_record_write(record, state->floor, type, level, data, length);
	/* Tell the reader early enough, but not for every record of output. */
	if (stream == TAPIR_STREAM_CONTROL ||
	    (buf->subbufs_produced != subbufs && 4 * (buf->subbufs_produced - buf->subbufs_consumed) >= channel->n_subbufs))
		tapir_session_notify();
	return true;
}

/* Like tapir_record_put(), for a stream with one buffer. Code that this calls under the lock may be probed, and that handler may
 * print.
 */
static bool tapir_common_put(u32 stream, u8 type, u8 level, const void *data, u32 length, u64 *after)
{
	struct tapir_common *common = &tapir_commons[stream];
	bool done = false;

	if (__this_cpu_read(tapir_common_busy))
		return false;
	__this_cpu_write(tapir_common_busy, true);
	barrier();
	if (tapir_port_lock_patiently(&common->lock)) {
		done = tapir_record_put(stream, &common->state, type, level, data, length, after);
		tapir_port_unlock(&common->lock);
	}
	barrier();
	__this_cpu_write(tapir_common_busy, false);
	if (done)
		tapir_tell_reader();
	return done;
}

/*
 * The record is later than `*after`, which becomes its time. False: no room; counted as dropped if `last`, that is unless the
 * caller will try again. Any context.
 */
static bool tapir_relay_try(u32 stream, u8 type, u8 level, const void *data, u32 length, bool last, u64 *after)
{
	struct tapir_stream_cpu *state;
	unsigned long flags;
	bool done;

	local_irq_save(flags);
	state = this_cpu_ptr(&tapir_streams[stream]);
	if (tapir_commons[stream].used) {
		done = tapir_common_put(stream, type, level, data, length, after);
	} else {
		if (TAPIR_UNLIKELY(!READ_ONCE(state->awake)))
			tapir_stream_wakes(state);
		done = tapir_record_put(stream, state, type, level, data, length, after);
	}
	if (TAPIR_UNLIKELY(!done && last))
		tapir_record_lost(state, TAPIR_RECORD_SIZE(length));
	local_irq_restore(flags);
	return done;
}

/* True if the reader lives and the handler may wait for it. Session thread. */
static bool tapir_reader_awaited(void)
{
	return READ_ONCE(tapir_reader) && !tapir_session_handler_interrupted() && !kthread_should_stop();
}

/* Waits for progress since `progress`, which was read before the buffer was full. False if no reader makes any. Session thread. */
static bool tapir_relay_wait_for_room(unsigned long progress)
{
	tapir_session_notify();
	wait_event_idle(tapir_session.state_changed, READ_ONCE(tapir_progress) != progress || !tapir_reader_awaited());
	return READ_ONCE(tapir_progress) != progress;
}

/*
 * Most records: the whole output of a handler that prints little, in a sub-buffer that has room. False: no record was made. Words
 * are copied in pairs, so the one behind the record may be written, too.
 */
static __always_inline bool tapir_relay_try_short(struct tapir_ctx *c, u8 type)
{
	struct rchan *channel = tapir_channels[TAPIR_STREAM_DATA];
	u32 length = c->out_len, bytes = TAPIR_RECORD_SIZE(length);
	const u64 *from = (const u64 *)c->out;
	struct tapir_stream_cpu *state;
	struct tapir_record *record;
	struct rchan_buf *buf;
	unsigned long flags;
	u64 *to, *end;

	*(tapir_any64 *)(c->out + length) = 0;
	local_irq_save(flags);
	state = this_cpu_ptr(&tapir_streams[TAPIR_STREAM_DATA]);
	buf = *this_cpu_ptr(channel->buf);
	if (TAPIR_UNLIKELY(!buf || !READ_ONCE(state->awake) || buf->offset + bytes + sizeof(u64) > channel->subbuf_size)) {
		local_irq_restore(flags);
		return false;
	}
	record = buf->data + buf->offset;
	buf->offset += bytes;
	record->length = length;
	record->type = type;
	record->level = c->level;
	record->cpu = raw_smp_processor_id();
	to = (u64 *)(record + 1);
	end = (u64 *)((char *)record + bytes);
	do {
		to[0] = from[0];
		barrier(); /* or the compiler makes it a memcpy() */
		to[1] = from[1];
		to += 2;
		from += 2;
	} while (to < end);
	state->records_produced++;
	state->bytes_produced += bytes;
	c->time = max3(state->floor, c->time + 1, ktime_get_mono_fast_ns());
	state->floor = c->time;
	record->time = c->time;
	local_irq_restore(flags);
	return true;
}

static __always_inline bool tapir_output_is_short(const struct tapir_ctx *c)
{
	return TAPIR_LIKELY(c->out_len <= TAPIR_SHORT_RECORD && c->level < TAPIR_LEVEL_NMI);
}

bool tapir_relay_output(struct tapir_ctx *c)
{
	/* Text among items wants its header. */
	if (!tapir_output_is_short(c) || TAPIR_UNLIKELY(c->out_items && c->out_text) ||
	    !tapir_relay_try_short(c, c->out_items ? TAPIR_REC_PRINT : TAPIR_REC_DATA))
		return false;
	c->out_len = 0;
	c->out_items = 0;
	c->out_text = 0;
	return true;
}

/* A report can be probed anywhere. While it writes a record, probes must find its CPU's context busy. */
static bool tapir_relay_try_from(struct tapir_ctx *c, u32 stream, u8 type, const void *data, u32 length, bool last)
{
	bool open = c->level == TAPIR_LEVEL_REPORT && !c->held, done;
	u64 state = open ? tapir_port_tending_begin() : 0;

	done = tapir_relay_try(stream, type, c->level, data, length, last, &c->time);
	if (open)
		tapir_port_tending_end(state);
	return done;
}

/* Payload of one record. */
static u32 tapir_longest(u32 stream)
{
	return stream == TAPIR_STREAM_NMI && !tapir_prints ? TAPIR_FEW_SUBBUF - sizeof(struct tapir_record) : TAPIR_RECORD_MAX;
}

static noinline bool tapir_emit(struct tapir_ctx *c, u8 type, const void *data, u32 length)
{
	u32 stream = c->level == TAPIR_LEVEL_NMI			 ? TAPIR_STREAM_NMI
		     : type == TAPIR_REC_DATA || type == TAPIR_REC_PRINT ? TAPIR_STREAM_DATA
									 : TAPIR_STREAM_CONTROL;

	length = min(length, tapir_longest(stream));
	while (c->may_wait && tapir_may_pause(c)) {
		unsigned long progress = READ_ONCE(tapir_progress);

		/* A script may print for a long time, on a kernel that does not preempt. */
		cond_resched();
		if (tapir_relay_try_from(c, stream, type, data, length, false))
			return true;
		if (!*raw_cpu_ptr(tapir_channels[stream]->buf) || !tapir_relay_wait_for_room(progress))
			break;
	}
	return tapir_relay_try_from(c, stream, type, data, length, true);
}

bool tapir_port_emit(struct tapir_ctx *c, u8 type, const void *data, u32 length)
{
	if (TAPIR_LIKELY(data == c->out && length == c->out_len) && tapir_output_is_short(c) &&
	    (type == TAPIR_REC_PRINT || type == TAPIR_REC_DATA) && tapir_relay_try_short(c, type))
		return true;
	return tapir_emit(c, type, data, length);
}

void tapir_relay_note(u8 type, const char *text, u32 length)
{
	u64 after = 0;

	tapir_relay_try(TAPIR_STREAM_CONTROL, type, TAPIR_LEVEL_TASK, text, min(length, TAPIR_RECORD_MAX), true, &after);
}

/* ---- reading ---- */

static void tapir_stream_snapshot(struct tapir_stream_cpu *state, const struct rchan_buf *buf, u64 time)
{
	u64 before = state->snapshot_bytes;
	size_t subbufs, offset;

	state->fresh_bytes = 0;
	if (!buf)
		return;
	WRITE_ONCE(state->awake, false);
	state->floor = max(state->floor, time + 1);
	barrier();
	/* An NMI may write its stream between any two of these. */
	do {
		subbufs = READ_ONCE(buf->subbufs_produced);
		offset = READ_ONCE(buf->offset);
		state->snapshot_bytes = READ_ONCE(state->bytes_produced) - READ_ONCE(state->bytes_dropped);
		barrier();
	} while (subbufs != READ_ONCE(buf->subbufs_produced) || offset != READ_ONCE(buf->offset));
	state->snapshot_subbufs = subbufs;
	/* Relay marks a stream that is full with an offset past the end; the next sub-buffer is then not begun. */
	state->snapshot_offset = offset > buf->chan->subbuf_size ? 0 : offset;
	state->fresh_bytes = state->snapshot_bytes - before;
}

/* On that CPU, or for one that is offline. */
static void tapir_cpu_snapshot(int cpu, u64 time)
{
	u32 stream;

	/* First: an NMI may wake its stream meanwhile. */
	cpumask_clear_cpu(cpu, &tapir_awake);
	smp_mb__after_atomic();
	for (stream = 0; stream < TAPIR_STREAMS; stream++)
		if (!tapir_commons[stream].used)
			tapir_stream_snapshot(per_cpu_ptr(&tapir_streams[stream], cpu),
					      *per_cpu_ptr(tapir_channels[stream]->buf, cpu), time);
}

static void tapir_common_snapshot(u32 stream, u64 time)
{
	struct tapir_common *common = &tapir_commons[stream];
	unsigned long flags;

	local_irq_save(flags);
	__this_cpu_write(tapir_common_busy, true);
	barrier();
	tapir_port_lock(&common->lock);
	tapir_stream_snapshot(&common->state, *per_cpu_ptr(tapir_channels[stream]->buf, 0), time);
	tapir_port_unlock(&common->lock);
	barrier();
	__this_cpu_write(tapir_common_busy, false);
	local_irq_restore(flags);
	tapir_ready += common->state.fresh_bytes;
}

static void tapir_snapshot_here(void *time)
{
	tapir_cpu_snapshot(smp_processor_id(), *(u64 *)time);
}

void tapir_relay_snapshot(struct tapir_ioc_snapshot *io)
{
	u32 stream;
	int cpu;

	WRITE_ONCE(tapir_reader, true);
	WRITE_ONCE(tapir_waiting, io->flags & TAPIR_SNAPSHOT_WAITS);
	io->time = ktime_get_mono_fast_ns();
	io->ready = 0;
	if (!tapir_channels[TAPIR_STREAM_DATA])
		return;
	WRITE_ONCE(tapir_snapshot_time, io->time);
	smp_mb(); /* see tapir_stream_wakes() */
	cpus_read_lock();
	cpumask_copy(&tapir_visited, &tapir_awake);
	on_each_cpu_mask(&tapir_visited, tapir_snapshot_here, &io->time, 1);
	for_each_cpu(cpu, &tapir_visited)
	{
		if (!cpu_online(cpu))
			tapir_cpu_snapshot(cpu, io->time);
		for (stream = 0; stream < TAPIR_STREAMS; stream++)
			if (!tapir_commons[stream].used)
				tapir_ready += per_cpu_ptr(&tapir_streams[stream], cpu)->fresh_bytes;
	}
	cpus_read_unlock();
	for (stream = 0; stream < TAPIR_STREAMS; stream++)
		if (tapir_commons[stream].used)
			tapir_common_snapshot(stream, io->time);
	io->ready = tapir_ready;
}

/* Bytes of whole records between two offsets of a sub-buffer that fit in `room`, and how many records. */
static size_t tapir_records_fit(const char *subbuf, size_t from, size_t to, size_t room, u64 *records)
{
	size_t at = from;

	while (at < to) {
		size_t bytes = TAPIR_RECORD_SIZE(((const struct tapir_record *)(subbuf + at))->length);

		if (at + bytes - from > room || at + bytes > to)
			break;
		at += bytes;
		++*records;
	}
	return at - from;
}

static void tapir_subbuf_done(struct rchan *channel, u32 cpu, struct tapir_stream_cpu *state)
{
	state->read_offset = 0;
	relay_subbufs_consumed(channel, cpu, 1);
	WRITE_ONCE(tapir_progress, tapir_progress + 1);
	wake_up(&tapir_session.state_changed);
}

int tapir_relay_read(struct tapir_ioc_read *io)
{
	struct tapir_stream_cpu *state;
	struct rchan *channel;
	struct rchan_buf *buf;

	io->filled = 0;
	if (io->stream >= TAPIR_STREAMS || io->cpu >= nr_cpu_ids || !cpu_possible(io->cpu) ||
	    io->length < TAPIR_RECORD_SIZE(TAPIR_RECORD_MAX))
		return -EINVAL;
	channel = tapir_channels[io->stream];
	buf = channel && !(tapir_commons[io->stream].used && io->cpu) ? *per_cpu_ptr(channel->buf, io->cpu) : NULL;
	if (!buf)
		return 0;
	state =
	    tapir_commons[io->stream].used ? &tapir_commons[io->stream].state : per_cpu_ptr(&tapir_streams[io->stream], io->cpu);
	for (;;) {
		size_t index = buf->subbufs_consumed % channel->n_subbufs;
		bool complete = buf->subbufs_consumed != state->snapshot_subbufs;
		size_t end = complete ? channel->subbuf_size - buf->padding[index] : state->snapshot_offset;
		const char *subbuf = (const char *)buf->start + index * channel->subbuf_size;
		u64 records = 0;
		size_t bytes;

		if (state->read_offset >= end) {
			if (!complete)
				return 0;
			tapir_subbuf_done(channel, io->cpu, state);
			continue;
		}
		bytes = tapir_records_fit(subbuf, state->read_offset, end, io->length - io->filled, &records);
		if (!bytes)
			return 0;
		if (copy_to_user((void __user *)(uintptr_t)(io->buffer + io->filled), subbuf + state->read_offset, bytes))
			return io->filled ? 0 : -EFAULT;
		io->filled += bytes;
		state->read_offset += bytes;
		state->records_delivered += records;
		state->bytes_delivered += bytes;
		tapir_ready -= bytes;
	}
}

static void tapir_stream_add(struct tapir_ioc_stream *row, const struct tapir_stream_cpu *state)
{
	row->records_produced += READ_ONCE(state->records_produced);
	row->bytes_produced += READ_ONCE(state->bytes_produced);
	row->records_dropped += READ_ONCE(state->records_dropped);
	row->bytes_dropped += READ_ONCE(state->bytes_dropped);
	row->records_delivered += state->records_delivered;
	row->bytes_delivered += state->bytes_delivered;
}

int tapir_relay_count(struct tapir_ioc_stream *row)
{
	if (row->stream >= TAPIR_STREAMS || row->cpu >= nr_cpu_ids || !cpu_possible(row->cpu))
		return -EINVAL;
	*row = (struct tapir_ioc_stream){.stream = row->stream, .cpu = row->cpu};
	tapir_stream_add(row, per_cpu_ptr(&tapir_streams[row->stream], row->cpu));
	if (!row->cpu)
		tapir_stream_add(row, &tapir_commons[row->stream].state);
	return 0;
}

u64 tapir_relay_control_dropped(void)
{
	u64 dropped = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		dropped += READ_ONCE(per_cpu_ptr(&tapir_streams[TAPIR_STREAM_CONTROL], cpu)->records_dropped);
	return dropped;
}

void tapir_relay_reader_gone(void)
{
	WRITE_ONCE(tapir_reader, false);
	wake_up(&tapir_session.state_changed);
}
