// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets of the network. See Kbuild. */
#include "kmod/port_packet.c"
#include "kmod/kind_netfilter.c"
