package clitest

import (
	"database/sql"
	"errors"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite" // the driver
)

// SQL runs statements on a database, to make states that memend never makes: sql FILE
// STATEMENTS.
func SQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sql file statements")
	}
	db, err := sql.Open("sqlite", "file:"+ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = db.Exec(args[1])
	ts.Check(errors.Join(err, db.Close()))
}
