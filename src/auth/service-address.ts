/** Which addresses a token may be sent to: HTTPS, or this machine. */
import { z } from 'zod';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether requests to `url` stay on this machine. */
export const isLoopback = (url: string) => LOOPBACK.has(new URL(url).hostname);

/** A base URL or an application's URL, normalised to no trailing slash. */
export const serviceAddress = z
  .url({ protocol: /^https?$/, error: 'must be a URL such as https://api.example.com/v1', abort: true })
  .refine((url) => new URL(url).protocol === 'https:' || isLoopback(url), {
    error: 'must be https:// unless it is on this machine: a token is never sent in the clear',
  })
  .refine((url) => !/[?#]|\/\/[^/]*@/.test(url), { error: 'must have neither credentials nor a query' })
  .transform((url) => url.replace(/\/+$/, ''));
