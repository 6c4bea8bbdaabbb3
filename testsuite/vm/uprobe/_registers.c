// SPDX-License-Identifier: GPL-2.0-or-later
__attribute__((noipa)) int divided(int dividend, long divisor, const char *name)
{
	return name ? dividend / (int)divisor : 0;
}

int main(void)
{
	static const char name[] = "half";

	if (*(const volatile char *)name != 'h')
		return 2;
	return divided(-84, 2, name) == -42 ? 0 : 1;
}
