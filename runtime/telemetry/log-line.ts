import { inspect } from 'node:util';

interface Bindings {
  readonly mod?: string;
  readonly nodeID?: string;
}

/**
 * A log entry as one line of JSON (LOG_FORMAT=json): `time`, `level`, `service`, `node`, `event` and the event's own
 * fields as they are, so that a log store can search them. Moleculer's own format prints fields into a text.
 */
export function logLine(level: string, given: readonly unknown[], bindings: Bindings = {}): string[] {
  const [event, fields, ...more] = given;
  const frame = {
    time: new Date().toISOString(),
    level,
    service: bindings.mod,
    node: bindings.nodeID,
    event: typeof event === 'string' ? event : inspect(event),
  };
  const own = isPlain(fields) ? fields : {};
  const rest = fields === undefined || own === fields ? more : [fields, ...more];
  const said =
    rest.length === 0 ? {} : { more: rest.map((one) => (typeof one === 'string' ? one : inspect(one))) };
  return [text({ ...own, ...said, ...frame })];
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

// A circle, or a number that JSON has no word for, must not cost the entry.
function text(entry: Record<string, unknown>): string {
  try {
    return JSON.stringify(entry);
  } catch {
    return JSON.stringify({ time: entry.time, level: entry.level, event: entry.event, more: inspect(entry) });
  }
}
