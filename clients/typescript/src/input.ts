type Part<Data, Name extends string> = Data extends { [key in Name]?: infer Value }
  ? NonNullable<Value> extends never
    ? unknown
    : NonNullable<Value>
  : unknown;

/** The parameters of an operation in one object: those of the path, the query, the headers and the body. */
export type Input<Data> = Part<Data, 'path'> &
  Part<Data, 'query'> &
  Part<Data, 'headers'> &
  Part<Data, 'body'>;
