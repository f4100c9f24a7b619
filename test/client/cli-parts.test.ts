import t from 'tap';
import { jsonLine, printable, processOutput } from '../../clients/typescript/src/cli/output.ts';
import { type Point, sparkline } from '../../clients/typescript/src/cli/sparkline.ts';

const escapeCharacter = String.fromCharCode(27);
const point = (time: number, value: number, lengthMs = 10): Point => ({ time, lengthMs, value, count: 1 });

t.test('a sparkline fills the columns of a bucket, and leaves out those without one', (t) => {
  t.equal(sparkline([point(0, 1), point(20, 3)], [0, 40], 4, false), '▁ █');
  t.equal(sparkline([point(0, 1, 20), point(20, 3, 20)], [0, 40], 4, false), '▁▁██');
  t.equal(sparkline([point(0, 5, 0), point(39, 5, 0)], [0, 40], 4, false), '▄  ▄');
  t.equal(sparkline([point(0, 0), point(10, 5), point(20, 10)], [0, 30], 3, true), '▁▅█');
  t.equal(sparkline([], [0, 30], 3, false), '');
  t.end();
});

t.test('control characters of data do not reach a terminal', (t) => {
  t.equal(printable(`a${escapeCharacter}[31mb\n\u202Ec`), 'a\uFFFD[31mb\uFFFD\uFFFDc');
  const value = { name: `a${escapeCharacter}\u009B\u202E${String.fromCodePoint(0xe0001)}` };
  const line = jsonLine(value);
  t.match(line, /^[\x20-\x7e]+$/);
  t.same(JSON.parse(line), value);
  t.end();
});

t.test('colours are used on a terminal without NO_COLOR only', (t) => {
  const red = `${escapeCharacter}[31mx${escapeCharacter}[0m`;
  const before = process.stdout.isTTY;
  t.teardown(() => {
    process.stdout.isTTY = before;
  });
  process.stdout.isTTY = true;
  t.equal(processOutput({}).colour('red', 'x'), red);
  t.equal(processOutput({ NO_COLOR: '1' }).colour('red', 'x'), 'x');
  t.equal(processOutput({ TERM: 'dumb' }).colour('red', 'x'), 'x');
  process.stdout.isTTY = false;
  t.equal(processOutput({}).colour('red', 'x'), 'x');
  t.end();
});
