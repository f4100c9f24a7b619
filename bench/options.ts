import { parseArgs } from 'node:util';
import { reference } from './checkout.ts';
import { full, quick, type Sizes } from './sizes.ts';

/** The options of the command line. */
export interface Options {
  readonly sizes: Sizes;
  /** Names of measurements; empty for all. */
  readonly only: readonly string[];
  readonly databaseUrl: string | undefined;
  readonly natsUrl: string | undefined;
  /** A folder or a git revision. Default: the commit that all figures are compared with. */
  readonly against: string;
}

const usage =
  'usage: npm run bench -- [--quick] [--only name,name] [--rounds n] [--database url] [--nats url] [--against folder|revision]';

/** Reads the arguments. @throws Error with the usage if one is unknown */
export function readOptions(args: readonly string[]): Options {
  const { quick: isQuick, only, rounds, database, nats, against } = parse(args);
  const sizes = isQuick ? quick : full;
  const count = rounds === undefined ? sizes.rounds : Number(rounds);
  if (!Number.isInteger(count) || count < 1 || count > 100)
    throw new Error(`--rounds takes a number from 1 to 100\n${usage}`);
  return {
    sizes: rounds === undefined ? sizes : { ...sizes, rounds: count, throughputRounds: 3 * count },
    only: only.split(',').filter((name) => name !== ''),
    databaseUrl: database,
    natsUrl: nats,
    against,
  };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = {
    quick: { type: 'boolean', default: false },
    only: { ...text, default: '' },
    rounds: text,
    database: text,
    nats: text,
    against: { ...text, default: reference },
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new Error(`${Reflect.get(Object(error), 'message')}\n${usage}`);
  }
}
