import { Stage } from '../../../explorer/stage.ts';
import { Recorder, type Slice } from '../recorder.ts';
import { openTrack, type Track } from '../track.ts';
import type { Recorded } from './round.ts';

interface RecordedTrack extends Recorded {
  track: Track;
}

/**
 * A stage whose track stays open for the next race. New connections take 200 ms to open, and their
 * first statements are slow. A race of twenty rounds takes less than 200 ms.
 */
export class RaceStage extends Stage {
  #opened: Promise<RecordedTrack> | undefined;

  /** Returns the track, with its connections open. */
  track(): Promise<Recorded> {
    this.#opened ??= openRecorded(this.url);
    return this.#opened;
  }

  /** Closes the track's connections. A race with crashes opens many other connections. */
  async closeTrack() {
    const opened = this.#opened;
    this.#opened = undefined;
    const recorded = await opened?.catch(() => undefined);
    await recorded?.track.close();
  }

  override async close() {
    await this.closeTrack();
    await super.close();
  }
}

async function openRecorded(url: string): Promise<RecordedTrack> {
  const slices: Slice[] = [];
  const recorder = new Recorder((slice) => slices.push(slice));
  const track = await openTrack(url, recorder.open);
  return { track, db: track.db, recorder, slices };
}
