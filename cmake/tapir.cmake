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

# Paths are taken as from the source directory, so that clones share what was compiled; tests have precompiled headers,
# of 120 MB, which would be read for each object if ccache did not remember what is in a file.
find_program(TAPIR_CCACHE_PROGRAM ccache)
mark_as_advanced(TAPIR_CCACHE_PROGRAM)
if(TAPIR_CCACHE AND TAPIR_CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_INODECACHE=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${TAPIR_CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# tapir_library(NAME DEPS a b LINK extern): translator/NAME as library tapir_NAME from all its .cc files. DEPS are other
# translator libraries; the order of layers is fixed in translator/CMakeLists.txt, so a cycle cannot be written.
function(tapir_library name)
  cmake_parse_arguments(ARG "" "" "DEPS;LINK;SOURCES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc)
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
  target_link_libraries(tapir_${name} ${scope} ${ARG_DEPS} ${ARG_LINK})
endfunction()
