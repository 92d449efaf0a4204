package main

import (
	"database/sql"
	"net/http"
	"os"

	_ "github.com/lib/pq"
)

const FREE = `SELECT capacity - (SELECT count(*) FROM job_claims WHERE job_id = jobs.id) AS free
	FROM jobs WHERE id = $1`

func main() {
	db, err := sql.Open("postgres", os.Getenv("DATABASE_URL"))
	if err != nil {
		panic(err)
	}
	// Without a limit, a crowd opens more connections than PostgreSQL accepts.
	db.SetMaxOpenConns(20)
	db.SetMaxIdleConns(20)
	http.HandleFunc("/claim-job", func(w http.ResponseWriter, r *http.Request) {
		status, err := claim(db, r.FormValue("jobId"), r.FormValue("recruiterId"))
		if err != nil {
			http.Error(w, err.Error(), 500)
			return
		}
		w.WriteHeader(status)
	})
	panic(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}

func claim(db *sql.DB, job, recruiter string) (int, error) {
	tx, err := db.Begin()
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	// THE LOCK: the next claim of this job waits here.
	tx.Exec("SELECT FROM jobs WHERE id = $1 FOR UPDATE", job)
	var free int
	if err := tx.QueryRow(FREE, job).Scan(&free); err != nil {
		return 0, err
	}
	if free <= 0 {
		return 403, nil
	}
	_, err = tx.Exec("INSERT INTO job_claims (job_id, recruiter_id) VALUES ($1, $2)", job, recruiter)
	if err != nil {
		return 0, err
	}
	return 200, tx.Commit()
}
