/** Sends raw bytes as HTTP on a new connection, for requests that no client would send. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  /** 0 if the connection ended without a response. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** As received. A chunked body still contains its chunk sizes. */
  readonly body: string;
}

/** Connects, and reads everything received, so that the end of the connection is noticed. */
export async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.resume();
  await once(socket, 'connect');
  return socket;
}

/** Resolves when the socket is closed for any reason. */
export const closed = (socket: Socket) =>
  new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    if (socket.closed) resolve();
  });

/** Sends `bytes` and reads until the first response is complete or the connection ends. */
export async function exchange(port: number, bytes: string): Promise<RawAnswer> {
  const socket = await connected(port);
  socket.write(bytes);
  let text = '';
  let answer: RawAnswer | undefined;
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    answer = wholeAnswer(text);
    if (answer) socket.destroy();
  });
  await closed(socket);
  return answer ?? parsed(text);
}

export interface Opened {
  readonly socket: Socket;
  /** Returns everything received when it contains `part` or the connection has ended. */
  until(part: string): Promise<string>;
}

/** Sends `bytes` and keeps reading the response. */
export async function opened(port: number, bytes: string): Promise<Opened> {
  const socket = await connected(port);
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.write(bytes);
  const ended = closed(socket);
  return {
    socket,
    async until(part) {
      while (!text.includes(part) && !socket.closed) await Promise.race([once(socket, 'data'), ended]);
      return text;
    },
  };
}

function wholeAnswer(text: string): RawAnswer | undefined {
  if (!text.includes('\r\n\r\n')) return undefined;
  const answer = parsed(text);
  const length = answer.headers['content-length'];
  if (length !== undefined) return answer.body.length >= Number(length) ? answer : undefined;
  return answer.status === 204 || answer.body.endsWith('0\r\n\r\n') ? answer : undefined;
}

function parsed(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => {
    const at = line.indexOf(':');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
  });
  return {
    status: Number(first.split(' ')[1] ?? 0),
    headers: Object.fromEntries(headers),
    body: rest.join('\r\n\r\n'),
  };
}

/** A request with a body. `headers` replace the default headers. */
export function requestOf(
  method: string,
  target: string,
  { headers = {}, body }: { headers?: Readonly<Record<string, string>>; body?: string } = {},
): string {
  const all = {
    host: 'localhost',
    accept: 'application/json, text/event-stream',
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}
