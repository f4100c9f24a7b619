import { UploadProblem } from '../../contracts/upload-problem.ts';

/** The most sentences of one delivery. */
export const mostItemErrors = 1000;

/**
 * The sentences about items in the answer to a delivery: each list `errors`, at any depth, the problems of an upload, and
 * the reason for which an event was skipped. The first `mostItemErrors` of them.
 */
export function itemErrorsIn(answer: unknown): string[] {
  const found: string[] = [];
  collect(answer, found);
  return found.slice(0, mostItemErrors);
}

function collect(value: unknown, found: string[]): void {
  if (typeof value !== 'object' || value === null || found.length >= mostItemErrors) return;
  const { status, message } = fieldsOf(value);
  if (status === 'skipped' && typeof message === 'string') found.push(message);
  for (const [name, field] of Object.entries(value)) {
    if (name === 'errors' && Array.isArray(field))
      found.push(...field.filter((one) => typeof one === 'string'));
    else if (name === 'problems' && Array.isArray(field)) found.push(...field.flatMap(problemSentence));
    else collect(field, found);
  }
}

function problemSentence(problem: unknown): string[] {
  const read = UploadProblem.safeParse(problem).data;
  if (read === undefined) return [];
  const { item, id, field, reason } = read;
  return [`${item} ${id ?? 'without an id'}: ${field} ${reason}`.replace('  ', ' ')];
}

const fieldsOf = (value: object): { status?: unknown; message?: unknown } => value;
