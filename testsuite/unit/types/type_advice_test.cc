// SPDX-License-Identifier: GPL-2.0-or-later
#include "types/type_advice.h"

#include <gtest/gtest.h>

namespace tapir::types {
namespace {

using ast::Type;

// Advice for what stands at `column` of a line, where a string is wanted of a number.
std::string advice(const std::string &line, const char *type = nullptr, const char *module = "") {
    const SourceFile file("<input>", line, Origin::UserScript);
    const size_t column = line.find(line.find('$') == std::string::npos ? 'n' : '$');
    const SourceRef at{&file,
                       1,
                       static_cast<uint32_t>(column + 1),
                       TokenKind::Identifier,
                       std::string_view(file.text()).substr(column),
                       nullptr};
    ast::VarRef value(at, "n");
    const ast::TargetType target{type ? type : "", module};
    if (type) value.target_type = &target;
    return conversion_advice(value, Type::Long, Type::String);
}

TEST(Advice, AddressesOfText) {
    EXPECT_EQ(advice("printf(\"%s\", $filename)"),
              "$filename is an address or a number: user_string($filename) is the text there if a program has it, "
              "kernel_string($filename) if the kernel has it");
    EXPECT_EQ(advice("x . $a->b[i]->c + 1", "const char *"),
              "$a->b[i]->c is an address or a number: user_string($a->b[i]->c) is the text there if a program has it, "
              "kernel_string($a->b[i]->c) if the kernel has it");
    EXPECT_EQ(advice("printf(\"%s\", $a->)", "char *", "/bin/bash"),
              "$a is an address or a number: user_string($a) is the text there");
    EXPECT_EQ(advice("printf(\"%s\", $file)", "struct file *"),
              "$file is the address of a struct file: $file$ is text of its members, $file->MEMBER one of them");
    EXPECT_EQ(advice("x . n"), "sprint(n) makes a string of a number");
    EXPECT_EQ(advice("$$parms"), "sprint(n) makes a string of a number");
}

TEST(Advice, OtherTypes) {
    const ast::VarRef value(SourceRef{}, "n");
    EXPECT_EQ(conversion_advice(value, Type::String, Type::Long), "strtol(s, 10) makes a number of a string");
    EXPECT_EQ(conversion_advice(value, Type::String, Type::Long, "other"), "other");
    EXPECT_EQ(conversion_advice(value, Type::Long, Type::Long), "");
}

}  // namespace
}  // namespace tapir::types
