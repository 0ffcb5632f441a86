/**
 * Gives a program an internet that the test has made. It is loaded before the program's own files (`node --import`).
 *
 * `receiver.test` has a public address, at which a server of the test answers. `rebinding.test` has that address or a private
 * one, another one each time. All connections to port 443 lead to this machine: those to the public address to 127.0.0.1, where
 * the receiver is, and all others to 127.0.0.2, so that the test sees that there was one.
 */
import { randomInt } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { type LookupFunction, Socket } from 'node:net';

const PORT = Number(process.env['RECEIVER_PORT']);
const PUBLIC = '203.0.114.1';
const PRIVATE = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.168.1.1', '100.64.0.1'];
const [RECEIVER, OTHERS] = ['127.0.0.1', '127.0.0.2'];

const addressesOf = (name: string): string[] => {
  if (name === 'receiver.test') return [PUBLIC];
  if (name !== 'rebinding.test') return [];
  return [randomInt(2) === 0 ? PUBLIC : (PRIVATE[randomInt(PRIVATE.length)] ?? '')];
};

Object.assign(Resolver.prototype, {
  resolve4: async (name: string) => addressesOf(name),
  resolve6: async () => [],
});

const placeOf = (address: string) => (address === PUBLIC ? RECEIVER : OTHERS);

const behind =
  (lookup: LookupFunction): LookupFunction =>
  (name, options, done) =>
    lookup(name, options, (error, found, family) => {
      if (error) done(error, found, family);
      else if (typeof found === 'string') done(null, placeOf(found), 4);
      else
        done(
          null,
          found.map(({ address }) => ({ address: placeOf(address), family: 4 })),
        );
    });

interface Target {
  port?: number;
  host?: string;
  lookup?: LookupFunction;
}

const isTarget = (value: unknown): value is Target =>
  typeof value === 'object' && value !== null && 'port' in value && Number(value.port) === 443;

const { connect } = Socket.prototype;
Object.assign(Socket.prototype, {
  connect(this: Socket, ...args: unknown[]) {
    const target = args.flat().find(isTarget);
    if (target?.lookup) Object.assign(target, { port: PORT, lookup: behind(target.lookup) });
    else if (target) Object.assign(target, { port: PORT, host: OTHERS });
    return Reflect.apply(connect, this, args);
  },
});
