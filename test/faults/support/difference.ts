/** What is expected and missing, and what there is more than expected: counts, and elements of lists. */
export interface Difference {
  readonly missing: number;
  readonly more: number;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The difference of two values of the same form: numbers are counts, lists have elements with keys, objects have such fields. */
export function differenceOf(want: unknown, have: unknown): Difference {
  if (typeof want === 'number' || typeof have === 'number')
    return ofCounts(Number(want ?? 0), Number(have ?? 0));
  if (Array.isArray(want) || Array.isArray(have)) return ofLists([want ?? []].flat(), [have ?? []].flat());
  const [left, right] = [isObject(want) ? want : {}, isObject(have) ? have : {}];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  const parts = [...names].map((name) => differenceOf(Reflect.get(left, name), Reflect.get(right, name)));
  return {
    missing: parts.reduce((sum, { missing }) => sum + missing, 0),
    more: parts.reduce((sum, { more }) => sum + more, 0),
  };
}

const ofCounts = (want: number, have: number): Difference => ({
  missing: Math.max(0, want - have),
  more: Math.max(0, have - want),
});

// An element that is expected twice has to be there twice.
function ofLists(want: readonly unknown[], have: readonly unknown[]): Difference {
  const left = have.map((one) => JSON.stringify(one));
  let missing = 0;
  for (const one of want) {
    const index = left.indexOf(JSON.stringify(one));
    if (index === -1) missing += 1;
    else left.splice(index, 1);
  }
  return { missing, more: left.length };
}
