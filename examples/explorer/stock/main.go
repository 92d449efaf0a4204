package main

import (
	"database/sql"
	"log"
	"net/http"
	"os"

	_ "github.com/lib/pq"
)

func main() {
	db, err := sql.Open("postgres", os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	answer := func(w http.ResponseWriter, sold bool, err error) {
		if err != nil {
			http.Error(w, err.Error(), 500)
		} else if !sold {
			http.Error(w, "sold out", 409)
		}
	}
	// Two statements: somebody may buy the last piece between them.
	http.HandleFunc("/look-first", func(w http.ResponseWriter, r *http.Request) {
		var pieces int
		err := db.QueryRow("SELECT pieces FROM stock").Scan(&pieces)
		if err == nil && pieces > 0 {
			_, err = db.Exec("UPDATE stock SET pieces = pieces - 1")
		}
		answer(w, pieces > 0, err)
	})
	// One statement: the second one waits, and then finds no piece.
	http.HandleFunc("/at-once", func(w http.ResponseWriter, r *http.Request) {
		result, err := db.Exec("UPDATE stock SET pieces = pieces - 1 WHERE pieces > 0")
		if err != nil {
			answer(w, false, err)
			return
		}
		rows, err := result.RowsAffected()
		answer(w, rows == 1, err)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
