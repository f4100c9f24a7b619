import type { Command } from './command.ts';

/** The help of the program. */
export function programHelp(commands: readonly Command[]): string {
  return `usage: pulsebus <command> [options]

${columns(commands.map(({ name, summary }) => [name, summary]))}

\`pulsebus <command> --help\` shows the options and examples of a command.
<user> is an id or an external id. Lists go to the output, notes to the error output.

environment
  PULSEBUS_URL, PULSEBUS_API_KEY   take precedence over the stored login
  NO_COLOR                         no colours

exit codes
  0  done   1  the server, the network or the operation failed   2  wrong usage   130  Ctrl-C

first steps
  pulsebus login http://localhost:3000
  pulsebus users
  pulsebus series <user> heart_rate --last 1d`;
}

/** The help of a command. */
export function commandHelp({ name, summary, usage, options, notes, examples }: Command): string {
  const rows = Object.entries(options).map(([option, { value, description }]) => [
    `--${option}${value === undefined ? '' : ` ${value}`}`,
    description,
  ]);
  return [
    `usage: pulsebus ${[name, usage].filter(Boolean).join(' ')}${rows.length === 0 ? '' : ' [options]'}`,
    `${summary}.`,
    ...(rows.length === 0 ? [] : [columns(rows)]),
    ...(notes === undefined ? [] : [notes]),
    `examples\n${examples.map((example) => `  ${example}`).join('\n')}`,
  ].join('\n\n');
}

function columns(rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map(([left = '']) => left.length));
  return rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
