<?php
// Answers requests that it makes up, for as many seconds as it is told, and waits between some of them.
function parse(string $line): array {
    preg_match_all('/(\w+)=([^;]*)/', $line, $found, PREG_SET_ORDER);
    $fields = [];
    foreach ($found as [, $name, $value]) {
        $fields[$name] = $value;
    }
    return $fields;
}

function answer(array $fields): string {
    uasort($fields, fn($a, $b) => strcmp($b, $a));
    return json_encode($fields + ['digest' => md5(implode(',', $fields))]);
}

$answered = 0;
$end = microtime(true) + (float) $argv[1];
while (microtime(true) < $end) {
    $line = '';
    for ($i = 0; $i < 40; $i++) {
        $line .= "field$i=" . (($answered * 7919 + $i * 31) % 1009) . ';';
    }
    answer(parse($line));
    if (++$answered % 20 == 0) {
        usleep(1000);
    }
}
echo "$answered\n";
