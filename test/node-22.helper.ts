/** Options of `npx` for a tool that needs a newer Node.js than this project. It is installed from the registry too. */
export const node22 = ['--yes', '--prefer-offline', '--loglevel=error', '--package=node@22.23.3'];
