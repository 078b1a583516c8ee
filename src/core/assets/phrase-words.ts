/**
 * Whether a word may be in the English list of BIP-39 or in that of SLIP-39. The answer is yes for all of their words, for half of
 * all other words, and for few of the most frequent words (docs/decisions/0028-phrases.md).
 */
export function isPhraseWord(word: string): boolean {
  if (word.length < 3 || word.length > 8) return false;
  let hash = start;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), fnvPrime);
  const bit = (hash >>> 0) % (filter.length * 6);
  return (((filter.charCodeAt(bit / 6) - firstCode) >> (bit % 6)) & 1) === 1;
}

/** Of 200,000 start values, this one keeps the most frequent English words out of the filter. */
export const start = 179_743;

export const fnvPrime = 0x01000193;

/** Each character encodes six bits. */
export const firstCode = 0x28;

/** One bit for the hash of each of 2,519 words. `test/core/phrases.test.ts` makes it from the lists. */
export const filter: string =
  'N-=1.II3Tc9QV30Fg5a.K2T7WDY)N-7JT^Z_B734;AK9I0@G^WZU312f5YYUD=-MB8Z6.CWQA?693KVgWH.<9(MIA:3C9W?]6fJ(.' +
  'Q2PVVM*)>[=KV=g.81^dK@\\*\\??EYIV.0`Rf3D;_RG5.XS(E8[;E3Sb^VJNIV@cEg^_R2KG3KP-cELb8Y/@7T=].c6I8Y8))_B5)E' +
  'YY75T@R1ObH3T<P.cGE;9e`MJ05@]7@_\\RH[B?Vc,7:Q<G0AH;FWZW.OB,MT=,gT7GT+:1fDPO98`aE-WJHQ>[:d51+2AK1J-SbT\\' +
  'ACQ\\.`76SF1fPfg?9<_[d`,9SGU.aO<`.eY8/L/:VSW;`5dAFWC+cJ..c7ND2a)BgEQ.;.2]WO_Ya5/`O36>+JYTG292(05\\ZB6Pa' +
  '8R(@XX(4,VXHFU2.V)>)>aeV=.V6)0:)\\1FE`a\\ZDJSJM5W+OI7BS6X*ROCeM.>GLMHKDg:;-d+I@8fM-1C7>LKDF=0]F6*,R_\\P,' +
  'a:<g2QW_*7/_5TbPZ:**C1;QdTQ3<EPJcB58X<XB8dYE<2V^Fg\\Ob-Rd]]I<W[?LgJY+A3b>I;MJ7A:.-5cIF[DYe@@gaAX<R`3<B';
