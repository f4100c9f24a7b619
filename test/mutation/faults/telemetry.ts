import type { PlantedFault } from '../planted.ts';

export const telemetry: readonly PlantedFault[] = [
  {
    kind: 'secret',
    promise: 'A client cannot have its request sampled, nor join a trace.',
    file: 'runtime/telemetry/tracing.ts',
    before: 'extracted(ctx.headers) : contextOf(parent)',
    after: 'extracted({ traceparent, ...ctx.headers }) : contextOf(parent)',
    test: 'test/http/tracing.test.ts',
  },
  {
    kind: 'value',
    promise: 'The span of a failed action has the code of its error.',
    file: 'runtime/telemetry/tracing.ts',
    before: 'endSpan(span, codeOf(error));',
    after: 'endSpan(span);',
    test: 'test/http/tracing.test.ts',
  },
  {
    kind: 'order',
    promise: 'A span behind the bus is the child of its caller.',
    file: 'runtime/telemetry/tracing.ts',
    before: 'if (given.kind === SpanKind.CLIENT)',
    after: 'if (given.kind === SpanKind.SERVER)',
    test: 'test/http/tracing.test.ts',
  },
  {
    kind: 'leak',
    promise: 'A gauge that is not set any more is omitted.',
    file: 'runtime/telemetry/sdk-metrics.ts',
    before: '? AggregationTemporality.DELTA',
    after: '? AggregationTemporality.CUMULATIVE',
    test: 'test/http/metrics.test.ts',
  },
  {
    kind: 'leak',
    promise: 'A collector that is away is one warning a minute.',
    file: 'runtime/telemetry/otlp.ts',
    before: 'performance.now() - warnedMs >= warnEveryMs',
    after: 'warnEveryMs > 0',
    test: 'test/http/tracing.test.ts',
  },
  {
    kind: 'end',
    promise: 'A process sends its last spans and metrics when it stops.',
    file: 'runtime/telemetry/telemetry.ts',
    before: 'await Promise.allSettled([metricsOf(broker).stop(), tracing?.stop()]);',
    after: '',
    test: 'test/http/tracing.test.ts',
  },
];
