<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// _php.php SAMPLES: writes its own stack so often to standard output, "OUTERMOST;...;INNERMOST" as php_stack() has it, by debug_backtrace().
$out = STDOUT;
stream_set_write_buffer($out, 0);
mt_srand(12);

function stack(string $inner): string {
    $frames = debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS);
    $text = $inner;
    // A frame of the list is a call: the function that is called, and the place in the caller. The first one is the call of this function.
    for ($i = 0; $i < count($frames); $i++) {
        $caller = $frames[$i + 1] ?? null;
        $name = !$caller || in_array($caller["function"], ["include", "require", "eval"]) ? "main" : (isset($caller["class"]) ? $caller["class"] . "::" : "") . $caller["function"];
        if (isset($frames[$i]["file"])) $name .= " (" . basename($frames[$i]["file"]) . ":" . $frames[$i]["line"] . ")";
        $text = $name . ";" . $text;
    }
    return $text;
}

function leaf() {
    global $out, $left;
    if ($left-- > 0) fwrite($out, stack("fwrite"));
}

function deep(int $depth) {
    $depth ? deep($depth - 1) : leaf();
}

function generated(int $depth) {
    if ($depth) yield from generated($depth - 1);
    leaf();
    yield $depth;
}

function shared($inner) {
    leaf();
    yield from $inner;
}

class Shop {
    public static function weigh() {
        (new self())->sum();
    }
    public function __get($name) {
        leaf();
        return 1;
    }
    private function sum() {
        return array_map(function ($x) {
            leaf();
            return $x + $this->missing;
        }, [1, 2]);
    }
    public function __toString() {
        leaf();
        return "shop";
    }
}

$shapes = [
    fn() => deep(mt_rand(0, 40)),
    fn() => Shop::weigh(),
    fn() => "a" . new Shop(),
    // A fiber has a stack of its own, which goes on with that of who started it.
    function () {
        $fiber = new Fiber(function () {
            deep(2);
            Fiber::suspend();
            leaf();
        });
        $fiber->start();
        leaf();
        $fiber->resume();
    },
    fn() => (new Fiber(fn() => (new Fiber(fn() => deep(3)))->start()))->start(),
    function () {
        $list = [3, 1, 2];
        usort($list, function ($a, $b) {
            leaf();
            return $a <=> $b;
        });
    },
    // Generators that wait in `yield from`: their frames are in no list while an inner one runs.
    fn() => iterator_to_array(generated(mt_rand(0, 40)), false),
    function () {
        foreach (generated(mt_rand(0, 3)) as $each) leaf();
    },
    function () {
        $fiber = new Fiber(function () {
            foreach (generated(mt_rand(0, 3)) as $each) Fiber::suspend();
        });
        for ($fiber->start(); $fiber->isSuspended(); $fiber->resume());
    },
    // Several wait for the same one. Each is resumed by itself.
    function () {
        $inner = shared(generated(12));
        $outer = [shared($inner), shared(shared($inner)), shared($inner)];
        for ($left = 9; $left > 0; $left--) {
            $one = $outer[mt_rand(0, 2)];
            $one->valid() && $one->next();
        }
    },
    fn() => call_user_func_array("deep", [mt_rand(0, 3)]),
    function () {
        try {
            throw new Exception("x");
        } finally {
            leaf();
            return 1;
        }
    },
];
for ($left = (int)$argv[1]; $left > 0;)
    $shapes[mt_rand(0, count($shapes) - 1)]();
