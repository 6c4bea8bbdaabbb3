// SPDX-License-Identifier: GPL-2.0-or-later
/* Holds an SQLite connection with statements of which some have begun, says "ready", and sleeps. */
#include <stdio.h>
#include <unistd.h>

#include "sqlite3.h"

sqlite3 *connection;

int main(void) {
    sqlite3_stmt *statement;
    int i;

    if (sqlite3_open(":memory:", &connection)) return 1;
    if (sqlite3_exec(connection, "create table t(a, b); create index i on t(a); begin", NULL, NULL, NULL)) return 1;
    for (i = 0; i < 500; i++)
        if (sqlite3_exec(connection, "insert into t values (random() % 100, 'some text of a row')", NULL, NULL, NULL))
            return 1;
    if (sqlite3_prepare_v2(connection, "select * from t order by a", -1, &statement, NULL)) return 1;
    if (sqlite3_step(statement) != SQLITE_ROW) return 1;
    if (sqlite3_prepare_v2(connection, "select count(*) from t where a > 7", -1, &statement, NULL)) return 1;
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}
