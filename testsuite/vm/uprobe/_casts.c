// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory that functions of a script read through types of this program. With -DOTHER the structure is another one. */
#include <sys/socket.h>
#include <uchar.h>

struct pair {
#ifdef OTHER
    long unused;
#endif
    long first, second;
};

struct texts {
    char16_t narrow[8];
    const char16_t *short_units;
    const char32_t *wide_units;
    char16_t full[3];
    char32_t letter;
};

/* No kernel has a structure of this name; the kernel's task_struct is none of this program's. */
static __attribute__((noinline)) long show(struct pair *pair, size_t *words, struct sockaddr *address,
                                           struct texts *texts) {
    __asm__ volatile("" : : "r"(pair), "r"(words), "r"(address), "r"(texts) : "memory");
    return pair->second;
}

int main(void) {
    struct pair pair = {.first = 11, .second = 22};
    size_t words[] = {7, 0x123456789a};
    struct sockaddr address = {.sa_family = AF_INET6};
    struct texts texts = {u"caf\u00e9", u"\u20ac 5", U"\U0001f600!", {u'a', u'b', u'c'}, U'\u00e9'};

    /* Memory that a program has never read may not be present, and a probe cannot wait for it. */
    if (!*(volatile const char16_t *)texts.short_units || !*(volatile const char32_t *)texts.wide_units) return 2;
    return show(&pair, words, &address, &texts) != 22;
}
