<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// _fibers.php SECONDS: fibers that call each other's work for so long; nearly all of the time is within them.
function count_words(int $round): int {
    $words = [];
    for ($i = 0; $i < 300; $i++)
        $words["w" . ($i * $round) % 97] = ($words["w" . ($i * $round) % 97] ?? 0) + 1;
    ksort($words);
    return count($words);
}

function worker(int $number): void {
    for ($round = $number;; $round++)
        Fiber::suspend(count_words($round));
}

$until = microtime(true) + (float)$argv[1];
$fibers = [];
for ($i = 0; $i < 5; $i++) {
    $fibers[$i] = new Fiber('worker');
    $fibers[$i]->start($i);
}
while (microtime(true) < $until)
    foreach ($fibers as $fiber)
        // One fiber starts another one.
        (new Fiber(fn() => $fiber->resume()))->start();
