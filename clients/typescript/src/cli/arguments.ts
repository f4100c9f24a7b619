import { parseArgs } from 'node:util';
import { type Command, UsageError, type Values } from './command.ts';

/** The arguments of a command: those without a name, and the options. */
export interface Arguments {
  readonly args: readonly string[];
  readonly values: Values;
}

/** Reads the arguments that follow the name of a command. @throws UsageError */
export function argumentsOf(command: Command, given: readonly string[]): Arguments {
  const { values: named, positionals } = parsed(command, given);
  const values = valuesOf(named);
  const [least, most] = command.arity;
  if (!values.flag('help') && (positionals.length < least || positionals.length > most))
    throw new UsageError(`usage: pulsebus ${command.name} ${command.usage}. ${seeHelp(command)}`);
  return { args: positionals, values };
}

function parsed(command: Command, given: readonly string[]) {
  const options = Object.entries(command.options).map(([name, { type }]) => [name, { type }]);
  try {
    return parseArgs({
      args: [...given],
      allowPositionals: true,
      options: { ...Object.fromEntries(options), help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    const [sentence = ''] = error instanceof Error ? error.message.split(/\. |\n/) : [];
    throw new UsageError(`${sentence.replace(/\.$/, '')}. ${seeHelp(command)}`);
  }
}

function seeHelp({ name }: Command): string {
  return `\`pulsebus ${name} --help\` shows examples.`;
}

function valuesOf(values: Readonly<Record<string, unknown>>): Values {
  const text = (name: string) => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    text,
    flag: (name) => values[name] === true,
    list: (name) =>
      text(name)
        ?.split(',')
        .map((one) => one.trim()),
    number: (name, most) => {
      const given = text(name);
      if (given === undefined) return undefined;
      const number = Number(given);
      if (/^\d+$/.test(given) && number >= 1 && number <= most) return number;
      throw new UsageError(`--${name} is a whole number from 1 to ${most}.`);
    },
  };
}
