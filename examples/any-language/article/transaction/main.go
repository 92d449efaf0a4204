// The second handler: count, then insert, in one transaction.
package main

import (
	"database/sql"
	"net/http"
	"os"

	_ "github.com/lib/pq"
)

func main() {
	db, err := sql.Open("postgres", os.Getenv("DATABASE_URL"))
	if err != nil {
		panic(err)
	}
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
	var claims int
	row := tx.QueryRow("SELECT count(*) FROM job_claims WHERE job_id = $1", job)
	if err := row.Scan(&claims); err != nil {
		return 0, err
	}
	if claims >= 4 {
		return 403, nil
	}
	_, err = tx.Exec("INSERT INTO job_claims (job_id, recruiter) VALUES ($1, $2)", job, recruiter)
	if err != nil {
		return 0, err
	}
	return 200, tx.Commit()
}
