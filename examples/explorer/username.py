import os
import sys

import psycopg

way = sys.argv[1]
with psycopg.connect(os.environ["DATABASE_URL"]) as db:  # COMMIT at the end
    if way == "look" and db.execute("SELECT FROM people WHERE name = 'ada'").fetchone() is not None:
        print("taken")
    elif way == "look":
        db.execute("INSERT INTO people VALUES ('ada')")
        print("yours")
    else:
        # The unique index decides. The second INSERT waits for the first one.
        done = db.execute("INSERT INTO people VALUES ('ada') ON CONFLICT DO NOTHING")
        print("yours" if done.rowcount == 1 else "taken")
