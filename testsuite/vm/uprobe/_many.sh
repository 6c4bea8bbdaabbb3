# SPDX-License-Identifier: GPL-2.0-or-later
# Prints a program of $1 functions. It calls each once, or waits for a signal when it is given an argument.
echo '#include <unistd.h>
int sink;'
for ((i = 0; i < $1; i++)); do
    echo "__attribute__((noinline)) int f_$i(int a) { sink += a; return a + $i; }"
done
echo 'int main(int argc, char **argv) { int sum = 0; if (argc > 1) return pause();'
for ((i = 0; i < $1; i++)); do echo "sum += f_$i(sum);"; done
echo 'return sum == 0; }'
