import { registerHooks } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FunctionFailure } from '../../domain/provider/function-failure.ts';
import type { Provider } from '../../domain/provider/provider.ts';
import type { Pull } from '../../domain/provider/pulled-provider.ts';
import { isItem } from '../../domain/recipe/read-fields.ts';
import { isDescription, problemsOf } from './check.ts';
import { type OutsideDescription, providerOf } from './description.ts';

/** The providers that PROVIDERS adds. */
export interface Outside {
  readonly providers: Readonly<Record<string, Provider & { readonly pull: Pull }>>;
  /** Their descriptions, from which the sandbox plays them. */
  readonly descriptions: readonly OutsideDescription[];
  /** A sentence for each that is left out. */
  readonly problems: readonly string[];
}

const root = resolve(import.meta.dirname, '../..');
const publicModule = pathToFileURL(join(root, 'public/provider.ts')).href;

/**
 * Loads the files and packages of a list. What cannot be used is left out and named, so that a fault of one does not stop the others.
 * Paths are relative to the folder of this product. Code that is loaded has all rights of the process.
 */
export async function loadOutside(list: string, taken: readonly string[]): Promise<Outside> {
  const entries = list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  if (entries.length > 0) resolvePublicModule();
  const descriptions: OutsideDescription[] = [];
  const problems: string[] = [];
  for (const entry of entries) {
    const found = await load(entry, [...taken, ...descriptions.map(({ name }) => name)]);
    if ('problem' in found) problems.push(`${entry}: ${found.problem}`);
    else descriptions.push(found);
  }
  const providers = descriptions.map(
    (one) => [one.name, withNamedFailures(one.name, providerOf(one))] as const,
  );
  return { providers: Object.fromEntries(providers), descriptions, problems };
}

// A file elsewhere, or a package, has no `pulsebus` among its packages.
function resolvePublicModule(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'pulsebus/provider'
        ? { url: publicModule, format: 'module-typescript', shortCircuit: true }
        : next(specifier, context),
  });
}

async function load(
  entry: string,
  taken: readonly string[],
): Promise<OutsideDescription | { readonly problem: string }> {
  const isFile = isAbsolute(entry) || /^\.\.?\//.test(entry);
  try {
    const loaded: { readonly default?: unknown } = await import(
      isFile ? pathToFileURL(resolve(root, entry)).href : entry
    );
    const description = loaded.default;
    if (isDescription(description, taken)) return description;
    return { problem: problemsOf(description, taken).slice(0, mostProblems).join('; ') };
  } catch (error) {
    return {
      problem: `it cannot be loaded: ${error instanceof Error ? firstLine(error.message) : String(error)}`,
    };
  }
}

const mostProblems = 5;
const firstLine = (text: string): string => text.split('\n')[0] ?? '';

const isFunction = (value: unknown): value is (...given: unknown[]) => unknown => typeof value === 'function';

/** The same description, whose functions name themselves where they throw. */
function withNamedFailures<T extends object>(provider: string, description: T): T {
  const named = (value: unknown, path: string): unknown => {
    if (isFunction(value)) return failing(value, path);
    if (Array.isArray(value)) return value.map((one, index) => named(one, `${path}[${index}]`));
    if (!isItem(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, named(one, path === '' ? name : `${path}.${name}`)]),
    );
  };
  const failing = (of: (...given: unknown[]) => unknown, path: string) =>
    function call(this: unknown, ...given: unknown[]): unknown {
      try {
        return of.apply(this, given);
      } catch (error) {
        throw error instanceof FunctionFailure ? error : new FunctionFailure(provider, path, error);
      }
    };
  return Object.assign({}, description, named(description, ''));
}
