/** For `sort`: by the numbers of the characters, which is the order in time for dates. The same in every language. */
export const compareTexts = (a = '', b = ''): number => (a === b ? 0 : a < b ? -1 : 1);
