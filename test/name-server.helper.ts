/** A name server on 127.0.0.1 that lives as long as the test that starts it. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import { onTestFinished } from 'vitest';

const HEADER_BYTES = 12;
/** Of the end of a name, its type and its class. */
const TAIL_BYTES = 5;
const TYPE_A = 1;

/** Answers for the names in `addresses`, each with an address of IPv4. It never answers for others. */
export async function serveNames(addresses: Readonly<Record<string, string>>) {
  const socket = createSocket('udp4');
  const asked = new Set<string>();
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    asked.add(name);
    if (!(name in addresses)) return;
    // Only a question for an address of IPv4 reads it, so that a test can answer each one differently.
    const found = type === TYPE_A ? [addresses[name] ?? ''] : [];
    socket.send(answerOf(query.subarray(0, end), found), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}

function questionOf(query: Buffer) {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + TAIL_BYTES };
}

/** RFC 1035, section 4.1. */
function answerOf(question: Buffer, addresses: readonly string[]): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.filter(isIPv4).map((address) => {
    const [pointerToName, type, inClass, lifeSeconds] = ['c00c', '0001', '0001', '0000003c'];
    const start = Buffer.from(`${pointerToName}${type}${inClass}${lifeSeconds}0004`, 'hex');
    return Buffer.concat([start, Buffer.from(address.split('.').map(Number))]);
  });
  return Buffer.concat([head, ...records]);
}
