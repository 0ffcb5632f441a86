/** The text of a result. */
export const textOf = ({ content }) => content.map(({ text }) => text).join('\n');
