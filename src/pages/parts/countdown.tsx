import { useState } from 'hono/jsx/dom';
import { api } from './api.ts';
import { timeLeft } from './time-left.ts';
import { useEffect } from './use-effect.ts';

const TICK_MS = 500;

export interface CountdownProps {
  /** The end of the lease by the service's clock. */
  expiresAt: string;
  /**
   * Called when the countdown reaches zero. Only the service knows whether the lease has really
   * ended.
   */
  onEnd(): void;
}

/** Shows the remaining time of a lease. */
export function Countdown({ expiresAt, onEnd }: CountdownProps) {
  const left = () => Date.parse(expiresAt) - api.now();
  const [milliseconds, setMilliseconds] = useState(left());
  const hasEnded = milliseconds <= 0;
  useEffect(() => {
    setMilliseconds(left());
    const timer = setInterval(() => setMilliseconds(left()), TICK_MS);
    return () => clearInterval(timer);
  }, [expiresAt]);
  useEffect(() => {
    if (hasEnded) onEnd();
  }, [hasEnded]);
  return (
    <span class="countdown">
      {hasEnded ? ', the lease is over' : ', ends in '}
      {!hasEnded && <time dateTime={expiresAt}>{timeLeft(milliseconds)}</time>}
    </span>
  );
}
