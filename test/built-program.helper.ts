/** The built program that tests start. It is not in dist/, so that `npm link` or `npm pack` beside a test replaces no file of it. */
export const builtProgram = new URL('.built/', import.meta.url);
