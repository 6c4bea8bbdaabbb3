<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// _wild.php SAMPLES: PHP 8.2 writes wild words into its own frames, and says then which frame is innermost. Needs FFI.
$samples = (int)$argv[1];
$ffi = FFI::cdef("extern char executor_globals[2000];");
$globals = FFI::cast("intptr_t", FFI::addr($ffi->executor_globals))->cdata;

function word(int $address): int {
    return FFI::cast("int64_t *", $address + 0)[0];
}
function put(int $address, int $value): void {
    FFI::cast("int64_t *", $address + 0)[0] = $value;
}
// The frame that another one, or 0, has called.
function called_by(int $caller): int {
    global $globals;
    for ($frame = word($globals + 488); word($frame + 48) != $caller; $frame = word($frame + 48));
    return $frame;
}

// A circle of frames without a function.
$memory = FFI::new("char[4096]");
$hidden = FFI::cast("intptr_t", FFI::addr($memory))->cdata;
for ($at = 0; $at < 2048; $at += 128)
    put($hidden + $at + 48, $hidden + ($at + 128) % 2048);

function wild(?int $made): void {
    global $main;
    $frame = called_by($main);
    put($frame + 48, $made ?? $frame);
    for ($i = 0; $i < 20000; $i++);
    fwrite(STDOUT, "wild (_wild.php:32);fwrite");
    put($frame + 48, $main);
}

stream_set_write_buffer(STDOUT, 0);
$main = called_by(0);
$wild = [null, 8, 0xdead00000000, ~0x7fffffffffff, $hidden, $globals];
for ($i = 0; $i < $samples; $i++)
    wild($wild[$i % count($wild)]);
