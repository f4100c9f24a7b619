interface Span {
  readonly id: string;
  readonly start_time: string;
  readonly end_time: string;
}

const leastPart = 0.5;

/** The records that are of the same time as another one: they overlap with at least half of the shorter one. */
export function sameTime<R extends Span>(one: Span, all: readonly R[]): R[] {
  return all.filter((other) => other.id !== one.id && overlap(one, other) >= leastPart);
}

function overlap(one: Span, other: Span): number {
  const [from, to] = [
    Math.max(Date.parse(one.start_time), Date.parse(other.start_time)),
    Math.min(Date.parse(one.end_time), Date.parse(other.end_time)),
  ];
  const length = ({ start_time, end_time }: Span) => Date.parse(end_time) - Date.parse(start_time);
  return Math.max(0, to - from) / Math.max(1, Math.min(length(one), length(other)));
}
