/**
 * The form of an answer, by the `Accept` header of its request (RFC 9110, section 12.5.1). The SDK wants both forms named,
 * but some hosts, and proxies before them, name one, a wildcard or none. A host that takes both gets what the SDK chooses,
 * whichever it prefers: a stream can also have progress and questions.
 */
import { parseAccept } from 'hono/utils/accept';
import { errorResponse } from './error-response.ts';

const JSON_FORM = 'application/json';
export const STREAM_FORM = 'text/event-stream';

export const FORMS: readonly string[] = [JSON_FORM, STREAM_FORM];

/** The most specific range decides, and a quality of 0 excludes. Without a header, all forms are accepted. */
export function acceptedForms(header = ''): readonly string[] {
  const ranges = parseAccept(header.trim().toLowerCase() || '*/*');
  return FORMS.filter((form) => {
    const [range] = [form, form.replace(/\/.*/, '/*'), '*/*'].flatMap((type) =>
      ranges.filter((each) => each.type === type),
    );
    return range !== undefined && range.q > 0;
  });
}

/** The answer to a POST request in a form that is accepted. Errors are always JSON. */
export async function inForm(
  response: Response,
  forms: readonly string[],
  disconnected: Promise<void>,
): Promise<Response> {
  const form = FORMS.find((each) => response.headers.get('content-type')?.startsWith(each));
  if (!response.ok || !response.body || form === undefined || forms.includes(form)) return response;
  const headers = new Headers(response.headers);
  if (form === JSON_FORM) {
    headers.set('content-type', STREAM_FORM);
    return new Response(`event: message\ndata: ${await response.text()}\n\n`, { headers });
  }
  headers.set('content-type', JSON_FORM);
  const answer = await lastMessage(response.body, disconnected);
  return answer === undefined
    ? errorResponse(400, 'The call was cancelled.')
    : new Response(answer, { headers });
}

/** The answer to a call is the last message of its stream. Undefined if there is none. */
async function lastMessage(stream: ReadableStream<Uint8Array>, disconnected: Promise<void>) {
  const reader = stream.getReader();
  void disconnected.then(() => reader.cancel());
  const chunks: Uint8Array[] = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value);
  const text = Buffer.concat(chunks).toString();
  return [...text.matchAll(/^data: (.+)$/gm)].at(-1)?.[1];
}
