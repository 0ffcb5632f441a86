/** How often a property test runs: `usual` times, or as often as FUZZ_RUNS says. */
export const fuzzRuns = (usual: number): number => Number(process.env['FUZZ_RUNS'] ?? usual);
