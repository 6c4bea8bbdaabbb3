/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of CSV (RFC 4180) of tables: the time, and the columns. */
#ifndef TAPIR_CSV_LINES_H
#define TAPIR_CSV_LINES_H

#include "items/output_records.h"

/* `named`: each line begins with the name of its table. */
void tapir_csv_head(struct tapir_json *lines, const struct tapir_table_head *head, bool named);
void tapir_csv_row(struct tapir_json *lines, const struct tapir_table_head *head, bool named, const struct tapir_stamp *stamp,
		   const struct tapir_item_format *f, const char *item);

#endif
