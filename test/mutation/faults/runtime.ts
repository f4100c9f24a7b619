import type { PlantedFault } from '../planted.ts';

export const runtime: readonly PlantedFault[] = [
  {
    kind: 'retry',
    promise: 'A store within a process is not repeated while its work waits.',
    file: 'runtime/implement.ts',
    before: 'ctx.options = { ...ctx.options, timeout: definition.localTimeoutMs };',
    after: 'ctx.options = { ...ctx.options };',
    test: 'test/runtime/implement.test.ts',
  },
  {
    kind: 'leak',
    promise: 'Memory is freed while a process is idle, not while it answers.',
    file: 'runtime/idle-memory.ts',
    before: 'if (share > idleShare || ',
    after: 'if (',
    test: 'test/runtime/idle-memory.test.ts',
  },
  {
    kind: 'secret',
    promise: 'The action that runs is the one that the bus permitted.',
    file: 'runtime/bus/transporter.ts',
    before: "if (Reflect.get(packet.payload, 'action') !== actionOfSubject(subject))",
    after: "if (Reflect.get(packet.payload, 'action') === '')",
    test: 'test/runtime/bus/transporter.test.ts',
  },
  {
    kind: 'secret',
    promise: 'A request that claims to come from the process itself does not run.',
    file: 'runtime/bus/transporter.ts',
    before: "if (cmd === 'REQ' && Reflect.get(packet.payload, 'sender') === this.nodeID)",
    after: "if (cmd === 'RES' && Reflect.get(packet.payload, 'sender') === this.nodeID)",
    test: 'test/runtime/bus/transporter.test.ts',
  },
  {
    kind: 'tenant',
    promise: 'A service receives requests for itself only.',
    file: 'runtime/bus/permissions.ts',
    before: '...services.map((service) =>',
    after: '...serviceRoles.map((service) =>',
    test: 'test/stack/nats-permissions.test.ts',
  },
  {
    kind: 'leak',
    promise: 'A request removes its listener from the signal of its caller.',
    file: 'runtime/http/guarded-request.ts',
    before: `    signal.removeEventListener('abort', stopped);
`,
    after: '',
    test: 'test/runtime/guarded-fetch.test.ts',
  },
  {
    kind: 'secret',
    promise: 'A redirect of a provider is not followed.',
    file: 'runtime/http/guarded-fetch.ts',
    before: 'statusCode >= 300 && statusCode < 400',
    after: 'statusCode > 300 && statusCode < 303',
    test: 'test/runtime/guarded-fetch.test.ts',
  },
  {
    kind: 'leak',
    promise: 'The bytes of a fetch that fails are free again.',
    file: 'runtime/http/guarded-fetch.ts',
    before: `  } catch (error) {
    release();
`,
    after: `  } catch (error) {
`,
    test: 'test/runtime/guarded-fetch.test.ts',
  },
  {
    kind: 'secret',
    promise: 'A name with an address that is not public is refused, whatever its first address.',
    file: 'runtime/http/guarded-request.ts',
    before: '!addresses.every(({ address }) => isPublicAddress(address))',
    after: '!isPublicAddress(first.address)',
    test: 'test/runtime/guarded-fetch.test.ts',
  },
  {
    kind: 'retry',
    promise: 'The first wait after a failure is at most two seconds.',
    file: 'runtime/jobs/backoff.ts',
    before: '2 ** (attempt - 1)',
    after: '2 ** attempt',
    test: 'test/runtime/backoff.test.ts',
  },
  {
    kind: 'time',
    promise: 'A pause of the machine does not count as time.',
    file: 'runtime/awake-timeout.ts',
    before: 'Math.min(tickMs, longestTickMs)',
    after: 'Math.max(tickMs, longestTickMs)',
    test: 'test/runtime/awake-timeout.test.ts',
  },
  {
    kind: 'end',
    promise: 'Work that fails leaves the semaphore.',
    file: 'runtime/jobs/semaphore.ts',
    before: `      try {
        return await work();
      } finally {
        leave(weight);
      }`,
    after: `      const result = await work();
      leave(weight);
      return result;`,
    test: 'test/runtime/semaphore.test.ts',
  },
  {
    kind: 'quota',
    promise: 'Large bodies wait for each other.',
    file: 'runtime/jobs/semaphore.ts',
    before: '(running > 0 && held + first.weight > bytes)',
    after: '(running > 0 && first.weight > bytes)',
    test: 'test/runtime/semaphore.test.ts',
  },
  {
    kind: 'end',
    promise: 'A task that is stopped does not run again.',
    file: 'runtime/jobs/periodic-task.ts',
    before: 'if (!stopped) timer = setTimeout(begin, everyMs);',
    after: 'timer = setTimeout(begin, everyMs);',
    test: 'test/runtime/periodic-task.test.ts',
  },
  {
    kind: 'retry',
    promise: 'A task runs again after a failure.',
    file: 'runtime/jobs/periodic-task.ts',
    before: `      .catch((error: unknown) => logger.warn('periodic_task.failed', { name, code: loggedCodeOf(error) }))
      .then(() => {
        if (!stopped) timer = setTimeout(begin, everyMs);
      });`,
    after: `      .then(() => {
        if (!stopped) timer = setTimeout(begin, everyMs);
      })
      .catch((error: unknown) => logger.warn('periodic_task.failed', { name, code: loggedCodeOf(error) }));`,
    test: 'test/runtime/periodic-task.test.ts',
  },
  {
    kind: 'leak',
    promise: 'The lease of a job that has ended is not extended.',
    file: 'runtime/jobs/job-worker.ts',
    before: `    clearInterval(heartbeat);
`,
    after: '',
    test: 'test/runtime/job-worker.test.ts',
  },
  {
    kind: 'end',
    promise: 'A job that lost its lease is told to stop.',
    file: 'runtime/jobs/job-worker.ts',
    before: `    if (!isHeld) lost.abort();
`,
    after: '',
    test: 'test/mixins/jobs.test.ts',
  },
  {
    kind: 'secret',
    promise: 'A log has no message of the database, which may quote a row.',
    file: 'runtime/failure.ts',
    before: 'const said = isDatabase ? undefined : message;',
    after: 'const said = message;',
    test: 'test/runtime/failure.test.ts',
  },
  {
    kind: 'retry',
    promise: 'Only idempotent actions are repeated by the bus.',
    file: 'runtime/environment.ts',
    before: 'definition?.idempotent ? 2 : 0',
    after: 'definition?.idempotent ? 0 : 2',
    test: 'test/runtime/drain.test.ts',
  },
  {
    kind: 'leak',
    promise: 'A collector that has ended is not called.',
    file: 'runtime/telemetry/sdk-metrics.ts',
    before: 'return () => collectors.delete(collect);',
    after: 'return () => collectors.has(collect);',
    test: 'test/runtime/metrics.test.ts',
  },
  {
    kind: 'end',
    promise: 'A process drains once.',
    file: 'runtime/drain.ts',
    before: '    stopped ??= Promise.all',
    after: '    stopped = Promise.all',
    test: 'test/runtime/drain.test.ts',
  },
];
