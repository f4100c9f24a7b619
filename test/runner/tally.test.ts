import { join } from 'node:path';
import { Readable } from 'node:stream';
import t from 'tap';
import { Tally } from './tally.ts';
import { TestProcesses } from './test-processes.ts';

const root = join(import.meta.dirname, '../..');
const folder = 'test/fixtures/runs';

/** Runs files of the fixtures in one process, as `npm test` does. */
function run(names: readonly string[], missing: readonly string[] = [], lost: readonly string[] = []) {
  return runGroups([names], missing, lost);
}

/** Runs groups of such files, which share one process after another. */
async function runGroups(
  names: readonly (readonly string[])[],
  missing: readonly string[] = [],
  lost: readonly string[] = [],
  busyMs = 0,
) {
  const groups = names.map((group) => group.map((name) => `${folder}/${name}.ts`));
  const tally = new Tally({ files: [...groups.flat(), ...missing], lost });
  const printed: string[] = [];
  const print = (text: string) => {
    printed.push(text);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyMs);
  };
  const code = await new TestProcesses(tally, { root, env: process.env, print }).run(groups, 1);
  return { printed, code, count: tally.count(code), problems: tally.problems() };
}

t.test('counts assertions, not the subtests around them', async (t) => {
  const { printed, count, code } = await run(['passes']);
  t.same(printed, [`ok - ${folder}/passes.ts: 3 passed, 0 failed`]);
  t.same({ ...count, code }, { passed: 3, failed: 0, code: 0 });
});

t.test('a subtest without an assertion fails, tap itself passes it', async (t) => {
  const { printed, count, code } = await run(['asserts-nothing']);
  t.same(printed[0]?.split('\n'), [
    `not ok - ${folder}/asserts-nothing.ts: 1 passed, 2 failed`,
    'not ok - asserts nothing: loops over nothing',
    'not ok - asserts nothing: is empty',
  ]);
  t.same({ ...count, code }, { passed: 1, failed: 2, code: 0 });
});

t.test('a subtest marked only fails', async (t) => {
  const { printed, count } = await run(['marked-only']);
  t.match(printed[0], /marked only: marked/);
  t.same(count, { passed: 1, failed: 1 });
});

t.test('a skipped subtest fails', async (t) => {
  const { printed, count } = await run(['skipped']);
  t.match(printed[0], /not ok - .*skipped\.ts: 1 passed, [12] failed/);
  t.ok(count.failed > 0);
});

t.test('a file has 300 s, unless it says otherwise', async (t) => {
  const { count } = await run(['time-out']);
  t.same(count, { passed: 1, failed: 0 });
});

t.test('a file without a test fails', async (t) => {
  const { printed, count } = await run(['no-test']);
  t.match(printed[0], /not ok - .*no-test\.ts: 0 passed, 1 failed\nnot ok - asserts nothing: .*no-test\.ts/);
  t.same(count, { passed: 0, failed: 1 });
});

t.test('a file whose process is killed fails, and the files beside it are reported', async (t) => {
  const { printed, count } = await run(['killed', 'passes', 'thrown']);
  t.equal(printed.length, 3);
  t.match(
    printed.find((line) => line.includes('killed.ts')),
    /not ok - .*killed\.ts: 1 passed, 1 failed\n.*[\s\S]*signal: SIGKILL/,
  );
  t.equal(count.passed, 4);
  t.ok(count.failed >= 3);
});

t.test('a process runs one group after another', async (t) => {
  const { count, code, problems } = await runGroups([['leaves-mark'], ['thrown'], ['finds-mark']]);
  t.same(problems, []);
  t.same({ passed: count.passed, code }, { passed: 2, code: 1 });
});

t.test('a process goes on, however late the next file is named', async (t) => {
  const { count, code, problems } = await runGroups([['tears-down', 'passes', 'leaves-mark']], [], [], 200);
  t.same(problems, []);
  t.same({ ...count, code }, { passed: 5, failed: 0, code: 0 });
});

t.test('groups after one whose process is killed run in another process', async (t) => {
  const { count, problems, printed } = await runGroups([['killed'], ['passes'], ['thrown']]);
  t.same(problems, []);
  t.equal(printed.length, 3);
  t.equal(count.passed, 4);
});

t.test('what a failure quotes is not counted', async (t) => {
  const { count } = await run(['thrown']);
  t.same(count, { passed: 0, failed: 2 });
});

t.test('an error that nothing catches is a failure of the test that runs', async (t) => {
  const { printed, count } = await run(['thrown-later', 'passes']);
  t.match(printed[0], /not ok 1 - thrown in a timer[\s\S]*not ok 1 - rejected/);
  t.same(count, { passed: 4, failed: 2 });
});

t.test('assertions that nothing calls fail, and so do those after the end of their test', async (t) => {
  const { printed, count, code } = await run(['never-called', 'passes', 'asserts-late']);
  const problems = printed.flatMap((text) =>
    text.split('\n').filter((line) => line.includes('never called')),
  );
  t.same(problems, [
    `not ok - ${folder}/never-called.ts:8: assertions that are never called`,
    `not ok - ${folder}/asserts-late.ts:5: assertions that are never called`,
  ]);
  t.same({ ...count, code }, { passed: 5, failed: 2, code: 1 });
});

t.test('what a test prints is no result', async (t) => {
  const { count, code } = await run(['prints']);
  t.same({ ...count, code }, { passed: 1, failed: 0, code: 0 });
});

t.test('a file that was expected and has no result fails', async (t) => {
  const { count, problems } = await run(['passes'], ['test/lost.test.ts']);
  t.same(problems, ['not ok - test/lost.test.ts has no result']);
  t.same(count, { passed: 3, failed: 1 });
});

t.test('a file that the run should have and has not fails', async (t) => {
  const { count, problems } = await run(['passes'], [], ['test/lost.tests.ts']);
  t.same(problems, ['not ok - test/lost.tests.ts is no file of this run']);
  t.same(count, { passed: 3, failed: 1 });
});

t.test('a run that ends in the middle of a file counts that file as failed', async (t) => {
  const tally = new Tally({ files: ['test/a.test.ts', 'test/b.test.ts'], lost: [] });
  const tap = ['# Subtest: test/a.test.ts', '    ok 1 - one', '    1..1', 'ok 1 - test/a.test.ts # time=1ms'];
  const cut = ['', '# Subtest: test/b.test.ts', '    ok 1 - one'];
  await tally.readAll(Readable.from([[...tap, ...cut].join('\n')]), () => {});
  t.same(tally.count(0), { passed: 1, failed: 1 });
});

t.test('a failure of tap itself counts where no file failed', async (t) => {
  const tally = new Tally({ files: [], lost: [] });
  await tally.readAll(Readable.from(['TAP version 14\n']), () => {});
  t.same(tally.count(1), { passed: 0, failed: 1 });
});
