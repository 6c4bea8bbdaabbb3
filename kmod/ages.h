/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays with elements that leave after a time. From the session thread, between begin probes and end probes. */
#ifndef TAPIR_AGES_H
#define TAPIR_AGES_H

void tapir_ages_begin(void);
void tapir_ages_tend(void);
/* Jiffies until that has something to do. */
long tapir_ages_next(void);

#endif
