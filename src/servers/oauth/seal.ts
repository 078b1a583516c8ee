import { fromBase64, toBase64 } from '../../core/base64.js';
import { fromUtf8, utf8 } from '../../core/bytes.js';
import { isSignature, randomText, signatureOf } from './oauth-secrets.js';

/** Hands values to a browser, which can read them but neither change nor make one. Nothing is kept, so strangers fill no memory. */
export class Seal<Value> {
  private key: string = randomText();

  close(value: Value): string {
    const text = toBase64(utf8(JSON.stringify(value)));
    return `${text}.${signatureOf(this.key, text)}`;
  }

  /** `undefined` unless this seal closed it. */
  open(sealed: string): Value | undefined {
    const [text = '', signature = ''] = sealed.split('.');
    if (!isSignature(signature, this.key, text)) return undefined;
    return JSON.parse(fromUtf8(fromBase64(text)!)!) as Value;
  }

  /** After this, nothing that was closed before can be opened. */
  change(): void {
    this.key = randomText();
  }
}
