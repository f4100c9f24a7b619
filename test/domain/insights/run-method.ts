import { insightMethods } from '../../../domain/insights/methods.ts';

const functions: Readonly<Record<string, { readonly of: (...input: never[]) => unknown }>> = insightMethods;

/** What a method answers to arguments that come from data. @throws for a name that no method has. */
export function runMethod(name: string, input: readonly unknown[]): unknown {
  const method = functions[name];
  if (method === undefined) throw new Error(`no method ${name}`);
  return Reflect.apply(method.of, undefined, input);
}
