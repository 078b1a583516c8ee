/** Spaces, controls, and letters without a shape. The last two are symbols that fonts draw as nothing. */
const hidden = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]/gu;

/** More marks on one character than any script uses; browsers draw them over the lines around. */
const tower = /(\p{M}{6})(\p{M}+)/gu;

/** Replaces every character that shows nothing or moves what is around it, and every space. */
export const replaceHidden = (text: string, replacement: (character: string) => string): string =>
  text.replace(hidden, replacement);

/** Replaces the upper marks of stacks. */
export const replaceTowers = (text: string, replacement: (marks: string) => string): string =>
  text.replace(tower, (_, kept: string, marks: string) => kept + replacement(marks));
