import { h, render } from 'preact';
import type { Test } from 'tap';

/** A hook outside of a page. */
export interface Hooked<Given, Result> {
  /** What it returned last. */
  result(): Result;
  /** Calls it with other arguments. */
  call(given: Given): void;
  /** Removes the component that calls it. */
  leave(): void;
}

/** Calls a hook in a component without elements, which needs no document. */
export function hooked<Given, Result>(
  t: Test,
  hook: (given: Given) => Result,
  first: Given,
): Hooked<Given, Result> {
  const results: Result[] = [];
  const Caller = ({ given }: { given: Given }) => {
    results.push(hook(given));
    return null;
  };
  const same = <Node>(node: Node) => node;
  const place = { nodeType: 1, parentNode: null, firstChild: null, childNodes: [] };
  const parent = { ...place, insertBefore: same, appendChild: same, removeChild: same };
  const call = (given: Given) => render(h(Caller, { given }), parent);
  const leave = () => render(null, parent);
  call(first);
  t.teardown(leave);
  const result = () => {
    const last = results.at(-1);
    if (last === undefined) throw new Error('the hook was not called');
    return last;
  };
  return { result, call, leave };
}
