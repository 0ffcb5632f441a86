/**
 * `npm run soak`: many hosts at once, for as many seconds as are given; `npm run soak -- faults` and `npm run soak -- kills`:
 * see `fault-soak`; `npm run soak -- processes`: see `process-soak`; `npm run soak -- hosted`: see `hosted-soak`;
 * `npm run soak -- machines`: see `machines-soak`; `npm run soak -- events`: see `events-soak`.
 */
const [, , kind] = process.argv;
if (kind === 'faults' || kind === 'kills') await import('./fault-soak.ts');
else if (kind === 'processes') await import('./process-soak.ts');
else if (kind === 'hosted') await import('./hosted-soak.ts');
else if (kind === 'machines') await import('./machines-soak.ts');
else if (kind === 'events') await import('./events-soak.ts');
else await import('./host-soak.ts');
