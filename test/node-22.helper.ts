/** Options of `npx` for another version of Node.js, which is installed from the registry. */
export const npxNode = (version: string) => [
  '--yes',
  '--prefer-offline',
  '--loglevel=error',
  `--package=node@${version}`,
];

/** For a tool that needs a newer Node.js than this project. */
export const NODE_22 = '22.23.3';
export const node22 = npxNode(NODE_22);
