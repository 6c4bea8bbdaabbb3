# SPDX-License-Identifier: GPL-2.0-or-later
#: long: so that there is one that quick runs leave out
if [ ! -e ../flaky_failed ]; then
    touch ../flaky_failed
    fail 'the first time'
fi
rm ../flaky_failed
