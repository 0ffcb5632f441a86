/** `npm run soak`: many hosts at once, for as many seconds as are given; `npm run soak -- faults`: see `fault-soak`. */
await (process.argv[2] === 'faults' ? import('./fault-soak.ts') : import('./host-soak.ts'));
