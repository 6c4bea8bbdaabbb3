/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Telling the user what went wrong outside handlers. */
#ifndef TAPIR_REPORT_H
#define TAPIR_REPORT_H

#include <linux/compiler.h>
#include <linux/err.h>

/* The texts of <tapir/messages.def>, by their names: the only ones that these functions are given. */
#define TAPIR_TAG(name, text) static const char __maybe_unused tapir_text_##name[] = text;
#include <tapir/messages.def>
#undef TAPIR_TAG
#define TAPIR_TEXT(name) tapir_text_##name

/* A fatal error: reported, and the session ends through its error probes. Session thread only. */
void tapir_session_fail(const char *format, ...) __printf(1, 2);
/* A warning of the session thread. */
void tapir_session_warn(const char *format, ...) __printf(1, 2);
/* A warning of another thread: does not wait until there is room for it. May sleep. */
void tapir_session_note(const char *format, ...) __printf(1, 2);

#endif
