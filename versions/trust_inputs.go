package versions

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/policy"
)

// Inputs is a set of kinds of what a session took in from outside its memories. Only kinds are
// recorded, never contents. A session that reads a memory takes in second hand what the session that
// wrote it had taken in.
type Inputs uint16

const (
	InputWeb   Inputs = 1 << iota // pages and search results
	InputShell                    // output of commands
	InputMCP                      // results of other MCP servers
	InputFile                     // files outside the project, and files that somebody attached

	secondHand = 8 // shift of the kinds that came through a memory
)

const directInputs = InputWeb | InputShell | InputMCP | InputFile

const secondHandMark = " (second hand)"

// inputNames are the names of the kinds, in the order of their bits.
var inputNames = policy.Inputs

// parseInput returns the kind with a name; ok is false if there is none.
func parseInput(name string) (in Inputs, ok bool) {
	i := slices.Index(inputNames, name)
	if i < 0 {
		return 0, false
	}
	return 1 << i, true
}

// Direct returns the kinds that the session itself took in.
func (in Inputs) Direct() Inputs { return in & directInputs }

// SecondHand returns the kinds that it took in by reading memories.
func (in Inputs) SecondHand() Inputs { return in >> secondHand & directInputs }

// Kinds returns the names of all kinds, each once.
func (in Inputs) Kinds() (out []string) {
	all := in.Direct() | in.SecondHand()
	for i, name := range inputNames {
		if all&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return out
}

// String lists the kinds for people: "web, shell (second hand)".
func (in Inputs) String() string {
	var out []string
	for i, name := range inputNames {
		switch bit := Inputs(1 << i); {
		case in.Direct()&bit != 0:
			out = append(out, name)
		case in.SecondHand()&bit != 0:
			out = append(out, name+secondHandMark)
		}
	}
	return strings.Join(out, ", ")
}

// MarshalText encodes the kinds as String does.
func (in Inputs) MarshalText() ([]byte, error) { return []byte(in.String()), nil }

// UnmarshalText decodes what MarshalText encoded. Kinds that a newer memend names are left out.
func (in *Inputs) UnmarshalText(text []byte) error {
	*in = 0
	for kind := range strings.SplitSeq(string(text), ", ") {
		name, second := strings.CutSuffix(kind, secondHandMark)
		bit, _ := parseInput(name)
		if second {
			bit <<= secondHand
		}
		*in |= bit
	}
	return nil
}

// passedOn returns what a reader of a memory takes in, if its writer had taken in in.
func (in Inputs) passedOn() Inputs { return (in.Direct() | in.SecondHand()) << secondHand }

// NoteInputs records that a session took in something from outside at a time, or now if it is zero. It
// is known to every later mutation of the session, in every process. It writes nothing if the session
// is known to have taken in the same kinds earlier.
func (t *Trail) NoteInputs(ctx context.Context, by By, in Inputs, at time.Time) error {
	if in = in.Direct(); in == 0 || by.Session == "" {
		return nil
	}
	if err := t.mayChange(); err != nil {
		return err
	}
	if at.IsZero() {
		at = t.now()
	}
	ts := at.UnixMicro()
	known, err := t.inputsUntil(ctx, by.Session, ts)
	if err != nil || known&in == in {
		return err
	}
	unlock, err := t.db.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	tx, err := t.beginWrite(ctx, false)
	return committed(tx, err, func(tx trailTxn) error {
		x := &txn{trailTxn: tx, ts: ts}
		_, session, err := x.who(by)
		if err != nil {
			return err
		}
		return x.noteInputs(session.Int64, in, x.ts)
	})
}

// Inputs returns what a session has taken in so far.
func (t *Trail) Inputs(ctx context.Context, session SessionID) (in Inputs, err error) {
	return t.inputsUntil(ctx, session, math.MaxInt64)
}

func (t *Trail) inputsUntil(ctx context.Context, session SessionID, ts int64) (in Inputs, err error) {
	err = t.view(ctx, func(q reader) error {
		in, err = inputsOf(q.Row(inputsBefore+` WHERE session=(`+sessionNamed+`) AND ts<=?`, string(session), ts))
		return err
	})
	return in, err
}

// inputsBefore selects the bits of a session's inputs. A WHERE clause follows.
const inputsBefore = `SELECT sum(kind) FROM input`

func inputsOf(row db.Row) (Inputs, error) {
	var sum sql.NullInt64
	err := row.Scan(&sum)
	in := Inputs(sum.Int64)
	return in &^ (in.Direct() << secondHand), err // what it took in itself counts
}

// noteInputs records kinds of inputs of a session; the first time of each kind counts.
func (x trailTxn) noteInputs(session int64, in Inputs, ts int64) error {
	for bit := Inputs(1); bit != 0 && bit <= in; bit <<= 1 {
		if in&bit == 0 {
			continue
		}
		if err := x.Exec(`INSERT INTO input(session,kind,ts) VALUES(?,?,?) ON CONFLICT DO UPDATE SET ts=min(ts,excluded.ts)`, session, int64(bit), ts); err != nil {
			return err
		}
	}
	return nil
}

// passOnToReaders records for the sessions that have read a version of a change already what its
// maker had taken in.
func (x trailTxn) passOnToReaders(change int64, in Inputs) error {
	var r reading
	readers, err := db.All(x.Rows(`SELECT r.session,min(r.ts) FROM version v JOIN read r ON r.memory=v.memory AND r.version=v.id
		WHERE v.change=? AND r.session IS NOT NULL GROUP BY r.session`, change), &r, &r.session, &r.ts)
	if err != nil {
		return err
	}
	for _, r := range readers {
		if err := x.noteInputs(r.session, in.passedOn(), r.ts); err != nil {
			return err
		}
	}
	return nil
}

// versionInputs returns what the session that wrote a version had taken in.
func (x trailTxn) versionInputs(version int64) (Inputs, error) {
	in, err := inputsOf(x.Row(`SELECT coalesce(w.inputs,c.inputs) FROM version v JOIN change c ON c.id=v.change`+attributed+`WHERE v.id=?`, version))
	return in, ignoreNoRows(err)
}

// inputsAt returns what a session had taken in at a time.
func (x trailTxn) inputsAt(session sql.NullInt64, ts int64) (Inputs, error) {
	if !session.Valid {
		return 0, nil
	}
	return inputsOf(x.Row(inputsBefore+` WHERE session=? AND ts<=?`, session.Int64, ts))
}
