import type { HttpRefusal } from '../../../src/core/http/http-refusal.js';

const common = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
];

/** Users paste hostile texts here, so the page runs its own files only and connects to its own origin only. */
const policy = [...common, "connect-src 'self'", "img-src 'self' data:", "trusted-types 'none'"].join('; ');

/** The page for publishers and its worker connect to nothing. A worker has the policy of its own script. */
const publisherPolicy = [...common, "worker-src 'self'", 'img-src data:', 'trusted-types publish-worker'].join('; ');

const safety: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  txt: 'text/plain; charset=utf-8',
};

/** `no-cache`, because file names stay the same across releases and the page must match its script. */
export function fileAnswer(name: string, bytes: Uint8Array<ArrayBuffer>, isHead: boolean): Response {
  const type = types[name.replace(/^.*\./, '')] ?? 'application/octet-stream';
  const own = name.startsWith('publish') ? { 'content-security-policy': publisherPolicy } : {};
  const headers = {
    ...safety,
    ...own,
    'content-type': type,
    'content-length': String(bytes.length),
    'cache-control': 'no-cache',
  };
  return new Response(isHead ? null : bytes, { headers });
}

export function jsonAnswer(status: number, body: object, more: Readonly<Record<string, string>> = {}): Response {
  const headers = { ...safety, 'content-type': 'application/json', 'cache-control': 'no-store', ...more };
  return new Response(JSON.stringify(body), { status, headers });
}

export function redirectAnswer(location: string): Response {
  return new Response(null, { status: 307, headers: { ...safety, location, 'cache-control': 'no-store' } });
}

export function refusalAnswer({ status, code, message, headers }: HttpRefusal): Response {
  return jsonAnswer(status, { message, code }, headers);
}
