// SPDX-License-Identifier: GPL-2.0-or-later
// Build trees of kernels, as packages of headers bring them: one per flavour of a kernel, whose makefile names what all
// flavours have in common by absolute path.
#pragma once

#include <string>

namespace tapir {

// Has the makefile of a tree that was unpacked to ROOT/usr/src/TREE find other packages' files below ROOT, wherever
// that is moved to. False when it names none.
bool relocate_makefile(std::string &makefile);

// The sources, or the headers that all flavours share, that belong to a build tree: itself, what its makefile includes,
// relocated or not, or its `source`. `holds` is a file or directory of it ("include/linux/syscalls.h"); "" where none
// has it.
std::string source_tree(const std::string &build_dir, const std::string &holds);

}  // namespace tapir
