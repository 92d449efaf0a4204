/** The parts of a browser that tell about its network. Other programs do not have these parts. */
interface Browser {
  navigator?: { onLine?: boolean };
  addEventListener?(name: string, listener: () => void, options: { signal: AbortSignal }): void;
}

/**
 * Returns whether this program is a browser without a network. Such a browser can still reach a
 * service on its own machine. So only a failed request shows that the service is out of reach.
 */
export const isOffline = (): boolean => (globalThis as Browser).navigator?.onLine === false;

/**
 * Calls the listener whenever the browser loses or finds its network, until the signal is aborted.
 */
export function onNetworkChange(listener: () => void, signal: AbortSignal) {
  for (const name of ['offline', 'online'])
    (globalThis as Browser).addEventListener?.(name, listener, { signal });
}
