/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for arrays while handlers run. */
#ifndef TAPIR_ARRAYS_H
#define TAPIR_ARRAYS_H

/* Before the first handler. May sleep. -ENOMEM: nothing is left. */
int tapir_arrays_create(void);
/* After the last handler, before the arrays are freed. May sleep; waits for running work. */
void tapir_arrays_destroy(void);

#endif
