import { type Kind, text } from '../../core/options/read-options.js';

/** The form of the id of a source and of the name of a list: both are logged, shown, stored and compared as they are. */
export const shortNameForm: RegExp = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export const shortName: Kind<string> = /* @__PURE__ */ text(
  '1 to 64 of a-z, 0-9, ".", "_" and "-", beginning with one of the first two',
  shortNameForm,
);
