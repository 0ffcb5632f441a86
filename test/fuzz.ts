/** How many cases a fuzz test tries: `usual` of them, or as many as the environment variable `FUZZ_RUNS` says. */
export const fuzzRuns = (usual: number): number => Number(process.env['FUZZ_RUNS'] ?? usual);
