import { expect, test } from 'vitest';
import { fetchableFrom } from '../../src/core/http/address.js';

const fromAfar = fetchableFrom('https://api.example/v2');

test.each([
  ...'https://localhost/ https://localhost./ https://127.0.0.1/ https://127.1.2.3:8443/ https://0.0.0.0/'.split(' '),
  ...'https://[::]/ https://[::1]/ https://[0:0:0:0:0:0:0:1]/ https://[::ffff:127.0.0.1]/'.split(' '),
  ...'https://[::ffff:7f00:1]/ https://2130706433/ https://0x7f.1/ http://cdn.example/list'.split(' '),
  ...'http://api.example/list ftp://cdn.example/list https:/cdn.example/list //cdn.example/list list'.split(' '),
  '',
])('a remote list is not fetched from %s', (url) => {
  expect(fromAfar(url)).toBe(false);
});

test.each([
  ...'https://cdn.example/list https://api.example:8443/list https://[2001:db8::1]/list'.split(' '),
  ...'HTTPS://CDN.example/list?a#b'.split(' '),
])('a remote list is fetched from %s', (url) => {
  expect(fromAfar(url)).toBe(true);
});

test('fetches over plain http only from its own origin, and from this machine only if it runs there', () => {
  const plain = fetchableFrom('http://api.example:8080/v2');
  expect(plain('http://api.example:8080/list')).toBe(true);
  expect(plain('http://api.example/list')).toBe(false);
  expect(plain('http://127.0.0.1:8080/list')).toBe(false);
  const near = fetchableFrom('http://127.0.0.1:8080/v2');
  expect(near('http://127.0.0.1:9090/list')).toBe(true);
  expect(near('http://cdn.example/list')).toBe(false);
});
