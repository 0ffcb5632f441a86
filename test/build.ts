import { bundleProgram } from '../.ci/bundle-program.ts';
import { bundleViews } from '../.ci/bundle-views.ts';
import { buildEvaluation } from './evaluation/build.ts';

/** Builds the program and the evaluation, because some tests start them. */
export async function setup(): Promise<void> {
  await Promise.all([bundleProgram('test/.built'), bundleViews('test/.built'), buildEvaluation()]);
}
