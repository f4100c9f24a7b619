import t from 'tap';
import { days } from './day-cases.ts';
import { loads, workouts } from './effort-cases.ts';
import { clockChanges, nights } from './night-cases.ts';
import { runMethod } from './run-method.ts';
import { same } from './same.ts';

for (const [name, cases] of Object.entries({ clockChanges, nights, days, workouts, loads }))
  t.test(`cases by hand: ${name}`, async (t) => {
    const offenders = cases.flatMap(({ claim, method, input, value, reason = null, confidence }) => {
      const actual = runMethod(method, input);
      const finding = { value, reason, confidence: confidence ?? confidenceOf(actual) };
      return same(actual, Array.isArray(value) ? value : finding) ? [] : [{ claim, actual, finding }];
    });
    t.same(offenders, []);
  });

function confidenceOf(finding: unknown): unknown {
  return typeof finding === 'object' && finding !== null && 'confidence' in finding
    ? finding.confidence
    : null;
}
