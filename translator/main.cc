// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/driver.h"

int main(int argc, char **argv) {
    return tapir::driver::run(argc, argv);
}
