import { expect, test } from 'vitest';
import { addressOf, publicLimits } from '../../src/hosting/public-limits.ts';

const seen = (remoteAddress: string, forwarded?: string) =>
  addressOf({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  });

test('behind a proxy, the address is the one that the proxy has seen', () => {
  expect(seen('127.0.0.1', '93.184.216.34')).toBe('93.184.216.34');
  expect(seen('::ffff:172.17.0.2', '10.9.8.7, 93.184.216.34')).toBe('93.184.216.34');
  expect(seen('::1', 'unknown, 2606:4700::1111')).toBe('2606:4700:0:0');
  expect(seen('10.0.0.1', '93.184.216.34:50123')).toBe('93.184.216.34');
  expect(seen('10.0.0.1', '[2606:4700::1111]:50123')).toBe('2606:4700:0:0');
});

test('a caller that is not a proxy of this network cannot choose its address', () => {
  expect(seen('93.184.216.34', '1.2.3.4')).toBe('93.184.216.34');
  expect(seen('::ffff:93.184.216.34', '1.2.3.4')).toBe('93.184.216.34');
  expect(seen('2606:4700::1111', '1.2.3.4')).toBe('2606:4700:0:0');
});

test('without a proxy, the address is that of the connection', () => {
  expect(seen('127.0.0.1')).toBe('127.0.0.1');
  expect(seen('127.0.0.1', '')).toBe('127.0.0.1');
});

test('all addresses of one network of IPv6 count together', () => {
  expect(seen('2606:4700:1:2:3:4:5:6')).toBe(seen('2606:4700:1:2::ffff'));
  expect(seen('2606:4700:1:2::1')).not.toBe(seen('2606:4700:1:3::1'));
});

test('whatever a header contains instead of an address is short', () => {
  expect(seen('127.0.0.1', 'x'.repeat(10_000))).toHaveLength(45);
});

test('registrations, sign-ins that begin, and those that send requests to the budgeting service, have limits of their own', () => {
  const names = (path: string) => publicLimits(path, 'here').map(({ of }) => of);
  expect(names('/account')).toEqual(['requests here', 'requests']);
  expect(names('/oauth/register')).toContain('registrations here');
  expect(names('/oauth/register')).toContain('registrations');
  for (const path of ['/oauth/authorize', '/account/sign-in'])
    expect(names(path)).toEqual(['requests here', 'requests', 'begun here', 'begun']);
  for (const path of ['/oauth/callback', '/account/callback']) expect(names(path)).toContain('sign-ins');
});

test('addresses of IPv6 count for a network of 2^16 of them too, which is also who shares a limit of all', () => {
  const limits = publicLimits('/oauth/register', '2606:4700:1:2');
  expect(limits.map(({ of }) => of)).toEqual([
    'requests 2606:4700:1:2',
    'requests 2606:4700:1/48',
    'requests',
    'registrations 2606:4700:1:2',
    'registrations 2606:4700:1/48',
    'registrations',
  ]);
  expect(limits.map(({ sender }) => sender)).toEqual(
    [0, 1, 2, 3, 4, 5].map((nth) => (nth % 3 === 2 ? '2606:4700:1' : undefined)),
  );
  const registrations = limits.slice(3).map(({ perMinute }) => perMinute);
  expect(registrations).toEqual([20, 80, 100]);
});
