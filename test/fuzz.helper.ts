/** How many inputs a fuzz test tries: a few in the normal suite, and FUZZ_TIMES as many in a longer search. */
export const fuzzRuns = (usual: number): number => Math.ceil(usual * Number(process.env['FUZZ_TIMES'] ?? 1));
