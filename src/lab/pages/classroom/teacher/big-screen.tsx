import { useRef } from 'hono/jsx/dom';
import { useEffect } from '../../../../pages/parts/use-effect.ts';
import { LessonChoice } from './lesson-choice.tsx';
import { Qr } from './qr.tsx';
import { type ShownProps, screenNames } from './room.tsx';
import { screens } from './view.ts';
import { Votes } from './votes.tsx';
import { BigWrongAnswer } from './wrong-answers.tsx';

interface BigScreenProps extends ShownProps {
  onClose(): void;
}

/**
 * Shows one thing at a time on a projector, as large as the screen allows. Shows no names of
 * students.
 */
export function BigScreen({ classroom, room, view, go, secret, onClose }: BigScreenProps) {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const press = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') close.current?.();
    };
    document.documentElement.classList.add('big');
    addEventListener('keydown', press);
    return () => {
      document.documentElement.classList.remove('big');
      removeEventListener('keydown', press);
    };
  }, []);
  const lesson = classroom.lessons.find(({ number }) => number === view.lesson);
  return (
    <div class="big-screen">
      <div class="big-bar">
        {screens.map((screen) => (
          <button
            key={screen}
            type="button"
            aria-pressed={screen === view.screen ? 'true' : 'false'}
            onClick={() => go({ screen })}
          >
            {screenNames[screen]}
          </button>
        ))}
        {view.screen !== 'join' && <LessonChoice lessons={classroom.lessons} view={view} go={go} />}
        {view.screen === 'votes' && (
          <button type="button" onClick={() => go({ isAnswered: !view.isAnswered })}>
            {view.isAnswered ? 'Hide the answer' : 'Show the answer'}
          </button>
        )}
        <button type="button" class="leave" onClick={onClose}>
          Back to the desk
        </button>
      </div>
      {view.screen === 'join' && (
        <div class="big-join">
          <Qr dark={classroom.qr} label="The address and the code, to scan" />
          <div>
            <h1>Join the room</h1>
            <p class="big-url">{classroom.url.replace('http://', '')}</p>
            <p class="big-code">{classroom.code}</p>
            <p class="big-count">
              {room.students.length} {room.students.length === 1 ? 'is' : 'are'} here
            </p>
          </div>
        </div>
      )}
      {view.screen === 'votes' && lesson && (
        <>
          <h1>
            {lesson.number}. {lesson.title}
          </h1>
          <Votes lesson={lesson} room={room} isAnswered={view.isAnswered} />
        </>
      )}
      {view.screen === 'wrong' && lesson && (
        <BigWrongAnswer lesson={lesson} room={room} secret={secret} wrong={view.wrong} />
      )}
      {view.screen === 'code' && lesson && <CodeFile key={lesson.number} {...lesson} />}
    </div>
  );
}

/**
 * Shows the code as large as the screen allows. The style sheet needs the number of columns and
 * lines.
 */
function CodeFile({ title, code }: { title: string; code: string }) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    const lines = code.split('\n');
    const columns = Math.max(...lines.map(({ length }) => length));
    section.current?.style.setProperty('--columns', String(columns));
    section.current?.style.setProperty('--lines', String(lines.length));
  }, [code]);
  return (
    // The keyboard must reach everything that scrolls.
    <section ref={section} class="big-code-file" tabindex={0} aria-label={`The code of ${title}`}>
      <pre>
        <code>{code}</code>
      </pre>
    </section>
  );
}
