import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isNotRun } from './not-run.ts';

const assertion =
  /\b\w+\.(?:doesNotThrow|equal|error|has|hasStrict|match|not|notMatch|notOk|notSame|ok|rejects|resolveMatch|resolves|same|strictNotSame|strictSame|throws|type)\(/;

/** Follows from now on which functions are called. The session needs no port. */
export async function startCalls(): Promise<Session> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: false });
  return session;
}

/**
 * Where files contain functions with assertions that nothing called, as `file:line`: a callback that is not reached would
 * pass unnoticed. Tests that cannot run here are excepted (`notRun`). Positions hold for TypeScript too, because types are
 * replaced by blanks.
 */
export async function neverCalled(
  session: Session,
  urls: ReadonlySet<string>,
  root: string,
): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => urls.has(url))
    .flatMap(({ url, functions }) => {
      const text = readFileSync(fileURLToPath(url), 'utf8');
      return functions
        .flatMap(({ ranges: [range] }) => (range === undefined || range.count > 0 ? [] : [range]))
        .filter((range, _, all) => !all.some((other) => isAround(other, range)))
        .filter(({ startOffset, endOffset }) => isAsserting(text.slice(startOffset, endOffset)))
        .filter(({ startOffset }) => !isNotRun(text.slice(0, startOffset)))
        .map(({ startOffset }) => `${relative(root, fileURLToPath(url))}:${lineOf(text, startOffset)}`);
    });
}

// A declared function is a helper, and the check of the code names those that nothing uses.
const isAsserting = (code: string) => !/^(async )?function \w/.test(code) && assertion.test(code);

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
}

const isAround = (outer: Range, inner: Range) =>
  outer !== inner && outer.startOffset <= inner.startOffset && outer.endOffset >= inner.endOffset;

const lineOf = (text: string, offset: number) => text.slice(0, offset).split('\n').length;
