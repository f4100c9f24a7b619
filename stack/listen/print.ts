import { styleText } from 'node:util';
import type { ShownMessage } from './message-line.ts';

const typeWidth = 24;
const colours = [
  ['.created', 'green'],
  ['.deleted', 'red'],
  ['.disabled', 'red'],
  ['.revoked', 'red'],
  ['.expired', 'red'],
] as const;

/** Prints a message: a line, or its body. Colours are used on a terminal only, and not with NO_COLOR. */
export function print(message: ShownMessage, isJson: boolean): void {
  printLine(isJson ? message.json : lineOf(message));
}

function lineOf({ time, type, details }: ShownMessage): string {
  const colour = colours.find(([ending]) => type.endsWith(ending))?.[1] ?? 'cyan';
  return `${time}  ${styleText(colour, type.padEnd(typeWidth))}  ${details}`;
}

/** Prints a line to the output. */
export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
