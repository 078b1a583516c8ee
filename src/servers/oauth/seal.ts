import { fromBase64, toBase64 } from '../../core/base64.js';
import { fromUtf8, utf8 } from '../../core/bytes.js';
import { isSignature, randomText, signatureOf } from './oauth-secrets.js';

/** Hands values to strangers, who can read them but neither change nor make one. Nothing is kept, so strangers fill no memory. */
export class Seal<Value> {
  private key: string = randomText();

  /** A text that a URL can contain. */
  close(value: Value): string {
    const text = toBase64(utf8(JSON.stringify(value)))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '');
    return `${text}.${signatureOf(this.key, text)}`;
  }

  /** `undefined` unless this seal closed it. */
  open(sealed: string): Value | undefined {
    const [text = '', signature = '', ...others] = sealed.split('.', 3);
    if (others.length > 0 || !isSignature(signature, this.key, text)) return undefined;
    const padded = text.replaceAll('-', '+').replaceAll('_', '/') + '='.repeat(-text.length & 3);
    return JSON.parse(fromUtf8(fromBase64(padded)!)!) as Value;
  }

  /** After this, nothing that was closed before can be opened. */
  change(): void {
    this.key = randomText();
  }
}
