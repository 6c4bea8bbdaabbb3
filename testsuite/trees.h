// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file
 * Where the tests find the tree that they were built from. Only trees.cc is compiled with these paths: the objects of
 * tests are the same in every clone, so that the compiler's cache serves a fresh one.
 */
#pragma once

#include <string>

namespace tapir {

/** The root of the source tree. */
std::string source_dir();

/** The root of the build tree: programs are in its bin/. */
std::string build_dir();

}  // namespace tapir
