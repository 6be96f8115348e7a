// Package repair checks the rows of a trail and rebuilds a damaged trail's database. It knows the
// trail's tables and nothing of folders: it neither reads memories nor compares them with heads.
//
// # What a repair does
//
// [Database] reads a damaged database row by row, writes a new one and keeps the damaged one beside
// it. All rows that can be read stay, and lost ones are written again from the log (package journal). A row that the log lost,
// too, leaves a mark when other rows refer to it or when its number leaves a gap:
//
//	change   of kind lost, by damage; keeps what its versions know
//	version  redacted by damage
//	content  known to be lost
//	store, memory, session, actor   a row with a generated name or id
//
// When records of the log are lost or damaged, its hashes begin anew, and Losses says so. A lost read, attachment, attribution, look or piece of evidence leaves no mark. [Losses] lists the
// marks, and [Problems] accepts them.
//
// The numbers and times of a store's changes and versions increase with the row ids, because each row was written after the
// one before it. So lost changes get numbers and times between their neighbours'. The caller rebuilds the heads of the
// stores afterwards.
//
// # Errors and concurrency
//
// Damage is not an error here but the subject: errors are those of the disk, of the context, and
// versions.ErrTrailFormat for a database that a newer memend wrote. No other process may use the home during
// Database. Problems and Losses change nothing. Times are in microseconds since 1970.
package repair

import (
	"context"
	"time"

	"github.com/memend/memend/versions/db"
)

// Done is what a repair of a database found and did. The zero Done found nothing.
type Done struct {
	Rebuilt  bool   // the database was damaged and was rebuilt from everything that could be read
	Lost     bool   // the database was missing or unreadable: the trail starts empty
	Aside    string // the file that keeps the damaged database; empty when the database was not replaced
	Changes  int    // lost changes, which the history marks
	Versions int    // lost versions, which the history marks
}

// Database makes sure that the whole database can be read. A store whose row is lost gets a folder
// within folders; the user has to name the real one. progress is told how much of the log is replayed.
func Database(ctx context.Context, config db.Config, folders string, progress func(done, total int)) (done Done, err error) {
	work := db.Repair{Config: config, Invariants: invariants, Rebuild: func(x *db.Tx, old *db.Salvage) error {
		m := &rebuild{Tx: x, config: config, folders: folders, now: time.Now().UnixMicro(), done: &done, progress: progress}
		if err := m.write(old); err != nil {
			return err
		}
		var stores int
		err := x.Row(`SELECT count(*) FROM store`).Scan(&stores)
		done.Rebuilt, done.Lost = stores > 0, stores == 0
		return err
	}}
	replaced, err := work.Run(ctx)
	done.Lost, done.Aside = done.Lost || replaced.Empty, replaced.Aside
	return done, err
}

// invariants are the queries that find nothing in a trail that is valid.
var invariants = []string{
	`SELECT 'a change lacks versions' FROM change c WHERE versions<>(SELECT count(*) FROM version WHERE change=c.id) LIMIT 1`,
	`SELECT 'a memory has no version' FROM memory m WHERE NOT EXISTS(SELECT 1 FROM version WHERE memory=m.id) LIMIT 1`,
	`SELECT 'a version has no path' FROM version WHERE path IS NULL AND redacted IS NULL LIMIT 1`,
	`SELECT 'a redacted version still tells something' FROM version WHERE redacted IS NOT NULL AND (path IS NOT NULL OR origin IS NOT NULL OR blob IS NOT NULL) LIMIT 1`,
	`SELECT 'a version has no content' FROM version WHERE redacted IS NULL AND (blob IS NULL)<>(op='deleted') LIMIT 1`,
}

// PackedHead is the SQL expression for the column packed of the table head, which has what a listing shows as one value:
// a number is followed by a space, and a text, an id or a hash by itself after its length.
const PackedHead = `CAST(concat(number,' ',actor,' ',ts,' ',bytes,' ',binary,' ',hidden,' ',mtime,' ',
	octet_length(path),' ',path,length(muid),' ',muid,length(vuid),' ',vuid,length(sha),' ',sha) AS BLOB)`

// notInferable is the SQL condition that an attribution w of a change c can't be.
const notInferable = `c.kind<>'adopt' OR c.session IS NOT NULL OR (SELECT kind FROM actor WHERE id=c.actor) IS NOT 'outside'
	OR (SELECT kind FROM actor WHERE id=w.actor) NOT IN ('agent','outside')`
