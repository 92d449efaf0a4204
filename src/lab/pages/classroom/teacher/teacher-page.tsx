import { useRef, useState } from 'hono/jsx/dom';
import { useEffect } from '../../../../pages/parts/use-effect.ts';
import { followRoom, readClassroom, type ToldClassroom, type ToldRoom, takeSecret } from './api.ts';
import { BigScreen } from './big-screen.tsx';
import { Room } from './room.tsx';
import { HOME, useView } from './view.ts';

const EMPTY: ToldRoom = {
  ...{ students: [], predictions: {}, secondVotes: {}, seen: {}, wrongAnswers: {} },
  pace: { lesson: null, mayLookAhead: true, isHeld: false, votesAgain: false },
};

/** Shows the room to the teacher, either at the desk or on the big screen. */
export function TeacherPage() {
  // Each time the form is sent, the secret is in a new object. So even the same secret is tried
  // again.
  const [given, setGiven] = useState(() => ({ secret: takeSecret() }));
  const { secret } = given;
  const [classroom, setClassroom] = useState<ToldClassroom | undefined>(undefined);
  const [room, setRoom] = useState(EMPTY);
  const [isLive, setLive] = useState(false);
  const [trouble, setTrouble] = useState('');
  const [view, go] = useView();
  useEffect(() => {
    if (!secret) return;
    setTrouble('');
    const leaving = new AbortController();
    const begin = async () => {
      setClassroom(await readClassroom(secret));
      await followRoom(secret, leaving.signal, {
        onRoom(told) {
          setRoom(told);
          setLive(true);
        },
        onLost: () => setLive(false),
      });
    };
    begin().catch((error: Error) => setTrouble(error.message));
    return () => leaving.abort();
  }, [given]);
  if (!classroom)
    return <SecretForm trouble={trouble} onSecret={(text) => setGiven({ secret: text })} />;
  const shown = { classroom, room, view, go, secret };
  if (view.screen) return <BigScreen {...shown} onClose={() => go({ screen: HOME.screen })} />;
  return <Room {...shown} isLive={isLive} />;
}

interface SecretFormProps {
  trouble: string;
  onSecret(secret: string): void;
}

function SecretForm({ trouble, onSecret }: SecretFormProps) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <form
      class="token-form"
      onSubmit={(event: Event) => {
        event.preventDefault();
        onSecret(field.current?.value.trim().split('#').at(-1) ?? '');
      }}
    >
      <h1>The teacher’s page</h1>
      <p>
        The terminal has printed the address of this page, with a secret after the #. Open that
        address, or paste it here.
      </p>
      <label for="secret">Address or secret</label>
      <input ref={field} id="secret" type="password" autocomplete="off" required />
      <button type="submit" class="primary">
        Open
      </button>
      <p role="alert" class="trouble">
        {trouble}
      </p>
    </form>
  );
}
