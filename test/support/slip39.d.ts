declare module 'slip39/src/slip39_helper.js' {
  const helper: { readonly WORD_LIST: readonly string[] };
  export default helper;
}
