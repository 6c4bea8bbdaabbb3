// SPDX-License-Identifier: GPL-2.0-or-later
// Runs after inference: settles unknown types, and the data that statistics have to keep.
#pragma once

#include "base/diagnostics.h"
#include "resolve/program.h"

namespace tapir::types {

// Reports variables and functions without a type; functions that give nothing back become Void.
void settle_types(resolve::Program &program, Diagnostics &diagnostics);

// Fills Variable::stat from the operators and histograms used, and reports those that cannot be had together.
void collect_statistics(resolve::Program &program, Diagnostics &diagnostics);

// Makes loops of the statements that print histograms of all elements of an array. True if there was any.
bool expand_histogram_tables(resolve::Program &program, Diagnostics &diagnostics);

// Adds a handler that prints it at the end for each global of the script that is written but never read. With
// `refresh` a timer's handler does it, too, with a row of the table `globals` in front: what follows is all of it.
void add_autoprint(resolve::Program &program, bool refresh);

// For --monitor. Adds handlers that print the script's globals while the session runs, as with `refresh`: of arrays the
// largest kMonitoredElements elements. Each global NAME that handlers write to gets another handler, which gives it its
// first value again when the loader sets the number __reset_NAME to 1. Probes of the script get switches.
void add_monitor(resolve::Program &program);
constexpr int kMonitoredElements = 20;

// Reports metrics (@metric) whose global does not fit. Types are known.
void check_metrics(const resolve::Program &program, Diagnostics &diagnostics);

// For --metrics. Each metric NAME gets a handler that prints it at the end, and another one that does so when the
// loader sets the number __metric_NAME to 1: a row that declares it, its values, and a row that ends them.
void add_metrics(resolve::Program &program);

}  // namespace tapir::types
