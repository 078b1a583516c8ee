/** The older major version has the types of the newer one where both are used alike. */
declare module 'express4' {
  export { default } from 'express';
}
