/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that libcrypto would call to load code or to ask the network. A static program that may be set-user-ID must
 * not do that. The linker's --wrap puts these in the place of the C library's.
 */
#include <stddef.h>

void *__wrap_dlopen(const char *name, int flags);
int __wrap_getaddrinfo(const char *node, const char *service, const void *hints, void **result);
void *__wrap_gethostbyname(const char *name);

void *__wrap_dlopen(const char *name, int flags) {
    (void)name;
    (void)flags;
    return NULL;
}

int __wrap_getaddrinfo(const char *node, const char *service, const void *hints, void **result) {
    (void)node;
    (void)service;
    (void)hints;
    *result = NULL;
    return -4; /* EAI_FAIL */
}

void *__wrap_gethostbyname(const char *name) {
    (void)name;
    return NULL;
}
