/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Everything emitted C includes. */
#ifndef TAPIR_H
#define TAPIR_H

#include <tapir/types.h>
#include <tapir/abi.h>
#include <tapir/calendar.h>
#include <tapir/context.h>
#include <tapir/deref.h>
#include <tapir/frame.h>
#include <tapir/format.h>
#include <tapir/fp.h>
#include <tapir/guest_stack.h>
#include <tapir/map.h>
#include <tapir/packet.h>
#include <tapir/path.h>
#include <tapir/port.h>
#include <tapir/regex.h>
#include <tapir/registers.h>
#include <tapir/stack.h>
#include <tapir/stacks.h>
#include <tapir/stat.h>
#include <tapir/string.h>
#include <tapir/syscall.h>
#include <tapir/syscall_hit.h>
#include <tapir/text.h>
#include <tapir/ustack.h>
#include <tapir/value.h>
#include <tapir/touch.h>
#include <tapir/wait.h>
#include <tapir/work.h>

#endif
