/** How many inputs a fuzz test tries: a few in the normal suite, and as many as FUZZ_RUNS says in a longer search. */
export const fuzzRuns = (usual: number): number => Number(process.env['FUZZ_RUNS'] ?? usual);
