# Settings and helpers shared by all parts of the tree.

set(TAPIR_WARNINGS -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wimplicit-fallthrough)
set(TAPIR_C_WARNINGS -Wall -Wextra -Wshadow -Wimplicit-fallthrough)
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${TAPIR_WARNINGS}>" "$<$<COMPILE_LANGUAGE:C>:${TAPIR_C_WARNINGS}>")
# gcc 12 sees overlapping copies in ordinary string concatenation (gcc bug 105329).
add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>")
if(TAPIR_WERROR)
  add_compile_options(-Werror)
endif()
if(TAPIR_SANITIZE OR TAPIR_FUZZ)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(TAPIR_SANITIZE)
  # gcc 12 takes std::regex for uninitialised when it instruments it.
  add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>")
endif()
if(TAPIR_SANITIZE_THREAD)
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
endif()
if(TAPIR_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

set(TAPIR_SANITIZED OFF)
if(TAPIR_SANITIZE OR TAPIR_SANITIZE_THREAD OR TAPIR_FUZZ)
  set(TAPIR_SANITIZED ON)
endif()

# tapir_also_for_scripts(TARGET): its objects also become a part of the library of scripts on core files (runtime/), which is shared.
function(tapir_also_for_scripts target)
  if(NOT TAPIR_SANITIZED)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  endif()
endfunction()

# Paths are taken as from the source directory, so that clones share what was compiled; tests have precompiled headers,
# of 120 MB, which would be read for each object if ccache did not remember what is in a file.
find_program(TAPIR_CCACHE_PROGRAM ccache)
mark_as_advanced(TAPIR_CCACHE_PROGRAM)
if(TAPIR_CCACHE AND TAPIR_CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_INODECACHE=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${TAPIR_CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# The headers of the C++ library that most files begin with are parsed once. Where each file is compiled by itself there are none, so
# that a file that does not include what it uses is noticed.
if(TAPIR_PRECOMPILE AND TAPIR_TOGETHER)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/together/precompiled.cc CONTENT "")
  add_library(tapir_headers OBJECT ${CMAKE_BINARY_DIR}/together/precompiled.cc)
  target_precompile_headers(tapir_headers PRIVATE <algorithm> <array> <charconv> <cstdint> <cstring> <filesystem> <functional> <map>
                            <memory> <optional> <set> <span> <sstream> <string> <string_view> <unordered_map> <vector>)
endif()

# tapir_precompiled(TARGET): lets its C++ files use them. Not for what is compiled as a part of a shared library, nor as unit tests are.
function(tapir_precompiled target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.c$")
  if(sources)
    set_source_files_properties(${sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
  if(TARGET tapir_headers)
    target_precompile_headers(${target} REUSE_FROM tapir_headers)
  endif()
endfunction()

# tapir_together(VARIABLE NAME FILE...): sets VARIABLE to what to compile for the C++ files: units of several files each, since
# most of a file's cost are its headers and what it instantiates of them. ALONE names files that need other settings or macros. A unit
# names its files as from the source directory, so that clones share what was compiled. No two files of a unit may keep the
# same name for themselves: devel/check-tree.sh looks.
function(tapir_together variable name)
  cmake_parse_arguments(ARG "" "" "ALONE" ${ARGN})
  set(alone ${ARG_ALONE})
  list(TRANSFORM alone PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set(files ${ARG_UNPARSED_ARGUMENTS})
  list(REMOVE_ITEM files ${alone})
  set(sources ${ARG_UNPARSED_ARGUMENTS})
  list(REMOVE_ITEM sources ${files})
  list(LENGTH files count)
  if(NOT TAPIR_TOGETHER OR count LESS 2)
    set(${variable} ${ARG_UNPARSED_ARGUMENTS} PARENT_SCOPE)
    return()
  endif()
  math(EXPR units "(${count} + ${TAPIR_TOGETHER} - 1) / ${TAPIR_TOGETHER}")
  set(begin 0)
  foreach(unit RANGE 1 ${units})
    math(EXPR end "${count} * ${unit} / ${units}")
    math(EXPR length "${end} - ${begin}")
    list(SUBLIST files ${begin} ${length} part)
    set(begin ${end})
    set(text "")
    foreach(file IN LISTS part)
      file(RELATIVE_PATH file ${PROJECT_SOURCE_DIR} ${file})
      string(APPEND text "#include \"${file}\"\n")
    endforeach()
    set(path ${CMAKE_CURRENT_BINARY_DIR}/together/${name}_${unit}.cc)
    file(GENERATE OUTPUT ${path} CONTENT "${text}")
    list(APPEND sources ${path})
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# tapir_library(NAME DEPS a b LINK extern ALONE files): translator/NAME as library tapir_NAME from all its .cc files. DEPS are
# other translator libraries; the order of layers is fixed in translator/CMakeLists.txt, so a cycle cannot be written. ALONE names
# files that have units of their own.
function(tapir_library name)
  cmake_parse_arguments(ARG "" "" "DEPS;LINK;SOURCES;ALONE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc)
  tapir_together(sources ${name} ${sources} ALONE ${ARG_ALONE})
  list(APPEND sources ${ARG_SOURCES})
  list(TRANSFORM ARG_DEPS PREPEND tapir_)
  foreach(dep IN LISTS ARG_DEPS)
    if(NOT TARGET ${dep})
      message(FATAL_ERROR "tapir_${name} may only depend on layers below it, not on ${dep}")
    endif()
  endforeach()
  if(sources)
    add_library(tapir_${name} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(tapir_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(tapir_${name} ${scope} ${PROJECT_SOURCE_DIR}/translator)
  if(sources)
    target_include_directories(tapir_${name} PRIVATE ${PROJECT_SOURCE_DIR})
    tapir_precompiled(tapir_${name})
  endif()
  target_link_libraries(tapir_${name} ${scope} ${ARG_DEPS} ${ARG_LINK})
endfunction()
