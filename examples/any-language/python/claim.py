import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

import psycopg

FREE = """SELECT capacity - (SELECT count(*) FROM job_claims WHERE job_id = jobs.id) AS free
    FROM jobs WHERE id = %s"""
INSERT = "INSERT INTO job_claims (job_id, recruiter_id) VALUES (%s, %s)"


def claim(job, recruiter):
    with psycopg.connect(os.environ["DATABASE_URL"]) as db:  # COMMIT at the end
        # THE LOCK: the next claim of this job waits here.
        db.execute("SELECT FROM jobs WHERE id = %s FOR UPDATE", [job])
        (free,) = db.execute(FREE, [job]).fetchone()
        if free <= 0:
            return 403
        db.execute(INSERT, [job, recruiter])
    return 200


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        query = parse_qs(urlsplit(self.path).query)
        self.send_response(claim(query["jobId"][0], query["recruiterId"][0]))
        self.end_headers()


HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
