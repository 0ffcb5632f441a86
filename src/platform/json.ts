/** An object whose fields are not known at compile time. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Undefined if the text is not JSON. The parser's error is not passed on, because it quotes the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
