// SPDX-License-Identifier: GPL-2.0-or-later
// writer FILE TEXT TIMES: writes the text to the file so many times.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    for (int i = 0; i < atoi(argv[3]); ++i) {
        int fd = open(argv[1], O_WRONLY);
        if (fd < 0 || write(fd, argv[2], strlen(argv[2])) < 0) return 1;
        close(fd);
    }
    return 0;
}
