/**
 * `npm run soak -- processes [seconds]`: eight server programs that share a state and a token, by default for two minutes.
 * Exit code 1 if they send too many requests or one of them gets too few.
 */
import { askByEightPrograms, problemsOf } from './eight-programs.helper.ts';

const seconds = Number(process.argv[3] ?? 120);
for (const asking of ['sync', 'questions'] as const) {
  const options = { seconds, everyMs: 1_000, asking };
  const asked = await askByEightPrograms(options);
  const { exchanges, answered, refused, synced, writes, elapsedMs } = asked;
  const problems = problemsOf(asked, options);
  process.stdout.write(
    [
      `${asking}, ${Math.round(elapsedMs / 1_000)} s: ${exchanges.length} requests, ${writes} writes`,
      `for each program: answers ${answered}, refused ${refused}, loads and syncs ${synced}`,
      ...problems,
      '',
    ].join('\n'),
  );
  if (problems.length > 0) process.exitCode = 1;
}
