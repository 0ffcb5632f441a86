/** Servers on 127.0.0.1 with a certificate for some names that signs itself. */
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { selfSigned } from '../certificate.helper.ts';
import { listenLocally } from '../local-server.helper.ts';

/** The same for all tests of a file. */
export const certificate = await selfSigned('localhost', 'receiver.test', 'rebinding.test');

export const serveHttps = (answer: RequestListener) => listenLocally(createServer(certificate, answer));
