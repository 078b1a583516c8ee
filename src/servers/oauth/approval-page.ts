import { toBase64 } from '../../core/base64.js';
import { utf8 } from '../../core/bytes.js';
import { sha256 } from '../../core/hashing/sha256.js';
import { isThisMachine } from '../../core/http/address.js';
import type { HttpRefusal } from '../../core/http/http-refusal.js';

/** What the page shows and sends back. */
export interface ApprovalQuestion {
  readonly application: string;
  /** The host that describes the application, if its id proves one. */
  readonly describedBy?: string | undefined;
  readonly redirect: string;
  readonly resource: string;
  /** Works once. */
  readonly nonce: string;
  /** Why the last answer did not count. */
  readonly problem?: HttpRefusal | undefined;
}

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; scroll-padding-bottom: 4rem; }
body { margin: 1rem auto; max-width: 34rem; padding: 0 1rem; }
h1 { font-size: 1.3rem; line-height: 1.2; margin: 0; }
dl, p { margin: .6rem 0; }
dt { font-weight: 600; }
dd { margin: 0 0 .4rem; overflow-wrap: anywhere; }
/* Letters with many marks stay in their place. */
.name { display: block; overflow: hidden; padding: .3rem 0; }
label { display: block; font-weight: 600; }
input { box-sizing: border-box; font: inherit; padding: .4rem; width: 100%; }
.choice { background: Canvas; bottom: 0; display: flex; gap: 1rem; padding: .6rem 0; position: sticky; }
button { flex: 1; font: inherit; max-width: 12rem; padding: .5rem; }
/* Another page can hold its window over this one and close it at the first click of two, so a pointer that just came does not allow. */
@media (hover: hover) { :root:hover [value=allow] { animation: arriving .8s; } }
@keyframes arriving { from, to { opacity: .5; pointer-events: none; } }
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
export function approvalPage(question: ApprovalQuestion, cookie: string): Response {
  const { application, describedBy, redirect, resource, nonce, problem } = question;
  const { host, hostname } = new URL(redirect);
  const place = isThisMachine(hostname) ? `${host}, a program on this device` : host;
  return page(
    'Allow this application to act for you?',
    `<dl>
<dt>Application</dt><dd><span class="name">${escaped(application)}</span>The application chose this name; it is not verified.</dd>
${describedBy === undefined ? '' : `<dt>Described by</dt><dd><strong>${escaped(describedBy)}</strong></dd>\n`}<dt>Receives the permission at</dt><dd><strong>${escaped(place)}</strong></dd>
<dt>May use, as you</dt><dd>${escaped(resource)}: everything that your key may do, such as filing reports</dd>
</dl>
<p>If you did not just connect an application, deny.</p>
${problem === undefined ? '' : `<p role="alert" id="problem">${escaped(problem.message)}</p>`}
<form method="post">
<input type="hidden" name="nonce" value="${nonce}">
<label for="key">Your API key</label>
<input id="key" name="key" type="password" autocomplete="current-password" required aria-describedby="about${problem === undefined ? '' : ' problem'}"${problem === undefined ? '' : ' aria-invalid="true" autofocus'}>
<p id="about">It shows that it is you; the application does not get it. Pressing Enter here allows.</p>
<div class="choice">
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny" formnovalidate>Deny</button>
</div>
</form>`,
    problem?.status ?? 200,
    { ...problem?.headers, 'set-cookie': cookie },
    problem?.message,
  );
}

/** Shows the user an error that must not be sent to the application, because its address is unknown or unproven. */
export const problemPage = (message: string, status = 400, more: Readonly<Record<string, string>> = {}): Response =>
  page('The sign-in cannot continue', `<p>${escaped(message)}</p>`, status, more);

/** @param news Goes before the title, because screen readers announce the title of a new page first */
function page(heading: string, body: string, status: number, more: Readonly<Record<string, string>>, news?: string): Response {
  const title = news === undefined ? heading : `${escaped(news)} ${heading}`;
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
<h1>${heading}</h1>
${body}
</main>
</body>
</html>
`;
  return new Response(html, { status, headers: { ...headers, ...more } });
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!);
