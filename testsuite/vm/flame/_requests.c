// SPDX-License-Identifier: GPL-2.0-or-later
// Handles requests in functions that are called as nginx's are, for known times: says how much processor time requests
// of each path took, as its own clock has it, in microseconds.
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct {
    size_t len;
    unsigned char *data;
} ngx_str_t;
typedef struct {
    ngx_str_t uri;
} ngx_http_request_t;

static volatile long sink;
static long microseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}

__attribute__((noinline, noipa)) void ngx_http_process_request(ngx_http_request_t *r) {
    sink += (long)r->uri.len;
}
__attribute__((noinline, noipa)) void ngx_http_finalize_request(ngx_http_request_t *r, long rc) {
    sink += rc + (long)r->uri.len;
}
__attribute__((noinline, noipa)) void send_file(long n) {
    for (long i = 0; i < n; i++)
        sink += i;
}

int main(void) {
    const char *const paths[] = {"/small", "/large"};
    long spent[2] = {0, 0};
    while (spent[0] + spent[1] < 3000000)
        for (int i = 0; i < 2; i++) {
            char path[16];
            strcpy(path, paths[i]);
            ngx_http_request_t r = {{strlen(path), (unsigned char *)path}};
            const long began = microseconds();
            ngx_http_process_request(&r);
            send_file(i ? 3000000 : 1000000);
            ngx_http_finalize_request(&r, 0);
            spent[i] += microseconds() - began;
            send_file(500000);  // what belongs to no request
        }
    for (int i = 0; i < 2; i++)
        printf("%s %ld\n", paths[i], spent[i]);
    return sink == 1;
}
