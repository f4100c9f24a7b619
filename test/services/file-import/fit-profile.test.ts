import { readFileSync } from 'node:fs';
import t from 'tap';
import {
  fieldsOfGroup,
  fitMessageNames,
  fitMessageTypes,
  marks,
} from '../../../providers/file/fit-profile.ts';

t.test('docs/files.md names each group of fields that is not kept', async (t) => {
  const text = readFileSync(new URL('../../../docs/files.md', import.meta.url), 'utf8');
  const lines = text.slice(text.indexOf('| message | not kept |')).split('\n');
  const missing = fitMessageNames.flatMap((name) => {
    const line = lines.find((one) => one.startsWith(`| \`${name}\` |`)) ?? '';
    const groups = Object.keys(fitMessageTypes[name].left).filter((group) => group !== marks);
    return groups.filter((group) => !line.includes(group)).map((group) => `${name}: ${group}`);
  });
  t.same(missing, []);
});

t.test('a number of a field has one name', async (t) => {
  const twice = fitMessageNames.flatMap((name) => {
    const { fields, left } = fitMessageTypes[name];
    const numbers = [
      ...Object.values(fields).map(({ number }) => number),
      ...Object.values(left).flatMap((group) => fieldsOfGroup(group).map(([number]) => number)),
    ];
    return numbers.length === new Set(numbers).size ? [] : [name];
  });
  t.same(twice, []);
});
