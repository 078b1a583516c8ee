/** The one function the gate calls; the full type packages would be two more dependencies for it. */
declare module '@babel/core' {
  export function transformAsync(code: string, options: object): Promise<{ code?: string | null } | null>;
}

declare module '@babel/preset-env' {
  const presetEnv: object;
  export default presetEnv;
}
