import { ConnectionError, PulsebusError } from '../index.ts';
import { Failure, UsageError } from './command.ts';
import { printable } from './output.ts';

/** 1: the server, the network or the command failed; 2: wrong usage. */
export function exitCodeOf(error: unknown): 1 | 2 {
  return error instanceof UsageError ? 2 : 1;
}

/** A failure as one sentence, with the id of the request. */
export function sentenceOf(error: unknown): string {
  return printable(`pulsebus: ${textOf(error)}`);
}

function textOf(error: unknown): string {
  if (error instanceof PulsebusError) {
    const fields = error.errors.map(({ field, message }) => `${field}: ${message}`).join('; ');
    const details = fields === '' || error.message.includes(fields) ? '' : ` (${fields})`;
    return `${error.message}${details}${error.requestId === null ? '' : ` [request ${error.requestId}]`}`;
  }
  if (error instanceof ConnectionError) return `${error.message}${causeOf(error)}`;
  if (error instanceof UsageError || error instanceof Failure) return error.message;
  if (error instanceof SyntaxError) return 'The answer is not one of Pulsebus: is the address right?';
  return error instanceof Error ? error.message : String(error);
}

/** `fetch` hides the reason in the causes of its error. */
function causeOf({ cause }: Error): string {
  if (!(cause instanceof Error)) return '';
  return 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : causeOf(cause);
}
