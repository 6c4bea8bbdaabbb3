// SPDX-License-Identifier: GPL-2.0-or-later
/* As much of nginx's memory as the functions for it look at, with other members in between: four connections, of which
 * one works on a request, one waits for its next, one is closed and one was never used. It says "ready", and sleeps. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    size_t len;
    unsigned char *data;
} ngx_str_t;

typedef struct ngx_pool_large_s {
    struct ngx_pool_large_s *next;
    void *alloc;
} ngx_pool_large_t;

typedef struct ngx_pool_s {
    struct {
        unsigned char *last, *end;
        struct ngx_pool_s *next;
    } d;
    size_t max;
    ngx_pool_large_t *large;
} ngx_pool_t;

typedef struct {
    uint32_t signature;
    void *connection;
    ngx_pool_t *pool;
    ngx_str_t uri, method_name;
} ngx_http_request_t;

typedef struct {
    void *data;
    int fd;
    uintptr_t requests;
    unsigned idle : 1, destroyed : 1;
} ngx_connection_t;

typedef struct {
    ngx_pool_t *pool;
    ngx_connection_t *connections;
    uintptr_t connection_n;
} ngx_cycle_t;

volatile ngx_cycle_t *ngx_cycle;
static ngx_cycle_t cycle;
static ngx_connection_t connections[4];
static ngx_http_request_t request = {.signature = 0x50545448}, other = {.signature = 1};
static union {
    ngx_pool_t pool;
    unsigned char bytes[1000];
} first, second;
static ngx_pool_large_t freed, taken = {&freed, first.bytes};

int main(void) {
    first.pool.d.last = first.bytes + 600;
    first.pool.d.end = first.bytes + 1000;
    first.pool.d.next = &second.pool;
    second.pool.d.last = second.bytes + 100;
    second.pool.d.end = second.bytes + 1000;
    first.pool.large = &taken;
    request.pool = &first.pool;
    request.uri = (ngx_str_t){5, (unsigned char *)"/path?and more"};
    request.method_name = (ngx_str_t){3, (unsigned char *)"GET "};
    connections[0] = (ngx_connection_t){.data = &request, .fd = 3, .requests = 2};
    connections[1] = (ngx_connection_t){.data = &other, .fd = 4, .requests = 1};
    connections[2] = (ngx_connection_t){.data = &request, .fd = -1, .requests = 1};
    cycle = (ngx_cycle_t){&second.pool, connections, 4};
    ngx_cycle = &cycle;
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}
