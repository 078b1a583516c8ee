/** The version of the package, which a release raises here too; a test compares it with package.json. */
export const version = '0.2.0';
