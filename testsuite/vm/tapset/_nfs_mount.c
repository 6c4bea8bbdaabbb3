// SPDX-License-Identifier: GPL-2.0-or-later
// Mounts an export of this machine by NFS 3, which needs its file handle as hexadecimal text, or 4; or is the port
// mapper that a server of NFS 3 wants to tell its port, and says yes to everything.
#include <arpa/inet.h>
#include <linux/nfs.h>
#include <linux/nfs_mount.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

static int all(int from, void *to, size_t bytes) {
    size_t got = 0;
    ssize_t n;

    while (got < bytes && (n = read(from, (char *)to + got, bytes - got)) > 0)
        got += n;
    return got == bytes;
}

// Answers calls on one connection after the other.
static int map_ports(void) {
    struct sockaddr_in here = {
        .sin_family = AF_INET, .sin_port = htons(111), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int yes = 1, listener = socket(AF_INET, SOCK_STREAM, 0), connection;

    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, 8)) return perror("port 111"), 1;
    if (daemon(1, 1)) return 1;
    while ((connection = accept(listener, NULL, NULL)) >= 0) {
        unsigned size, call[1024];

        while (all(connection, &size, sizeof size)) {
            // A reply that was accepted, without a verifier, with success, and the result 1.
            unsigned reply[] = {htonl(0x80000000 | 28), 0, htonl(1), 0, 0, 0, 0, htonl(1)};

            size = ntohl(size) & 0x7fffffff;
            if (size > sizeof call || !all(connection, call, size)) break;
            reply[1] = call[0];
            if (write(connection, reply, sizeof reply) < 0) break;
        }
        close(connection);
    }
    return 0;
}

int main(int argc, char **argv) {
    struct nfs_mount_data data = {.version = 6,
                                  .flags = NFS_MOUNT_VER3 | NFS_MOUNT_TCP | NFS_MOUNT_NONLM | NFS_MOUNT_NOACL};
    unsigned byte;
    int i, error;

    if (argc == 1) return map_ports();
    if (argc == 2) {
        error =
            mount("127.0.0.1:/", argv[1], "nfs", 0, "vers=4.1,addr=127.0.0.1,clientaddr=127.0.0.1,sec=sys,proto=tcp");
    } else {
        data.addr.sin_family = AF_INET;
        data.addr.sin_port = htons(2049);
        data.addr.sin_addr.s_addr = inet_addr("127.0.0.1");
        strcpy(data.hostname, "127.0.0.1");
        data.timeo = 600;
        data.retrans = 2;
        data.namlen = 255;
        data.acregmin = data.acregmax = data.acdirmin = data.acdirmax = 0;
        data.pseudoflavor = 1;
        for (i = 0; sscanf(argv[2] + 2 * i, "%2x", &byte) == 1 && i < NFS3_FHSIZE; i++)
            data.root.data[i] = byte;
        data.root.size = i;
        error = mount("127.0.0.1:/export", argv[1], "nfs", 0, &data);
    }
    if (error) perror("mount");
    return error != 0;
}
