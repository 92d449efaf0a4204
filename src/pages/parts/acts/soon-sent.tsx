import { useState } from 'hono/jsx/dom';
import { useEffect } from '../use-effect.ts';
import type { Delayed } from './use-undo.ts';

const TICK_MS = 250;

/** Shows how many seconds are left until a delayed request is sent. */
export function SoonSent({ words, sendsAt }: Pick<Delayed, 'sendsAt'> & { words: string }) {
  const left = () => Math.max(0, Math.ceil((sendsAt - Date.now()) / 1_000));
  const [seconds, setSeconds] = useState(left());
  useEffect(() => {
    const timer = setInterval(() => setSeconds(left()), TICK_MS);
    return () => clearInterval(timer);
  }, [sendsAt]);
  return (
    <span class="soon-sent">
      {words} in {seconds} s
    </span>
  );
}
