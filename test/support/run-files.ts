// Runs test files in the order given, some at a time, and writes their TAP to stdout, as tap's own command does.
// That command sorts the files by name, so that a long one may begin last and run alone.
// usage: node test/support/run-files.ts JOBS FILE…
import t from 'tap';

const [jobs, ...files] = process.argv.slice(2);
const timeoutMs = 300_000;

t.jobs = Number(jobs);
t.setTimeout(0);
// tap writes the files' TAP in the order given. Who waits behind a long file sees on stderr that others end.
t.on('subtestEnd', ({ name, time }) =>
  console.error(`# ended after ${Math.round(Number(time) / 1000)} s: ${name}`),
);
for (const file of files)
  void t.spawn(process.execPath, [file], {
    at: null,
    stack: '',
    name: file,
    buffered: t.jobs > 1,
    timeout: timeoutMs,
    stdio: 'inherit',
    env: { ...process.env, TAP_FAIL_SKIP: '1' },
  });
