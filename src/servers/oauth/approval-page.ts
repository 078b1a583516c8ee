import { toBase64 } from '../../core/base64.js';
import { utf8 } from '../../core/bytes.js';
import { sha256 } from '../../core/hashing/sha256.js';
import { isLoopback } from '../../core/http/address.js';

/** What the page shows and sends back. */
export interface ApprovalQuestion {
  readonly application: string;
  readonly redirect: string;
  readonly resource: string;
  /** Works once. */
  readonly nonce: string;
  /** Why the last answer did not count. */
  readonly problem?: string | undefined;
}

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 34rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; line-height: 1.3; }
dt { font-weight: 600; }
dd { margin: 0 0 .8rem; overflow-wrap: anywhere; }
label { display: block; font-weight: 600; }
input { box-sizing: border-box; font: inherit; padding: .5rem; width: 100%; }
button { font: inherit; margin: 1rem 1rem 0 0; min-width: 8rem; padding: .5rem 1rem; }
[role=alert] { border-left: .25rem solid; padding-left: .75rem; }
`;
const styleHash = toBase64(sha256(utf8(style)));

/** No `form-action`: browsers apply it to the redirect after the form too, and to every redirect after that. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  // With `no-referrer` the form would not say which page it comes from.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Asks the user. Text of the application is escaped. */
export function approvalPage({ application, redirect, resource, nonce, problem }: ApprovalQuestion, cookie: string): Response {
  const { host } = new URL(redirect);
  const place = isLoopback(host) ? `${host}, a program on this device` : host;
  return page(
    'Allow this application to act for you?',
    `<dl>
<dt>Application</dt><dd>${escaped(application)}<br>It chose this name itself; nobody checked it.</dd>
<dt>Receives the permission at</dt><dd><strong>${escaped(place)}</strong></dd>
<dt>May use, as you</dt><dd>${escaped(resource)}: everything that your key may do, such as filing reports</dd>
</dl>
<p>If you did not just connect an application, deny.</p>
${problem === undefined ? '' : `<p role="alert" id="problem">${escaped(problem)}</p>`}
<form method="post">
<input type="hidden" name="nonce" value="${nonce}">
<label for="key">Your API key</label>
<input id="key" name="key" type="password" autocomplete="current-password" required aria-describedby="about${problem === undefined ? '' : ' problem'}"${problem === undefined ? '' : ' aria-invalid="true"'}>
<p id="about">It shows that it is you. The application does not get it.</p>
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny" formnovalidate>Deny</button>
</form>`,
    problem === undefined ? 200 : 400,
    { 'set-cookie': cookie },
  );
}

/** Says what is wrong, where the application cannot be told. */
export const problemPage = (message: string, status = 400): Response =>
  page('This sign-in does not work', `<p>${escaped(message)}</p>`, status);

function page(title: string, body: string, status: number, more: Readonly<Record<string, string>> = {}): Response {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return new Response(html, { status, headers: { ...headers, ...more } });
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!);
