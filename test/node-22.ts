/** How `npx` runs a tool of the registry that needs a newer Node.js than we do: with one from there as well. */
export const node22 = ['--yes', '--prefer-offline', '--loglevel=error', '--package=node@22.23.3'];
