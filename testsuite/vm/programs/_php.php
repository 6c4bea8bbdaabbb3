<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// Calls functions and throws exceptions, and prints how often.
class Bird {
    static function named($n) { return new Bird; }
    function eats($n) { return gone($n); }
}
function gone($n) { return $n + 1; }
class Hungry extends Exception { }
function complain($n) { throw $n % 3 ? new LogicException : new Hungry; }
for ($i = 0; $i < 9; $i++) {
    $bird = Bird::named($i);
    $bird->eats($i);
    $bird->eats($i);
}
for ($i = 0; $i < 9; $i++) {
    try {
        complain($i);
    } catch (Exception $e) {
    }
}
$line = (new ReflectionFunction("complain"))->getStartLine();
echo $argv[1] == "calls" ? "9 Bird::named\n18 Bird::eats\n18 gone\n" : "6 LogicException complain (_php.php:$line)\n3 Hungry complain (_php.php:$line)\n";
