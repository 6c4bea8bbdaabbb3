# SPDX-License-Identifier: GPL-2.0-or-later
"""Matches regular expressions with PCRE2: one by the interpreter, one by compiled code. Prints matches, those by compiled code, the longest
text's bytes, and the expression."""
import ctypes

library = ctypes.CDLL("libpcre2-8.so.0")
for name in ("pcre2_compile_8", "pcre2_match_data_create_8"):
    getattr(library, name).restype = ctypes.c_void_p
pointer, size, uint = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32
library.pcre2_compile_8.argtypes = [ctypes.c_char_p, size, uint, pointer, pointer, pointer]
library.pcre2_jit_compile_8.argtypes = [pointer, uint]
for name in ("pcre2_match_8", "pcre2_jit_match_8"):
    getattr(library, name).argtypes = [pointer, ctypes.c_char_p, size, size, uint, pointer, pointer]
library.pcre2_code_free_8.argtypes = [pointer]
library.pcre2_match_data_create_8.argtypes = [uint, pointer]
data = library.pcre2_match_data_create_8(10, None)


def compiled(text, jit):
    error, place = ctypes.c_int(), size()
    code = library.pcre2_compile_8(text, len(text), 0, ctypes.byref(error), ctypes.byref(place), None)
    assert code
    assert not jit or library.pcre2_jit_compile_8(code, 1) == 0
    return code


for text, jit, times in ((b"w[a-z]+n", False, 5), (b"(wren|robin) [0-9]+", True, 8)):
    code = compiled(text, jit)
    by_code = 0
    for i in range(times):
        subject = b"." * (10 * i) + b"robin 7 wren"
        function = library.pcre2_jit_match_8 if jit and i % 2 else library.pcre2_match_8
        assert function(code, subject, len(subject), 0, 0, data, None) > 0
        by_code += jit
    print(times, by_code, len(subject), text.decode(), sep="\t")
    library.pcre2_code_free_8(code)
