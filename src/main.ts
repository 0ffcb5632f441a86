#!/usr/bin/env node
/**
 * The file that hosts start. It checks the version of Node.js and then loads the program. An old version cannot parse the
 * program, so this file imports nothing else and has only syntax that Node.js 14 knows.
 */

/** As in package.json. */
const OLDEST = { major: 20, minor: 18 };

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)) {
  const needed = `${OLDEST.major}.${OLDEST.minor}`;
  process.stderr.write(`budget-mcp needs Node.js ${needed} or newer; this is ${process.version}.\n`);
  process.exitCode = 1;
} else void import('./program.js');
