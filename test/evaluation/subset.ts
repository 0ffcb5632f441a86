/** The tasks of the arms other than `all`, chosen before any run: every third one of each kind. */
export const subset = [
  ...['figure-03', 'figure-06', 'figure-09', 'figure-12', 'figure-15', 'figure-18', 'figure-21', 'figure-24'],
  ...['write-03', 'write-06', 'write-09', 'write-12', 'write-15'],
  ...['steps-03', 'steps-06', 'steps-09', 'steps-12'],
  ...['unclear-03', 'unclear-06', 'unclear-09'],
  // From the first one, so that there are four.
  ...['hostile-01', 'hostile-04', 'hostile-07', 'hostile-10'],
];
