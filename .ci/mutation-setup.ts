/** The same random inputs in each run, so that a change is detected always or never. Counterexamples are not shrunk. */
import fc from 'fast-check';

fc.configureGlobal({ seed: 20_261_122, endOnFailure: true });
