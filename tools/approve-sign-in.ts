/** Does what a user does on the approval page. Returns where the browser goes then. */
export async function approveSignIn(address: string, key: string, decision = 'allow'): Promise<string> {
  const page = await fetch(address);
  const nonce = /name="nonce" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  const answer = await fetch(address, {
    method: 'POST',
    headers: { cookie: page.headers.get('set-cookie')?.split(';')[0] ?? '' },
    body: new URLSearchParams({ nonce, decision, key }),
    redirect: 'manual',
  });
  return answer.headers.get('location') ?? '';
}
