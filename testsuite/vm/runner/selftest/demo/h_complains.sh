# SPDX-License-Identifier: GPL-2.0-or-later
# A module that makes the kernel complain, and stays loaded; built with headers wherever stap-vm has them.
#: host: cp "$AREA/_complains.c" complains.c && echo 'obj-m := complains.o' >Makefile
#: host: make -s -C "$("$BIN/stap-vm" -k "$R" --print-kernel --headers | sed -n 's/^build //p')" M="$W" modules 2>&1
insmod "$W/complains.ko"
