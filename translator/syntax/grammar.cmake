# SPDX-License-Identifier: GPL-2.0-or-later
# Generates the scanner and the grammar's tables; warnings are for what people write, not for generated code.
set(TAPIR_GRAMMAR_DIR ${CMAKE_CURRENT_BINARY_DIR}/syntax)
file(MAKE_DIRECTORY ${TAPIR_GRAMMAR_DIR})
add_custom_command(
  OUTPUT ${TAPIR_GRAMMAR_DIR}/grammar.cc ${TAPIR_GRAMMAR_DIR}/grammar.hh
  COMMAND ${BISON_EXECUTABLE} -Wall -Werror --output=${TAPIR_GRAMMAR_DIR}/grammar.cc
          --header=${TAPIR_GRAMMAR_DIR}/grammar.hh ${CMAKE_CURRENT_SOURCE_DIR}/syntax/grammar.yy
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/syntax/grammar.yy
  COMMENT "Grammar" VERBATIM)
add_custom_command(
  OUTPUT ${TAPIR_GRAMMAR_DIR}/scanner.cc
  COMMAND ${FLEX_EXECUTABLE} --outfile=${TAPIR_GRAMMAR_DIR}/scanner.cc ${CMAKE_CURRENT_SOURCE_DIR}/syntax/scanner.ll
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/syntax/scanner.ll
  COMMENT "Scanner" VERBATIM)
set(TAPIR_GRAMMAR_SOURCES ${TAPIR_GRAMMAR_DIR}/grammar.cc ${TAPIR_GRAMMAR_DIR}/grammar.hh ${TAPIR_GRAMMAR_DIR}/scanner.cc)
set_source_files_properties(${TAPIR_GRAMMAR_DIR}/grammar.cc ${TAPIR_GRAMMAR_DIR}/scanner.cc PROPERTIES COMPILE_OPTIONS -w)
