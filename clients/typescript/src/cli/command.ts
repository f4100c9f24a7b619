import type { Pulsebus } from '../index.ts';
import type { Credentials } from './credentials.ts';
import type { Output } from './output.ts';

/** An option of a command. */
export interface Option {
  readonly type: 'string' | 'boolean';
  readonly description: string;
  /** Shown in the help in place of the value. */
  readonly value?: string;
  /** Values that completion proposes. */
  readonly choices?: readonly string[];
}

/** The options that were given, by name. */
export interface Values {
  text(name: string): string | undefined;
  flag(name: string): boolean;
  /** The items of a list that is separated by commas. */
  list(name: string): string[] | undefined;
  /** A whole number. @throws UsageError */
  number(name: string, most: number): number | undefined;
}

/** What a command works with. */
export interface Context {
  readonly args: readonly string[];
  readonly values: Values;
  readonly output: Output;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  /** @throws UsageError without a login */
  readonly credentials: () => Credentials;
  /** The client of the server of the login. */
  readonly client: () => Pulsebus;
}

/** A command with what its help and completion need. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** The arguments after the name, as in the help. */
  readonly usage: string;
  /** First arguments that completion proposes. */
  readonly words?: readonly string[];
  /** How many arguments are allowed, at least and at most. */
  readonly arity: readonly [number, number];
  readonly options: Readonly<Record<string, Option>>;
  readonly notes?: string;
  readonly examples: readonly string[];
  /** Ctrl-C is the usual end. */
  readonly endsBySignal?: boolean;
  readonly run: (context: Context) => Promise<void> | void;
}

/** The arguments are wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command failed: exit code 1. */
export class Failure extends Error {
  override readonly name = 'Failure';
}
