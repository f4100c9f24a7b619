import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { z } from 'zod';
import { insightMethods } from '../../../domain/insights/methods.ts';
import { digest } from '../../oracles/digest.ts';
import { Draw } from '../../oracles/draws.ts';
import { userOf } from '../../oracles/users.ts';
import { runMethod } from './run-method.ts';
import { same } from './same.ts';

/**
 * A second implementation, in Python from the pages alone, over a thousand generated users. The fixture is what it wrote:
 * `python3 -B test/oracles/insights.py fixture` writes it again after a change of a page or of the generator.
 */
const root = join(import.meta.dirname, '../../..');
const userCount = 1000;
// Python takes 6 ms a user.
const liveCount = 300;
const longestMs = 100_000;

const Results = z.record(z.string(), z.unknown());
const Line = z.strictObject({
  seed: z.int(),
  inputs: z.string(),
  results: Results.optional(),
  digest: z.string().optional(),
});
type Line = z.infer<typeof Line>;
const linesOf = (answer: string) =>
  answer
    .trim()
    .split('\n')
    .map((line) => Line.parse(JSON.parse(line)));

const fixture = linesOf(readFileSync(join(root, 'test/fixtures/insights/oracle.jsonl'), 'utf8'));
const own = Array.from({ length: userCount }, (_, seed) => {
  const input = userOf(seed);
  const results = Object.entries(input).map(([name, args]) => [name, runMethod(name, args)] as const);
  return { inputs: digest(input), results: Object.fromEntries(results) };
});

// The methods whose result differs, or `inputs` where the generators do, or `digest` where a rounded value does.
function differencesOf({ seed, inputs, results, digest: wanted }: Line): string[] {
  const mine = own[seed];
  if (mine === undefined || mine.inputs !== inputs) return [`${seed} inputs`];
  if (results === undefined) return digest(mine.results) === wanted ? [] : [`${seed} digest`];
  const names = new Set([...Object.keys(mine.results), ...Object.keys(results)]);
  return [...names]
    .filter((name) => !same(mine.results[name], results[name]))
    .map((name) => `${seed} ${name} ${JSON.stringify([mine.results[name], results[name]])}`);
}

t.test('mulberry32 gives its known numbers', async (t) => {
  const draw = new Draw(0);
  t.same([draw.next(), draw.next()], [0.266_429_208_684_712_65, 0.000_329_745_700_582_861_9]);
});

t.test('a generated user has arguments for each method', async (t) => {
  t.same(Object.keys(userOf(0)).sort(), Object.keys(insightMethods).sort());
});

t.test('all results of a thousand users equal those of the second implementation', async (t) => {
  t.same(
    fixture.map(({ seed }) => seed),
    own.map((_, seed) => seed),
  );
  t.ok(fixture.filter(({ results }) => results !== undefined).length >= userCount / 10);
  t.same(fixture.flatMap(differencesOf), []);
});

t.test('the second implementation still gives what the fixture has', async (t) => {
  const answer = await pythonResults();
  if (answer === null) t.comment('python3 is not there: the fixture is compared alone');
  const lines = answer === null ? fixture.slice(0, liveCount) : linesOf(answer);
  t.equal(lines.length, liveCount);
  t.same(lines.flatMap(differencesOf), []);
  const changed = lines.filter((line) => !isAsKept(line)).map(({ seed }) => seed);
  t.same(changed, []);
});

const digestOf = ({ results, digest: kept }: Line) => kept ?? digest(results);
const isAsKept = (line: Line) => {
  const kept = fixture[line.seed];
  return kept !== undefined && (same(kept.results, line.results) || digestOf(kept) === digestOf(line));
};

const Outcome = z.object({ value: z.unknown(), reason: z.string().nullable() });

// A generator that lost a kind of user would compare less than it seems to.
t.test('the users contain a value and each reason of each method, at least three times', async (t) => {
  const found: Record<string, Record<string, number>> = {};
  for (const { results } of own)
    for (const [name, result] of Object.entries(results).filter(([one]) => !one.includes('zones'))) {
      const reasons = found[name] ?? {};
      const key = Outcome.parse(result).reason ?? 'value';
      found[name] = { ...reasons, [key]: (reasons[key] ?? 0) + 1 };
    }
  const often = Object.entries(found).map(([name, reasons]) => [
    name,
    Object.keys(reasons)
      .filter((reason) => (reasons[reason] ?? 0) >= 3)
      .sort(),
  ]);
  t.same(Object.fromEntries(often), {
    baseline: ['too_few_days', 'value'],
    deviation: ['no_data', 'no_variation', 'too_few_days', 'value'],
    banister_impulse: ['no_heart_rate', 'no_maximum_heart_rate', 'no_resting_heart_rate', 'no_sex', 'value'],
    edwards_impulse: ['no_heart_rate', 'no_maximum_heart_rate', 'value'],
    fitness_and_fatigue: ['too_few_days', 'value'],
    monotony: ['no_variation', 'too_few_days', 'value'],
    acute_chronic_ratio: ['no_data', 'too_few_days', 'value'],
    sleep_score: ['no_data', 'no_earlier_night', 'no_stages', 'value'],
    hrv_stability: ['no_data', 'too_few_nights', 'too_few_samples', 'value'],
    sleep_regularity: ['too_few_days', 'value'],
    social_jet_lag: ['too_few_nights', 'value'],
    weekly_activity: ['too_few_days', 'value'],
    peak_cadence: ['too_little_coverage', 'value'],
    oxygen_uptake: ['no_maximum_heart_rate', 'no_resting_heart_rate', 'not_steady', 'value'],
    glucose_report: ['no_data', 'too_little_coverage', 'value'],
  });
});

// Null where no python3 is installed.
async function pythonResults(): Promise<string | null> {
  const python = spawn('python3', ['-B', 'test/oracles/insights.py', 'results', String(liveCount)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    signal: AbortSignal.timeout(longestMs),
  });
  const isThere = await once(python, 'spawn').then(
    () => true,
    () => false,
  );
  if (!isThere) return null;
  const [answer, [code]] = await Promise.all([text(python.stdout), once(python, 'close')]);
  if (code !== 0) throw new Error(`test/oracles/insights.py ended with ${code}`);
  return answer;
}
