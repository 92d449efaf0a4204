import { useState } from 'hono/jsx/dom';
import { useEffect } from '../use-effect.ts';

interface SoonSentProps {
  words: string;
  /** The time at which the request is sent, in milliseconds since 1970. */
  sendsAt: number;
}

const TICK_MS = 250;

/** Shows how many seconds are left until a delayed request is sent. */
export function SoonSent({ words, sendsAt }: SoonSentProps) {
  const left = () => Math.max(0, Math.ceil((sendsAt - Date.now()) / 1_000));
  const [seconds, setSeconds] = useState(left());
  useEffect(() => {
    const timer = setInterval(() => setSeconds(left()), TICK_MS);
    return () => clearInterval(timer);
  }, [sendsAt]);
  return (
    <span class="soon-sent">
      {words}
      {seconds > 0 ? ` in ${seconds} s` : '…'}
    </span>
  );
}
