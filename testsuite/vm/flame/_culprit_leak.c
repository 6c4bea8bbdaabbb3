// SPDX-License-Identifier: GPL-2.0-or-later
// A server of sessions: buffers of requests and answers are freed, the table of sessions is kept on purpose, and the
// history of each session grows for ever. At its end the program says what it has not freed, by who asked for it:
// "add_history BYTES", "all BYTES". _culprit_leak REQUESTS
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP __attribute__((noinline, noipa))

struct entry {
    struct entry *next;
    char what[120];
};
struct session {
    int number;
    struct entry *history;
};

static struct session *sessions[16];
static long kept, all;

KEEP struct session *open_session(int number) {
    struct session *session = malloc(sizeof *session);
    if (!session) abort();
    session->number = number;
    session->history = NULL;
    all += sizeof *session;
    return session;
}

KEEP void add_history(struct session *session, const char *what) {
    struct entry *entry = malloc(sizeof *entry);
    if (!entry) abort();
    snprintf(entry->what, sizeof entry->what, "%s", what);
    entry->next = session->history;
    session->history = entry;
    kept += sizeof *entry;
    all += sizeof *entry;
}

KEEP char *read_request(int number) {
    char *request = malloc(4096);
    if (!request) abort();
    snprintf(request, 4096, "request %d", number);
    return request;
}

KEEP void handle_request(int number) {
    struct session **session = &sessions[number % 16];
    char *request = read_request(number), *answer = calloc(1, 1024);
    if (!answer) abort();
    if (!*session) *session = open_session(number);
    add_history(*session, request);
    strcpy(answer, request);
    free(answer);
    free(request);
}

int main(int argc, char **argv) {
    static char line[BUFSIZ];
    setvbuf(stdout, line, _IOFBF, sizeof line);
    for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 500); i++)
        handle_request(i);
    printf("add_history %ld\nall %ld\n", kept, all);
    return 0;
}
