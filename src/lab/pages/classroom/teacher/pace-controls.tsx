import { useState } from 'hono/jsx/dom';
import { type Pace, setPace, type ToldLesson } from './api.ts';

interface PaceControlsProps {
  lesson: ToldLesson;
  pace: Pace;
  secret: string;
}

const FREE: Pace = { lesson: null, mayLookAhead: true, isHeld: false, votesAgain: false };

/** Opens the lesson for all, holds back its answer, and lets the class vote a second time. */
export function PaceControls({ lesson, pace, secret }: PaceControlsProps) {
  const [trouble, setTrouble] = useState('');
  const isOpen = pace.lesson === lesson.number;
  const change = async (next: Partial<Pace>) => {
    const isTaken = await setPace(secret, next);
    setTrouble(isTaken ? '' : 'The room did not answer. Nothing changed.');
  };
  const open = { lesson: lesson.number, mayLookAhead: false, isHeld: true, votesAgain: false };
  return (
    <div class="pace-controls">
      {isOpen ? (
        <>
          <p class="open-for-all">Lesson {lesson.number} is open for all.</p>
          <Switch
            label="Students may look ahead"
            isOn={pace.mayLookAhead}
            onChange={(mayLookAhead) => change({ mayLookAhead })}
          />
          <Switch
            label="Hold back the answer"
            isOn={pace.isHeld}
            onChange={(isHeld) => change({ isHeld })}
          />
          <Switch
            label="Vote a second time"
            isOn={pace.votesAgain}
            onChange={(votesAgain) => change({ votesAgain })}
          />
          <button type="button" onClick={() => change(FREE)}>
            Let students go on alone
          </button>
        </>
      ) : (
        <>
          {pace.lesson !== null && (
            <p class="open-for-all">Lesson {pace.lesson} is open for all.</p>
          )}
          <button type="button" onClick={() => change(open)}>
            Open lesson {lesson.number} for all
          </button>
        </>
      )}
      <p role="alert" class="trouble">
        {trouble}
      </p>
    </div>
  );
}

interface SwitchProps {
  label: string;
  isOn: boolean;
  onChange(isOn: boolean): void;
}

const Switch = ({ label, isOn, onChange }: SwitchProps) => (
  <label class="switch">
    <input type="checkbox" checked={isOn} onChange={() => onChange(!isOn)} /> {label}
  </label>
);
