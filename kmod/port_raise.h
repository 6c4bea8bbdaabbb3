/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TAPIR_PORT_RAISE_H
#define TAPIR_PORT_RAISE_H

#include <linux/compiler.h>

/* No handler will run again: waits until every signal is sent. Process context. main.c finds it where it is linked. */
extern void (*const tapir_signals_finish)(void) __weak;

#endif
