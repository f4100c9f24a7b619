import valueSets from 'fhir/profiles/valuesets.json' with { type: 'json' };
import t from 'tap';
import { z } from 'zod';
import { systems } from '../../../domain/fhir/coding.ts';
import { longId, readResourceId, resourceId, shortId } from '../../../domain/fhir/ids.ts';
import { type ObservedValue, observationOf } from '../../../domain/fhir/observation.ts';
import { codeOf, observedNames } from '../../../domain/fhir/observed.ts';
import { recordCodes } from '../../../domain/fhir/record-codes.ts';
import { seriesCodes } from '../../../domain/fhir/series-codes.ts';
import { seriesTypes } from '../../../domain/records/series.ts';
import { localTime } from '../../../domain/time/time.ts';
import { problemsOf } from '../../support/fhir/validate.ts';

const userId = '01234567-89ab-4def-8123-456789abcdef';
const value: ObservedValue = {
  ...{ name: 'heart_rate', key: 'd1.20260301', start_ms: Date.UTC(2026, 2, 1), end_ms: null },
  ...{ zone_offset_minutes: 60, source: { provider: 'devicemaker', device: 'Watch 7' } },
  ...{ value: 61, raster: null, fields: null },
};

t.test('the Observation of each kind is valid, with a value and with a SampledData', (t) => {
  const problems = observedNames.flatMap((name) => {
    const one = observationOf(userId, { ...value, name });
    const raster = { period_ms: 60_000, data: '61 E 62.5' };
    const sampled = observationOf(userId, { ...value, name, end_ms: value.start_ms, value: null, raster });
    return [one, sampled].flatMap((resource) => problemsOf(resource).map((problem) => `${name} ${problem}`));
  });
  t.same(problems, []);
  t.end();
});

t.test('the validator refuses what is wrong', (t) => {
  const one = observationOf(userId, value);
  t.match(problemsOf({ ...one, valeuQuantity: {} }), [/unexpected/i]);
  t.match(problemsOf({ ...one, status: 'done' }), [/not found in value set/]);
  t.match(
    problemsOf({ ...one, category: [{ coding: [{ system: systems.category, code: 'vital-sings' }] }] }),
    [/not found in value set/],
  );
  const { status: _, ...rest } = one;
  t.match(problemsOf(rest), [/status/]);
  t.end();
});

const Sets = z.record(
  z.string(),
  z.object({
    systems: z.array(z.object({ uri: z.string(), codes: z.array(z.object({ code: z.string() })) })),
  }),
);
const codesIn = (name: string, uri: string) =>
  Sets.parse(valueSets)[`http://hl7.org/fhir/ValueSet/${name}`]?.systems.find((one) => one.uri === uri)
    ?.codes ?? [];

t.test('vital signs of HL7 have the codes of its list, and units are of UCUM', (t) => {
  const vital = codesIn('observation-vitalsignresult', systems.loinc).map(({ code }) => code);
  const ucum = new Set(codesIn('ucum-common', systems.ucum).map(({ code }) => code));
  const codes = Object.values({ ...seriesCodes, ...recordCodes });
  const ofHl7 = codes.flatMap(({ coding }) => (coding?.source === 'hl7' ? [coding.code] : []));
  t.same(
    ofHl7.filter((code) => !vital.includes(code)),
    [],
  );
  t.ok(ofHl7.length >= 10);
  // Codes in braces are annotations, which UCUM leaves open. The list lacks the decibel of a sound pressure, `B[SPL]` with its prefix.
  const units = new Set(codes.flatMap(({ unit }) => (unit === null || /^\{\w+\}$/.test(unit) ? [] : [unit])));
  t.same(
    [...units].filter((unit) => !ucum.has(unit)),
    ['dB[SPL]'],
  );
  t.end();
});

t.test('no two kinds of values share a code, except the steps of a time and of a workout', (t) => {
  const codes = observedNames.flatMap((name) => codeOf(name).coding?.code ?? []);
  t.same(
    codes.filter((code, index) => codes.indexOf(code) !== index),
    ['55423-8'],
  );
  t.equal(Object.keys(seriesCodes).length, seriesTypes.length);
  t.end();
});

t.test('LOINC numbers have the right check digit', (t) => {
  const numbers = Object.values({ ...seriesCodes, ...recordCodes }).flatMap(({ coding }) =>
    coding?.system === systems.loinc ? [coding.code] : [],
  );
  t.same(
    numbers.filter((number) => !isChecked(number)),
    [],
  );
  t.ok(numbers.length > 40);
  t.notOk(isChecked('8867-5'));
  t.end();
});

// Modulus 10 by Luhn, as LOINC documents it.
function isChecked(number: string): boolean {
  const [digits = '', check] = number.split('-');
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const own = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (own > 9 ? own - 9 : own);
  }, 0);
  return String((10 - (sum % 10)) % 10) === check;
}

t.test('ids name the user, and are read back', (t) => {
  const ids = [userId, '00000000-0000-4000-8000-000000000000', 'ffffffff-ffff-4fff-bfff-ffffffffffff'];
  for (const id of ids) {
    t.equal(longId(shortId(id)), id);
    t.same(readResourceId(resourceId(id, 'v12.1767225600000000')), {
      userId: id,
      key: 'v12.1767225600000000',
    });
    t.match(resourceId(id, `w.${shortId(id)}.12`), /^[A-Za-z0-9.-]{1,64}$/);
  }
  for (const wrong of ['', 'x', 'z'.repeat(25), `${shortId(userId)}_d1`, userId])
    t.equal(readResourceId(wrong), null);
  t.end();
});

t.test('times have the offset of the local clock', (t) => {
  t.equal(localTime(Date.UTC(2026, 2, 1, 0, 30, 0, 250), -90), '2026-02-28T23:00:00.250-01:30');
  t.equal(localTime(Date.UTC(2026, 2, 1), null), '2026-03-01T00:00:00Z');
  t.end();
});
