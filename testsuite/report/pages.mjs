// SPDX-License-Identifier: GPL-2.0-or-later
// pages.mjs MODULES PROGRAMS WORK: pictures in a browser. MODULES is where puppeteer-core, axe-core and speedscope are,
// PROGRAMS has stap-report and make_capture, WORK is an empty directory. Prints a line for each test, then their sum.
// PAGES=TEXT: only tests with TEXT in their names.
import { browser, launch, results } from './pages/browser.mjs';

await launch();
for (const part of ['numbers', 'folding', 'cards', 'views', 'hands', 'looks', 'formats']) await (await import(`./pages/${part}.mjs`)).run();
await browser.close();
console.log(`# ${results.passed} passed, ${results.failed} failed`);
process.exit(results.failed ? 1 : 0);
