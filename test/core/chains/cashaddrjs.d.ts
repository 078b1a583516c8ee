declare module 'cashaddrjs' {
  export function encode(prefix: string, type: 'P2PKH' | 'P2SH', hash: Uint8Array): string;
}
