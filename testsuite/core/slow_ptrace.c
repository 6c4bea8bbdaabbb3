// SPDX-License-Identifier: GPL-2.0-or-later
/* To be preloaded: PTRACE_SEIZE takes a while, so that a signal stops the thread before PTRACE_INTERRUPT does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/ptrace.h>
#include <unistd.h>

long ptrace(enum __ptrace_request request, ...) {
    static long (*original)(enum __ptrace_request, ...);
    va_list words;

    va_start(words, request);
    const pid_t thread = va_arg(words, pid_t);
    void *const address = va_arg(words, void *), *const data = va_arg(words, void *);
    va_end(words);
    if (!original) original = (long (*)(enum __ptrace_request, ...))dlsym(RTLD_NEXT, "ptrace");
    const long result = original(request, thread, address, data);
    if (request == PTRACE_SEIZE) usleep(20000);
    return result;
}
