/** Returns a signal that is aborted as soon as the signal or the controller is aborted. */
export const eitherSignal = (signal: AbortSignal, { signal: other }: AbortController) =>
  AbortSignal.any([signal, other]);
