/** The same random inputs for each change of the code, so that a change is noticed always or never; no time for examples. */
import fc from 'fast-check';

fc.configureGlobal({ seed: 20_261_122, endOnFailure: true });
